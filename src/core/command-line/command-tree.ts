import type {
  CommandTree,
  Feature,
  Hook,
  LoadedCommand,
  LoadedTree,
  Named,
  PlacedCommand,
} from './command.ts';

/** The groups of the help. */
const groups: Record<PlacedCommand['group'], string> = {
  vals: 'Vals:',
  workspace: 'Workspace and running:',
  'set-up': 'Set-up and services of your own:',
};

export function createTree(core: readonly PlacedCommand[], features: readonly Feature[]): CommandTree {
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
