import { createHintWriter, type HintInput, type WriteHints } from '../lib/hint.ts';
import { type QuoteWord, quoteFor } from '../lib/shell-command.ts';
import type { Flags } from '../settings/settings.ts';
import type { AnyCommand, CommandTree, LoadedCommand, Options } from './command.ts';
import { commandNamed, loadCommand } from './command-tree.ts';
import { globalOptions } from './global-options.ts';
import { argumentsOf, formOf, negatedName, optionName, placeholderOf } from './option-names.ts';

export interface ShellHintOptions {
  tree: CommandTree;
  platform: NodeJS.Platform;
  /** The command that is running, for hints about options to add. */
  current: Pick<AnyCommand, 'options' | 'passesThrough'> | undefined;
  flags: Flags;
  typedWords: ReadonlyMap<string, string>;
}

export function createShellHints(options: ShellHintOptions): WriteHints {
  const { tree, platform, current = noCommand, flags, typedWords } = options;
  const quote = quoteFor(platform);
  return createHintWriter(async ({ text, command, input }) => {
    if (command !== undefined) {
      const entry = commandNamed(tree, command);
      const line = entry
        ? commandLine(await loadCommand(entry), input ?? {}, flags, quote)
        : `vals ${command}`;
      return `${text}, run \`${line}\`.`;
    }
    if (input === undefined) return text;
    // What follows the val is the val's own.
    const place = current.passesThrough ? ' before the file or val' : '';
    return `${text}, add ${optionWords(current, input, quote).join(' ')}${place}.`;
  }, typedWords);
}

const noCommand: Pick<AnyCommand, 'options' | 'passesThrough'> = {};

export function commandLine(
  command: LoadedCommand,
  given: HintInput,
  flags: Flags,
  quote: QuoteWord,
): string {
  const { path } = command;
  const input = { ...given, ...serviceFlags(command, given, flags) };
  const unquoted = argumentWords(command, input);
  const args = unquoted.map(({ word, isFixed }) => (isFixed ? word : quote(word)));
  const isArgument = (key: string) => argumentsOf(command).some(([name]) => name === key);
  const options = optionWords(
    command,
    Object.fromEntries(Object.entries(input).filter(([key]) => !isArgument(key))),
    quote,
  );
  const hasDash = unquoted.some(({ word }) => /^-./s.test(word));
  if (hasDash) return ['vals', path, ...options, '--', ...args].join(' ');
  const words = command.passesThrough ? [...options, ...args] : [...args, ...options];
  return ['vals', path, ...words].join(' ');
}

/** What was typed to choose the service, so that the command reaches the same one. */
function serviceFlags(
  { path, options = {} }: LoadedCommand,
  given: HintInput,
  { baseUrl = '', local, allowHttp }: Flags,
): HintInput {
  const opensStore = 'database' in options;
  if (opensStore) return {};
  const namesService = 'baseUrl' in given || 'local' in given;
  // A user name and a password in an address are refused, and not repeated.
  const isShown = baseUrl !== '' && !/[^/]@/.test(baseUrl);
  return {
    ...(isShown && !namesService && { baseUrl }),
    ...(local && !namesService && path !== 'login' && { local }),
    ...(allowHttp && { allowHttp }),
  };
}

interface ArgumentWord {
  word: string;
  isFixed: boolean;
}

function argumentWords(command: LoadedCommand, input: HintInput): ArgumentWord[] {
  return argumentsOf(command).flatMap(([key, argument]): ArgumentWord[] => {
    const value = input[key];
    if (value === undefined && argument.optional) return [];
    if (value === undefined || value === true) {
      return [{ word: formOf({ ...argument, optional: false }), isFixed: true }];
    }
    return [value].flat().map((each) => ({ word: String(each), isFixed: false }));
  });
}

export function optionWords(
  command: Pick<AnyCommand, 'options'>,
  input: HintInput,
  quote: QuoteWord,
): string[] {
  const definitions: Options = { ...globalOptions, ...command.options };
  return Object.entries(input).flatMap(([key, value]) => {
    const definition = definitions[key];
    const name = optionName(key);
    const placeholder = definition && placeholderOf(definition);
    if (value === true) return placeholder === undefined ? [name] : [name, placeholder];
    if (value === false) return [negatedName(key)];
    return [value].flat().flatMap((each) => [name, quote(String(each))]);
  });
}
