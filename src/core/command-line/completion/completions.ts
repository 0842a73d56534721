import { CommanderError } from 'commander';
import type { CommandTree, LoadedCommand } from '../command.ts';
import { argumentsOf, type KnownOption, knownOptions, optionsAt, versionOption } from '../options.ts';
import { createProgram, type Program } from '../program.ts';
import type { ValueType } from '../value-types.ts';

interface Candidate {
  word: string;
  description: string;
}

export interface Completions {
  candidates: readonly Candidate[];
  /** The names of vals are offered, too. */
  offersVals: boolean;
}

const none: Completions = { candidates: [], offersVals: false };

/** What may stand in the place of an unfinished word, after words that commander has read. */
export async function completions(
  tree: CommandTree,
  wordsBefore: readonly string[],
  unfinished: string,
): Promise<Completions> {
  const isHelp = wordsBefore[0] === 'help';
  const words = isHelp ? wordsBefore.slice(1) : wordsBefore;
  const program = createProgram(tree, 80, words);
  const stoppedBy = await parseUnfinished(program, words);
  const command = program.definition();
  const { args, parent } = program.current();
  if (isHelp && command !== undefined) return none;
  const options = [
    ...optionsAt(command),
    ...(parent === null ? knownOptions({ version: versionOption }) : []),
  ];
  if (stoppedBy === 'commander.optionMissingArgument') {
    const option = options.find(({ names }) => names.includes(words.at(-1) ?? ''));
    return completeType(option?.definition.value, unfinished);
  }
  const onlyArgumentsFollow = words.includes('--') || (command?.passesThrough && args.length > 0);
  if (!onlyArgumentsFollow && unfinished.startsWith('-')) return completeOption(options, unfinished);
  if (command !== undefined) return completeArgument(command, args.length, unfinished);
  return args.length === 0 ? completeCommand(program, unfinished) : none;
}

/** Returns the code of the error with which commander stopped, if it did. */
async function parseUnfinished({ root }: Program, words: readonly string[]): Promise<string | undefined> {
  try {
    await root.parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.code;
    throw error;
  }
}

async function completeCommand(program: Program, unfinished: string): Promise<Completions> {
  await program.defineBelow();
  const current = program.current();
  const commands = current.createHelp().visibleCommands(current);
  return startingWith(unfinished, [
    ...commands.map((each) => ({ word: each.name(), description: each.summary() || each.description() })),
    { word: 'help', description: 'Explain a command' },
  ]);
}

const completeOption = (options: readonly KnownOption[], unfinished: string): Completions =>
  startingWith(
    unfinished,
    options.flatMap(({ names, description }) => names.map((word) => ({ word, description }))),
  );

function completeArgument(command: LoadedCommand, position: number, unfinished: string): Completions {
  const definitions = argumentsOf(command).map(([, definition]) => definition);
  const last = definitions.at(-1);
  const definition = definitions[position] ?? (last?.repeatable ? last : undefined);
  return completeType(definition?.value, unfinished);
}

function completeType(type: ValueType<unknown> | undefined, unfinished: string): Completions {
  if (type === undefined) return none;
  const { schema, isVal = false } = type;
  const candidates = (schema.enum ?? []).map((word) => ({ word, description: '' }));
  return { ...startingWith(unfinished, candidates), offersVals: isVal };
}

const startingWith = (unfinished: string, candidates: readonly Candidate[]): Completions => ({
  ...none,
  candidates: candidates.filter(({ word }) => word.startsWith(unfinished)),
});
