import { type Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { asQuestion, nearest, sh } from '../lib/hint.ts';
import type { Flags } from '../settings/settings.ts';
import { optionsHelp } from './apply-definition.ts';
import type { CommandTree, LoadedCommand } from './command.ts';
import {
  argumentsOf,
  checkInput,
  checkOptions,
  formOf,
  globalOptions,
  type InputNames,
  optionName,
} from './options.ts';
import { createProgram, type Program } from './program.ts';
import type { CommandCall } from './run.ts';

export type CommandLine =
  | ({ kind: 'command'; flags: Flags } & CommandCall)
  | { kind: 'help'; text: string; flags: Flags }
  | { kind: 'refused'; error: unknown; flags: Flags };

export async function parseCommandLine(
  argv: readonly string[],
  tree: CommandTree,
  helpWidth: number,
): Promise<CommandLine> {
  const words = withHelpAsOption(argv, tree);
  if (words.join(' ') === 'options --help') return { kind: 'help', text: optionsHelp(helpWidth), flags: {} };
  const program = createProgram(tree, helpWidth, words);
  try {
    const text = await parseWords(words, program);
    if (text !== undefined) return { kind: 'help', text, flags: readableFlags(program) };
    const command = program.definition();
    if (command === undefined) throw new Error('commander ran no command');
    const current = program.current();
    const flags: Flags = checkOptions(globalOptions, givenOptions(current, globalOptions), namesFor(current));
    if (flags.json && !command.passesThrough) refuseFieldsOfJson(words);
    return { kind: 'command', command, flags, input: inputOf(command, current) };
  } catch (error) {
    return { kind: 'refused', error, flags: readableFlags(program) };
  }
}

/** In gh, --json takes a list of fields. Here it would be a word to search for, or a path. */
function refuseFieldsOfJson(words: readonly string[]): void {
  const next = words[words.indexOf('--json') + 1] ?? '';
  if (!/^[a-z][\w.]*(?:,[a-z][\w.]*)+$/i.test(next)) return;
  throw new UsageError('--json takes no list of fields.', { hint: `Add --fields ${next} instead.` });
}

function withHelpAsOption(argv: readonly string[], tree: CommandTree): readonly string[] {
  const isTopic = (word = '') => tree.commands.some(({ path }) => path.startsWith(`${word} `));
  const index = isTopic(argv[0]) ? 1 : 0;
  if (argv[index] !== 'help') return argv;
  const words = argv.toSpliced(index, 1);
  const path = words.slice(0, isTopic(words[0]) ? 2 : 1).filter((word) => !word.startsWith('-'));
  return [...path, '--help'];
}

async function parseWords(words: readonly string[], program: Program): Promise<string | undefined> {
  try {
    await program.root.parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return `${VERSION}\n`;
    if (!error.code.startsWith('commander.help')) throw refusalOf(error, program.current());
  }
  const current = program.current();
  const [word] = current.args;
  if (current.commands.length > 0 && word !== undefined && !word.startsWith('-')) {
    throw unknownCommand(current);
  }
  return program.help();
}

function inputOf(command: LoadedCommand, current: Command): Record<string, unknown> {
  const args = argumentsOf(command).map(([key, { repeatable }], index) => [
    key,
    repeatable ? current.args.slice(index) : current.args[index],
  ]);
  const raw = { ...Object.fromEntries(args), ...givenOptions(current, command.options ?? {}) };
  return checkInput(command, raw, namesFor(current, command));
}

function givenOptions(current: Command, options: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(options).filter((key) => current.getOptionValueSource(key) === 'cli');
  return Object.fromEntries(keys.map((key) => [key, current.getOptionValue(key)]));
}

const namesFor = (current: Command, command?: LoadedCommand): InputNames => ({
  nameOf(key) {
    const argument = Object.fromEntries(argumentsOf(command ?? {}))[key];
    return argument === undefined ? optionName(key) : formOf(argument);
  },
  hint: helpHint(current),
});

/** The flags of a refused command line still decide how the error looks. Those that have to be parsed do not count. */
function readableFlags(program: Program): Flags {
  const { timeout, fields, ...flags } = givenOptions(program.current(), globalOptions);
  return flags;
}

function refusalOf(error: CommanderError, command: Command): UsageError {
  if (error.code === 'commander.unknownOption') return unknownOption(command);
  if (error.code === 'commander.unknownCommand') return unknownCommand(command);
  return new UsageError(sentenceOf(error.message), { hint: helpHint(command) });
}

function unknownCommand(parent: Command): UsageError {
  const [word = ''] = parent.args;
  const names = parent.commands.map((command) => command.name());
  return new UsageError(`Unknown command '${word}'.${asQuestion(nearest(word, names))}`, {
    hint: helpHint(parent),
  });
}

/** commander would repeat the value of the option, which may be a token. */
function unknownOption(command: Command): UsageError {
  const typed = command.args.find((word) => /^-./s.test(word) && !/^-[\d.]+$/.test(word)) ?? '';
  const name = typed.startsWith('--') ? typed.replace(/=.*$/s, '') : typed.slice(0, 2);
  const long = command.options.map((option) => option.long ?? '');
  if (long.includes(name)) return new UsageError(`${name} takes no value.`, { hint: helpHint(command) });
  const isToken = /^--?tok/.test(name);
  const meant = nearest(name, long);
  return new UsageError(`\`${lineOf(command)}\` has no option ${name}.${asQuestion(isToken ? [] : meant)}`, {
    hint: isToken
      ? [
          'No option takes a token, because other users can see command lines.',
          sh`To sign in, run ${['login']}.`,
          'Or set VALS_TOKEN.',
        ]
      : helpHint(command),
  });
}

function sentenceOf(message: string): string {
  const problem = message.replace(/^error: /, '').replace(/\.$/, '');
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;
}

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

const lineOf = (command: Command): string => ['vals', ...pathOf(command)].join(' ');

const helpHint = (command: Command): string => `For help, run \`${lineOf(command)} --help\`.`;
