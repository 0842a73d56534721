import type { AnyCommand } from './command.ts';

interface Named {
  path: string;
  aliases?: readonly string[];
}

export type Effect = 'reads' | 'adds' | 'updates' | 'deletes' | 'runs';

interface Declared extends Named {
  effect: Effect;
  isTool: boolean;
}

export interface CommandEntry extends Declared {
  load(): Promise<{ command: AnyCommand }>;
}

export interface LoadedCommand extends Declared, AnyCommand {}

export interface CommandTree<Entry extends Named = CommandEntry> {
  groups: readonly { title: string; commands: readonly Entry[] }[];
  /** The first words of commands that have two, with a summary. */
  topics: Readonly<Record<string, string>>;
  wordsOfOthers: Readonly<Record<string, string | readonly string[]>>;
}

export type LoadedTree = CommandTree<LoadedCommand>;

export const loadCommand = async ({ load, ...entry }: CommandEntry): Promise<LoadedCommand> => ({
  ...(await load()).command,
  ...entry,
});

export async function loadTree({ groups, ...tree }: CommandTree): Promise<LoadedTree> {
  const loaded = groups.map(async ({ title, commands }) => ({
    title,
    commands: await Promise.all(commands.map(loadCommand)),
  }));
  return { ...tree, groups: await Promise.all(loaded) };
}

export const commandNames = ({ path, aliases = [] }: Named): string[] => [path, ...aliases];

export const commandsOf = <Entry extends Named>({ groups }: CommandTree<Entry>): Entry[] =>
  groups.flatMap(({ commands }) => commands);

export const commandNamed = <Entry extends Named>(
  tree: CommandTree<Entry>,
  name: string,
): Entry | undefined => commandsOf(tree).find((command) => commandNames(command).includes(name));

export const pathsOf = <Entry extends Named>(tree: CommandTree<Entry>): string[] => [
  ...Object.keys(tree.topics),
  ...commandsOf(tree).flatMap(commandNames),
];
