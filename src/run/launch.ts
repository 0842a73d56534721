import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { pathToFileURL } from 'node:url';
import type { Context } from '../core/command-line/command.ts';
import { listed, someOf } from '../core/lib/hint.ts';
import { foldersAbove, isFile, isWithin, realPath, spelledAsOnDisk } from '../core/lib/paths.ts';
import type { Say } from '../core/output/out.ts';
import type { Settings } from '../core/settings/settings.ts';
import { createKept } from './modules/kept.ts';
import { createModules, type Entry, type Modules } from './modules/modules.ts';
import { createRemote } from './modules/remote.ts';
import { isFilePath } from './modules/resolve.ts';
import { createCompiler } from './modules/transpile.ts';
import { dotenvFiles, environmentOf, type Variable } from './process/environment.ts';
import { allowsReading, nodeCan, nodeOptions, type Permissions } from './process/permissions.ts';
import type { ProcessOptions } from './process/process.ts';
import { readableBy } from './process/readable.ts';
import { type RunTarget, realModule } from './target.ts';

const mostCompiledFiles = 4_000;

export interface LaunchInput {
  allowRead?: readonly string[];
  allowWrite?: readonly string[];
  allowRun?: boolean;
  allowAll?: boolean;
  env?: readonly Variable[];
  dotenv?: readonly string[];
  /** Node's own option, such as `--inspect-brk=9230`. */
  inspector?: string | undefined;
  /** Fetch modules from the web again. */
  reload?: boolean;
}

type Mode = 'call' | 'script' | 'serve';

export interface Launch {
  /** Reads the environment of now. */
  process(
    mode: Mode,
    modules: Modules,
    options: { args: readonly string[]; stdout: ProcessOptions['stdout'] },
  ): ProcessOptions;
  modules(entry: Entry, onFile: (path: string) => void): Modules;
  /** Where variables for the val are read. */
  dotenvFiles: readonly string[];
}

export function prepareLaunch(context: Context, input: LaunchInput, target: RunTarget): Launch {
  const {
    settings,
    out: { say },
  } = context;
  const { env, clock, node, agent, signal } = context.host;
  const { to: connections } = context.connections;
  const { platform } = settings.system;
  const programs = realPath(join(DIST, 'run'));
  const isAtTerminal = agent === undefined && [0, 1, 2].some(isatty);
  const isSandboxed = runsInSandbox(context, input);
  const readable = readableBy(target, settings);
  const found = [spelledAsOnDisk(programs, platform), ...readable.paths];
  const terminal = isAtTerminal && platform !== 'win32' ? ['/dev/tty'] : [];
  const permissions = isSandboxed ? permissionsOf(settings, input, found, terminal) : undefined;
  const mayRead = (path: string) => permissions === undefined || allowsReading(permissions, path);
  const sayOnce = onlyOnce(say);
  const options = [
    ...nodeOptions({ version: node.version, permissions, inspector: input.inspector, platform }),
    `--import=${pathToFileURL(join(programs, 'preload.cjs'))}`,
  ];
  const environment = {
    env,
    isOwnFile: target.kind === 'file' && agent === undefined,
    projectFile: target.kind === 'file' ? dotenvOf(target) : undefined,
    cwd: settings.cwd,
    dotenv: input.dotenv ?? [],
    variables: input.env ?? [],
    variablesBy: agent ? ('agent' as const) : ('person' as const),
    isSandboxed,
  };
  const kept = (name: string, mostFiles?: number) =>
    createKept({ folder: settings.dataDirectory && join(settings.dataDirectory.value, name), mostFiles });
  const compile = createCompiler(kept('compiled', mostCompiledFiles));
  const fetchModule = createRemote({
    settings,
    clock,
    signal,
    kept: kept('modules'),
    reload: input.reload === true,
    connections,
  });

  async function noteOtherFiles({ entry, compiled }: Modules): Promise<void> {
    const files = [...new Set((await compiled).imports)].filter(isFilePath);
    if (!entry.isFile || files.length === 0) return;
    const text = `${entry.name} imports ${someOf(files)}. A val is one file, so ${entry.name} cannot run on a service.\n`;
    sayOnce({ kind: 'lines', text });
  }

  function command(mode: Mode, entry: Entry): string[] {
    // A script is the main program itself, so that `require.main` and `process.argv[1]` are as with `node`.
    if (mode === 'script' && target.kind === 'file') return [...options, target.path];
    return [...options, join(programs, 'main.cjs'), mode, entry.url];
  }

  function readEnvironment(): NodeJS.ProcessEnv {
    const { projectFile } = environment;
    const isFollowed =
      target.kind !== 'file' || isWithin(realPath(target.project), realPath(projectFile ?? ''));
    if (!isFollowed && environment.isOwnFile) sayOnce({ kind: 'warning', text: envLeadsOut });
    const read = environmentOf({ ...environment, projectFile: isFollowed ? projectFile : undefined });
    if (read.leftOut.length > 0) sayOnce({ kind: 'warning', text: leftOutOfEnvironment(read.leftOut) });
    return read.variables;
  }

  return {
    process: (mode, modules, { args, stdout }) => ({
      modules,
      command: [node.path, ...command(mode, modules.entry), ...args],
      env: readEnvironment(),
      cwd: spelledAsOnDisk(settings.cwd, platform),
      stdin: agent ? 'ignore' : 'inherit',
      stdout,
      group: platform === 'win32' || isAtTerminal ? 'shared' : 'own',
      platform,
      clock,
      retires: mode === 'serve',
    }),
    modules(entry, onFile) {
      const modules = createModules(entry, {
        cwd: settings.cwd,
        compile,
        fetchModule,
        onFile,
        realModule: (path) => (isFile(path) ? realModule(path, platform) : undefined),
        mayRead,
        mayImport: (path) => mayRead(path) || readable.isBesideVal(path),
        requireUsesHooks: nodeCan('hooksInThread', node.version),
      });
      // Whoever starts the val reports that it cannot be compiled.
      noteOtherFiles(modules).catch(() => {});
      return modules;
    },
    dotenvFiles: dotenvFiles(environment),
  };
}

/** The nearest one above the file, in its project. */
function dotenvOf({ path, project }: RunTarget & { kind: 'file' }): string {
  const folders = foldersAbove(path).filter((folder) => isWithin(project, folder));
  return (
    [...folders, project].map((folder) => join(folder, '.env')).find(existsSync) ?? join(project, '.env')
  );
}

const envLeadsOut =
  'The .env file was not read, because it is a link that leads out of the project. To read it, add --dotenv .env.';

const leftOutOfEnvironment = (names: readonly string[]): string =>
  `Left out of the environment of the val: ${listed(names)}. Node or the system acts on such variables, so only --env, typed by a person, can set them.`;

/** The same is true at each start, such as after a save. */
function onlyOnce(say: Say): Say {
  const said = new Set<string>();
  return (event) => {
    const key = JSON.stringify(event);
    if (!said.has(key)) say(event);
    said.add(key);
  };
}

function runsInSandbox(
  { host: { node }, out: { say } }: Context,
  { allowAll, inspector }: LaunchInput,
): boolean {
  if (allowAll) return false;
  if (inspector === undefined || nodeCan('inspectorInSandbox', node.version)) return true;
  const text = `Node ${node.version} has no debugger in the sandbox, so the val runs without the sandbox.`;
  say({ kind: 'warning', text });
  return false;
}

function permissionsOf(
  { cwd, system: { platform } }: Settings,
  { allowRead = [], allowWrite = [], allowRun = false }: LaunchInput,
  found: readonly string[],
  terminal: readonly string[],
): Permissions {
  const typed = (path: string) => spelledAsOnDisk(resolve(cwd, path), platform);
  return {
    read: [...found, ...terminal, ...allowRead.map(typed)],
    write: [...terminal, ...allowWrite.map(typed)],
    run: allowRun,
  };
}
