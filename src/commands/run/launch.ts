import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { pathToFileURL } from 'node:url';
import type { Context } from '../../cli/context.ts';
import { isWithin, realPath } from '../../lib/paths.ts';
import { createCompiler } from '../../run/compiled.ts';
import { environmentOf, type Variable } from '../../run/environment.ts';
import { createKept } from '../../run/kept.ts';
import { createModules, type Entry, type Modules } from '../../run/modules.ts';
import { packagePaths } from '../../run/packages.ts';
import { canInspectInSandbox, nodeOptions, type Permissions } from '../../run/permissions.ts';
import type { ProcessOptions } from '../../run/process.ts';
import { createRemote } from '../../run/remote.ts';
import type { FileTarget, Target, Wanted } from '../../run/target.ts';
import { spelledAsOnDisk } from '../../run/windows-paths.ts';

export const defaultSeconds = 60;
const mostCompiledFiles = 4_000;

export interface RunInput extends Wanted {
  args: string[];
  /** Undefined: no limit for a person, and 60 seconds for an agent or until the answer to a request begins. */
  maxTime?: number;
  allowRead?: readonly string[];
  allowWrite?: readonly string[];
  allowRun?: boolean;
  allowAll?: boolean;
  env?: readonly Variable[];
  dotenv?: readonly string[];
  inspect?: boolean;
  reload?: boolean;
  noReport?: boolean;
  port?: number;
  host?: string;
}

type Mode = 'call' | 'script' | 'serve';

export interface Launch extends Omit<ProcessOptions, 'command' | 'stdout'> {
  command(mode: Mode, entry: Entry, args: readonly string[]): [string, ...string[]];
  modules(entry: Entry, onFile: (path: string) => void): Modules;
}

export function prepareLaunch(context: Context, input: RunInput, target: Target): Launch {
  const { env, settings, clock, node, agent, say, signal } = context;
  const { platform } = settings.system;
  const programs = realPath(join(__dirname, 'run'));
  const inspect = input.inspect === true;
  const needsNoSandbox = inspect && !canInspectInSandbox(node.version);
  if (needsNoSandbox && !input.allowAll) {
    say({
      kind: 'warning',
      text: `Node ${node.version} has no debugger in the sandbox, so the val runs without the sandbox.`,
    });
  }
  const isSandboxed = !input.allowAll && !needsNoSandbox;
  const isAtTerminal = agent === undefined && [0, 1, 2].some(isatty);
  const allowed = { ...input, allowTerminal: isAtTerminal && platform !== 'win32' };
  const permissions = isSandboxed ? permissionsOf(context, allowed, target, programs) : undefined;
  const options = [
    node.path,
    ...nodeOptions({ version: node.version, permissions, inspect, platform }),
    `--import=${pathToFileURL(join(programs, 'preload.cjs'))}`,
  ];
  const kept = (name: string, mostFiles?: number) =>
    createKept({ folder: settings.dataDirectory && join(settings.dataDirectory.value, name), mostFiles });
  const compile = createCompiler(kept('compiled', mostCompiledFiles));
  const fetchModule = createRemote({
    settings,
    signal,
    kept: kept('modules'),
    reload: input.reload === true,
    loadFetch: () => createRequire(join(programs, 'main.cjs'))('./fetch.cjs'),
  });
  return {
    command(mode, entry, args) {
      const [first = '', ...others] = options;
      // A script is the main program itself, so that `require.main` and `process.argv[1]` are as with `node`.
      if (mode === 'script' && target.kind === 'file') return [first, ...others, target.path, ...args];
      return [first, ...others, join(programs, 'main.cjs'), mode, entry.url, ...args];
    },
    modules: (entry, onFile) => createModules(entry, { cwd: settings.cwd, compile, fetchModule, onFile }),
    env: environmentOf({
      env,
      isOwnFile: target.kind === 'file' && agent === undefined,
      project: target.kind === 'file' ? target.project : undefined,
      cwd: settings.cwd,
      dotenv: input.dotenv ?? [],
      variables: input.env ?? [],
      isSandboxed,
      platform,
    }),
    cwd: spelledAsOnDisk(settings.cwd, platform),
    platform,
    group: platform === 'win32' || isAtTerminal ? 'shared' : 'own',
    stdin: agent ? 'ignore' : 'inherit',
    clock,
  };
}

function permissionsOf(
  { settings }: Context,
  { allowRead = [], allowWrite = [], allowRun = false, allowTerminal }: RunInput & { allowTerminal: boolean },
  target: Target,
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

/** In the home folder, or around the config of vals, a project would be everything that the person has. */
function readableCode({ path, project, realProject }: FileTarget, settings: Context['settings']): string[] {
  const ownFolders = [settings.configDirectory, settings.dataDirectory].flatMap(
    (folder) => folder?.value ?? [],
  );
  const isTooWide = (folder: string) =>
    [homedir(), ...ownFolders].some((own) => isWithin(realPath(folder), realPath(own)));
  return [project, realProject].map((folder) => (isTooWide(folder) ? path : folder));
}
