import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { pathToFileURL } from 'node:url';
import type { Context } from '../core/command-line/command.ts';
import { isWithin, realPath } from '../core/lib/paths.ts';
import type { Settings } from '../core/settings/settings.ts';
import { createCompiler } from './modules/compile.ts';
import { createKept } from './modules/kept.ts';
import type { Entry } from './modules/load.ts';
import { createModules, type Modules } from './modules/modules.ts';
import { createRemote } from './modules/remote.ts';
import { dotenvFiles, environmentOf, type Variable } from './process/environment.ts';
import { nodeCan } from './process/node-releases.ts';
import { packagePaths } from './process/packages.ts';
import { nodeOptions, type Permissions } from './process/permissions.ts';
import type { ProcessOptions } from './process/process.ts';
import { spelledAsOnDisk } from './process/windows-paths.ts';
import type { FileTarget, RunTarget } from './target.ts';

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
  const { settings } = context;
  const { env, clock, node, agent, signal } = context.host;
  const { to: connections } = context.connections;
  const { platform } = settings.system;
  const programs = realPath(join(DIST, 'run'));
  const isAtTerminal = agent === undefined && [0, 1, 2].some(isatty);
  const isSandboxed = runsInSandbox(context, input);
  const allowed = { ...input, allowTerminal: isAtTerminal && platform !== 'win32' };
  const permissions = isSandboxed ? permissionsOf(settings, allowed, target, programs) : undefined;
  const options = [
    ...nodeOptions({ version: node.version, permissions, inspector: input.inspector, platform }),
    `--import=${pathToFileURL(join(programs, 'preload.cjs'))}`,
  ];
  const environment = {
    env,
    isOwnFile: target.kind === 'file' && agent === undefined,
    project: target.kind === 'file' ? target.project : undefined,
    cwd: settings.cwd,
    dotenv: input.dotenv ?? [],
    variables: input.env ?? [],
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

  function command(mode: Mode, entry: Entry): string[] {
    // A script is the main program itself, so that `require.main` and `process.argv[1]` are as with `node`.
    if (mode === 'script' && target.kind === 'file') return [...options, target.path];
    return [...options, join(programs, 'main.cjs'), mode, entry.url];
  }

  return {
    process: (mode, modules, { args, stdout }) => ({
      modules,
      command: [node.path, ...command(mode, modules.entry), ...args],
      env: environmentOf(environment),
      cwd: spelledAsOnDisk(settings.cwd, platform),
      stdin: agent ? 'ignore' : 'inherit',
      stdout,
      group: platform === 'win32' || isAtTerminal ? 'shared' : 'own',
      platform,
      clock,
      retires: mode === 'serve',
    }),
    modules: (entry, onFile) =>
      createModules(entry, {
        cwd: settings.cwd,
        clock,
        compile,
        fetchModule,
        onFile,
        isOwnFile: environment.isOwnFile,
        mayRead: (path) => permissions?.read.some((folder) => isWithin(folder, path)) !== false,
        requireUsesHooks: nodeCan('hooksInThread', node.version),
      }),
    dotenvFiles: dotenvFiles(environment),
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
  settings: Settings,
  {
    allowRead = [],
    allowWrite = [],
    allowRun = false,
    allowTerminal,
  }: LaunchInput & { allowTerminal: boolean },
  target: RunTarget,
  programs: string,
): Permissions {
  const spelled = (path: string) => spelledAsOnDisk(path, settings.system.platform);
  const fromCwd = (path: string) => spelled(resolve(settings.cwd, path));
  const own = target.kind === 'file' ? readableCode(target, settings) : [target.path];
  const terminal = allowTerminal ? ['/dev/tty'] : [];
  return {
    read: [
      spelled(programs),
      ...own.flatMap((path) => [path, realPath(path)]),
      ...packagePaths(dirname(target.path)),
      ...(target.kind === 'file' ? packagePaths(dirname(realPath(target.path))) : []),
      ...terminal,
      ...allowRead.map(fromCwd),
    ],
    write: [...terminal, ...allowWrite.map(fromCwd)],
    run: allowRun,
  };
}

function readableCode({ path, project, realProject }: FileTarget, settings: Settings): string[] {
  const ownFolders = [settings.configDirectory, settings.dataDirectory].flatMap(
    (folder) => folder?.value ?? [],
  );
  // In the home folder, or around the config of vals, a project would be everything that the person has.
  const isTooWide = (folder: string) =>
    [homedir(), ...ownFolders].some((own) => isWithin(realPath(folder), realPath(own)));
  const projects = [...new Set([project, realProject])].filter((folder) => !isTooWide(folder));
  return [path, ...projects];
}
