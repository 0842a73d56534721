import type { CommandTree, Feature, LoadedCommand, PlacedCommand } from './command.ts';

/** The headings of the help, in its order. */
export const groups: Record<PlacedCommand['group'], string> = {
  vals: 'Vals:',
  workspace: 'Workspace and running:',
  'set-up': 'Set-up and services of your own:',
};

export function createTree(core: readonly PlacedCommand[], features: readonly Feature[]): CommandTree {
  const added = features.flatMap(({ commands }) => commands);
  const paths = new Set(core.map(({ path }) => path));
  const extensions = added.filter(({ path }) => paths.has(path));
  const all = [
    ...core.map((command) => atMostOne(extensions.filter(({ path }) => path === command.path)) ?? command),
    ...added.filter(({ path }) => !paths.has(path)),
  ];
  return {
    commands: Object.keys(groups).flatMap((key) => all.filter(({ group }) => group === key)),
    openFiles: atMostOne(features.flatMap(({ openFiles }) => openFiles ?? [])),
    openLocal: atMostOne(features.flatMap(({ openLocal }) => openLocal ?? [])),
  };
}

function atMostOne<Part>([part, another]: readonly Part[]): Part | undefined {
  if (another !== undefined) throw new Error('two features extend the same part of the program');
  return part;
}

export const loadCommand = async ({ load, ...placed }: PlacedCommand): Promise<LoadedCommand> => ({
  ...(await load()).command,
  ...placed,
});

export const loadCommands = ({ commands }: CommandTree): Promise<LoadedCommand[]> =>
  Promise.all(commands.map(loadCommand));

/** The names of all commands, and the first words of those that have two. */
export const pathsOf = ({ commands }: CommandTree): string[] => [
  ...new Set(commands.flatMap(({ path }) => [path.split(' ', 1).join(), path])),
];

/** What a person may type for some commands, and no help shows. */
const aliases: Readonly<Record<string, string>> = {
  get: 'val get',
  create: 'val create',
  set: 'val set',
  edit: 'val edit',
  rm: 'val rm',
  whoami: 'me',
  'val runs': 'runs',
  log: 'version ls',
  restore: 'version restore',
  deploy: 'push',
  'val push': 'push',
};

/** The same, wherever a command with the first word stands. */
const verbs: Readonly<Record<string, string>> = { ls: 'list', rm: 'delete' };

export interface NamedCommand {
  name: string;
  entry: PlacedCommand;
  isHidden: boolean;
}

/** Every name that a command can be called by. */
export function allNames({ commands }: CommandTree): NamedCommand[] {
  return commands.flatMap((entry) => {
    const { path } = entry;
    const short = Object.keys(aliases).filter((alias) => aliases[alias] === path);
    const hidden = [path, ...short].flatMap((name) => {
      const other = verbs[/\w+$/.exec(name)?.[0] ?? ''];
      return other === undefined ? [] : [name.replace(/\w+$/, other)];
    });
    return [
      { name: path, entry, isHidden: false },
      ...[...short, ...hidden].map((name) => ({ name, entry, isHidden: true })),
    ];
  });
}
