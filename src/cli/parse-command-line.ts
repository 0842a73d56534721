import { CommanderError } from 'commander';
import type { Flags } from '../settings/settings.ts';
import { argumentsOf, isVariadic, type OptionDefinition, oppositeOf } from './command.ts';
import type { CommandTree, LoadedCommand } from './command-tree.ts';
import { globalOptions } from './global-options.ts';
import { optionsHelp } from './help.ts';
import { createProgram, type Program } from './program.ts';
import { givenTogether, refusalOf, unknownCommand, wrongChoice } from './refusals.ts';

export type CommandLine = { flags: Flags } & (
  | { kind: 'command'; command: LoadedCommand; input: Record<string, unknown> }
  | { kind: 'help'; text: string }
  | { kind: 'refused'; error: unknown }
);

export async function parseCommandLine(
  argv: readonly string[],
  tree: CommandTree,
  helpWidth: number,
): Promise<CommandLine> {
  const words = withHelpAsOption(argv, tree);
  if (words.join(' ') === 'options --help') return { kind: 'help', text: optionsHelp(helpWidth), flags: {} };
  const program = createProgram(tree, helpWidth);
  try {
    const text = await parseWords(words, program, tree);
    if (text !== undefined) return { kind: 'help', text, flags: readableFlags(program) };
    const command = program.definition();
    if (command === undefined) throw new Error('commander ran no command');
    return { kind: 'command', command, ...inputOf(command, program) };
  } catch (error) {
    return { kind: 'refused', error, flags: readableFlags(program) };
  }
}

function withHelpAsOption(argv: readonly string[], tree: CommandTree): readonly string[] {
  const isTopic = (word = '') => Object.hasOwn(tree.topics, word);
  const index = isTopic(argv[0]) ? 1 : 0;
  if (argv[index] !== 'help') return argv;
  const words = argv.toSpliced(index, 1);
  const path = words.slice(0, isTopic(words[0]) ? 2 : 1).filter((word) => !word.startsWith('-'));
  return [...path, '--help'];
}

async function parseWords(
  words: readonly string[],
  program: Program,
  tree: CommandTree,
): Promise<string | undefined> {
  try {
    await program.root.parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return `${VERSION}\n`;
    if (!error.code.startsWith('commander.help')) throw refusalOf(error, words, program, tree);
  }
  const current = program.current();
  const [word] = current.args;
  if (current.commands.length > 0 && word !== undefined && !word.startsWith('-')) {
    throw unknownCommand(current, tree);
  }
  return program.help();
}

function inputOf(command: LoadedCommand, program: Program) {
  const current = program.current();
  const valuesOf = (options: Record<string, OptionDefinition<unknown>> = {}) =>
    Object.fromEntries(
      Object.entries(options).map(([key, definition]) => [key, optionValue(key, definition, program)]),
    );
  const flags: Flags = valuesOf(globalOptions);
  for (const { flags: option } of Object.values<OptionDefinition<unknown>>(command.options ?? {})) {
    const opposite = oppositeOf(option);
    if (program.isGiven(option) && program.isGiven(opposite)) throw givenTogether(current, option, opposite);
  }
  const options = valuesOf(command.options);
  const args = argumentsOf(command).map(([key, definition], index) => {
    const { parse = (word: string) => word } = definition;
    if (isVariadic(definition)) return [key, current.args.slice(index).map(parse)];
    const word = current.args[index];
    return [key, word === undefined ? undefined : parse(word)];
  });
  return { flags, input: { ...Object.fromEntries(args), ...options } };
}

function optionValue(key: string, definition: OptionDefinition<unknown>, program: Program): unknown {
  const current = program.current();
  const value: unknown = current.getOptionValue(key);
  if (current.getOptionValueSource(key) !== 'cli') return value;
  const { parse = (word: string) => word, choices, flags } = definition;
  const parseWord = (word: unknown) => {
    if (typeof word !== 'string') return word;
    if (choices && !choices.includes(word)) throw wrongChoice(flags.split(' ')[0] ?? '', word, choices);
    return parse(word);
  };
  return Array.isArray(value) ? value.map(parseWord) : parseWord(value);
}

function readableFlags(program: Program): Flags {
  const flags: Record<string, unknown> = {};
  for (const [key, definition] of Object.entries(globalOptions)) {
    try {
      flags[key] = optionValue(key, definition, program);
    } catch {}
  }
  return flags;
}
