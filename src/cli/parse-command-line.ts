// From the words of a command line to a command with its input, or to the help that they ask for.
import type { Flags } from '../settings/settings.ts';
import { assignArguments } from './assign-arguments.ts';
import type { AnyCommand, OptionDefinition } from './command.ts';
import type { CommandTree } from './command-tree.ts';
import { globalOptions } from './global-options.ts';
import { type KnownOption, longName } from './known-options.ts';
import { readWords, type Words } from './read-words.ts';
import { refusalOf, refuseContradictions, wrongChoice } from './refusals.ts';

/** A command line that was understood. */
export interface CommandLine {
  command: AnyCommand;
  input: Record<string, unknown>;
  flags: Flags;
}

export async function parseCommandLine(
  given: readonly string[],
  tree: CommandTree,
  helpWidth: number,
): Promise<CommandLine | { help: string }> {
  const argv = withHelpAsFlag(given, tree);
  if (argv.join(' ') === 'options --help') return { help: (await commander()).helpOnOptions(helpWidth) };
  const words = readWords(argv, tree);
  const { command, path } = words;
  const values = valuesOf(words);
  if (values.version) return { help: `${VERSION}\n` };
  const refusal = refusalOf(words, tree);
  const canExplain = values.help && words.awaiting === undefined && (command || words.arguments.length === 0);
  if (refusal !== undefined && !canExplain) throw refusal;
  if (command === undefined || values.help) {
    return { help: (await commander()).helpOn(path, command, tree, helpWidth) };
  }
  refuseContradictions(words);
  const pick = (keys: object) => Object.fromEntries(Object.keys(keys).map((key) => [key, values[key]]));
  return {
    command,
    input: { ...assignArguments(command, words.arguments), ...pick(command.options ?? {}) },
    flags: pick(globalOptions),
  };
}

/** Most command lines ask for no help, and most help was laid out when building. */
const commander = () => import('./commander.ts');

/** `vals help push` and `vals val help get` are other ways to ask for --help; what else stands there cannot run. */
function withHelpAsFlag(argv: readonly string[], tree: CommandTree): readonly string[] {
  const index = Object.hasOwn(tree.topics, argv[0] ?? '') ? 1 : 0;
  if (argv[index] !== 'help') return argv;
  const { path, command, options, arguments: rest } = readWords(argv.toSpliced(index, 1), tree);
  // Behind an option that does not exist a word may be its value.
  const namesUnknown = command === undefined && options.every(({ option }) => option !== undefined);
  return [...path, ...(namesUnknown ? rest.slice(0, 1) : []), '--help'];
}

/** By the keys of the options; the last one of a kind counts, unless it takes up what came before it. */
function valuesOf({ command, options }: Words): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const own: [string, OptionDefinition<unknown>][] = Object.entries(command?.options ?? {});
  // What can only be turned off is on.
  for (const [key, { flags, default: value }] of own)
    values[key] = value ?? (flags.startsWith('--no-') || undefined);
  for (const { option, value, hasSurplusValue } of options) {
    if (option === undefined || hasSurplusValue) continue;
    const { key, placeholder } = option;
    if (placeholder === undefined) values[key] = !option.isOpposite;
    else if (value !== undefined) values[key] = meant(option, value, values[key]);
  }
  return values;
}

function meant(option: KnownOption, word: string, before: unknown): unknown {
  const { parse, choices } = option.definition;
  if (choices && !choices.includes(word)) throw wrongChoice(longName(option), word, choices);
  return parse ? parse(word, before) : word;
}
