import type { FileOfVal } from '../find-val/identify.ts';
import type { AnyCommand } from './command.ts';
import type { Context } from './context.ts';
import type { OpenLocal } from './services.ts';

interface Named {
  path: string;
  aliases?: readonly string[];
}

export type Effect = 'reads' | 'adds' | 'updates' | 'deletes' | 'runs';

/** The groups of the help. */
const groups = {
  vals: 'Vals:',
  workspace: 'Workspace and running:',
  'set-up': 'Set-up and services of your own:',
};

interface Declared extends Named {
  group: keyof typeof groups;
  effect: Effect;
  /** Agents have it as a tool. */
  isTool?: boolean;
  /** What its first word is about, at the first command of that word. */
  topic?: string;
}

export interface PlacedCommand extends Declared {
  load(): Promise<{ command: AnyCommand }>;
}

export interface LoadedCommand extends Declared, AnyCommand {}

/** Undefined if the word is no path of a file that is there or that git knows. */
export type FindFile = (word: string) => Promise<FileOfVal | undefined>;

/** What a folder beside core adds to the program. */
export interface Feature {
  /** One with the path of a command of core takes its place and extends it. */
  commands: readonly PlacedCommand[];
  /** Which val the path of a file means. */
  openFiles?(context: Context): Promise<FindFile>;
  /** What --local connects to. */
  openLocal?: OpenLocal;
}

export interface CommandTree<Command extends Named = PlacedCommand> extends Pick<Feature, Hook> {
  groups: readonly { title: string; commands: readonly Command[] }[];
  /** The first words of commands that have two, with a summary. */
  topics: Readonly<Record<string, string>>;
  wordsOfOthers: Readonly<Record<string, string | readonly string[]>>;
}

type Hook = 'openFiles' | 'openLocal';

export type LoadedTree = CommandTree<LoadedCommand>;

export function createTree(
  core: readonly PlacedCommand[],
  features: readonly Feature[],
  wordsOfOthers: CommandTree['wordsOfOthers'],
): CommandTree {
  const added = features.flatMap(({ commands }) => commands);
  const paths = new Set(core.map(({ path }) => path));
  const extensions = added.filter(({ path }) => paths.has(path));
  const all = [
    ...core.map((command) => onlyOne(extensions.filter(({ path }) => path === command.path)) ?? command),
    ...added.filter(({ path }) => !paths.has(path)),
  ];
  const hook = <Name extends Hook>(name: Name) => onlyOne(features.flatMap((feature) => feature[name] ?? []));
  return {
    groups: Object.entries(groups).map(([key, title]) => ({
      title,
      commands: all.filter(({ group }) => group === key),
    })),
    topics: Object.fromEntries(
      all.flatMap(({ path, topic }) => (topic ? [[path.split(' ')[0], topic]] : [])),
    ),
    wordsOfOthers,
    openFiles: hook('openFiles'),
    openLocal: hook('openLocal'),
  };
}

function onlyOne<Part>([part, another]: readonly Part[]): Part | undefined {
  if (another !== undefined) throw new Error('two features extend the same part of the program');
  return part;
}

export const loadCommand = async ({ load, ...placed }: PlacedCommand): Promise<LoadedCommand> => ({
  ...(await load()).command,
  ...placed,
});

export async function loadTree({ groups, ...tree }: CommandTree): Promise<LoadedTree> {
  const loaded = groups.map(async ({ title, commands }) => ({
    title,
    commands: await Promise.all(commands.map(loadCommand)),
  }));
  return { ...tree, groups: await Promise.all(loaded) };
}

export const commandNames = ({ path, aliases = [] }: Named): string[] => [path, ...aliases];

export const commandsOf = <Command extends Named>({ groups }: CommandTree<Command>): Command[] =>
  groups.flatMap(({ commands }) => commands);

export const commandNamed = <Command extends Named>(
  tree: CommandTree<Command>,
  name: string,
): Command | undefined => commandsOf(tree).find((command) => commandNames(command).includes(name));

export const pathsOf = <Command extends Named>(tree: CommandTree<Command>): string[] => [
  ...Object.keys(tree.topics),
  ...commandsOf(tree).flatMap(commandNames),
];
