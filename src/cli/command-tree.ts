// The types of the list of all commands, and functions that search the list. The definition of a command is loaded only
// when the definition is needed.
import type { AnyCommand } from './command.ts';

interface Named {
  /** The words that name the command on the command line, such as `val get`. */
  path: string;
  aliases?: readonly string[];
}

export type Effect =
  | 'reads'
  /** The command adds something, and changes no existing val or file. */
  | 'adds'
  /**
   * The command replaces the state of something. Running the command twice has the same effect as running the command
   * once.
   */
  | 'updates'
  | 'deletes'
  | 'runs';

interface Declared extends Named {
  effect: Effect;
  isTool: boolean;
}

export interface CommandEntry extends Declared {
  load(): Promise<{ command: AnyCommand }>;
}

export interface LoadedCommand extends Declared, AnyCommand {}

export interface CommandTree<Entry extends Named = CommandEntry> {
  /** The groups of commands, in the order in which the help shows them. */
  groups: readonly { title: string; commands: readonly Entry[] }[];
  /** The first words of two-word commands, such as `val` in `val get`. */
  topics: Readonly<Record<string, { title: string; summary: string }>>;
  /** Commands of other programs, each with the command of this program that does the same. */
  otherWords: Readonly<Record<string, string>>;
}

export type LoadedTree = CommandTree<LoadedCommand>;

export const loadCommand = async ({ load, ...entry }: CommandEntry): Promise<LoadedCommand> => ({
  ...(await load()).command,
  ...entry,
});

/** Loads the definitions of all commands, for docs/reference.md, for the completion and for `vals mcp`. */
export async function loadTree({ groups, ...tree }: CommandTree): Promise<LoadedTree> {
  const loaded = groups.map(async ({ title, commands }) => ({
    title,
    commands: await Promise.all(commands.map(loadCommand)),
  }));
  return { ...tree, groups: await Promise.all(loaded) };
}

export const namesOf = ({ path, aliases = [] }: Named): string[] => [path, ...aliases];

export const commandsOf = <Entry extends Named>({ groups }: CommandTree<Entry>): Entry[] =>
  groups.flatMap(({ commands }) => commands);

export const commandNamed = <Entry extends Named>(
  tree: CommandTree<Entry>,
  name: string,
): Entry | undefined => commandsOf(tree).find((command) => namesOf(command).includes(name));

/** Returns the words of everything that has a help text: topics, commands and aliases. */
export const pathsOf = <Entry extends Named>(tree: CommandTree<Entry>): string[] => [
  ...Object.keys(tree.topics),
  ...commandsOf(tree).flatMap(namesOf),
];
