// All commands with the words that name them, and words of other tools that mean one of them.
import type { AnyCommand } from './command.ts';

export interface CommandTree {
  /** In the order of the help. */
  groups: readonly { title: string; commands: readonly AnyCommand[] }[];
  /** What the first words of two-word commands stand for. */
  topics: Readonly<Record<string, { title: string; summary: string }>>;
  /** Words that people bring along and that name nothing here, each with what to type instead. */
  otherWords: Readonly<Record<string, string>>;
}

/** A command's path and its other names. */
export const namesOf = ({ path, aliases = [] }: AnyCommand): string[] => [path, ...aliases];

const commandsOf = ({ groups }: CommandTree): AnyCommand[] => groups.flatMap(({ commands }) => commands);

/** The command that goes by this name. */
export const commandNamed = (tree: CommandTree, name: string): AnyCommand | undefined =>
  commandsOf(tree).find((command) => namesOf(command).includes(name));

/** Of all commands, their other names too. */
export const commandNames = (tree: CommandTree): string[] => commandsOf(tree).flatMap(namesOf);

/** Everything that has a help of its own: topics, commands and their other names. */
export const pathsOf = (tree: CommandTree): string[] => [...Object.keys(tree.topics), ...commandNames(tree)];

/** The words that may follow a topic, or begin a command line where there is none, each with what it does. */
export function wordsBelow(tree: CommandTree, topic = ''): { word: string; summary: string }[] {
  const named = commandsOf(tree).flatMap((command) =>
    namesOf(command).map((path) => ({ words: path.split(' '), summary: command.summary })),
  );
  const commands = named
    .filter(({ words }) => words.slice(0, -1).join(' ') === topic)
    .map(({ words, summary }) => ({ word: words.at(-1) as string, summary }));
  const topics = Object.entries(tree.topics).map(([word, { summary }]) => ({ word, summary }));
  return topic === '' ? [...commands, ...topics] : commands;
}
