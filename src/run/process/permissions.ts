import { existsSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { isWithin } from '../../core/lib/paths.ts';

/** What a val may do. `launch.ts` decides it. */
export interface Permissions {
  read: readonly string[];
  write: readonly string[];
  /** Programs, threads and native addons. */
  run: boolean;
}

/** As Node decides it. */
export const allowsReading = ({ read }: Permissions, path: string): boolean =>
  read.some((allowed) =>
    allowed.endsWith('*') ? path.startsWith(allowed.slice(0, -1)) : isWithin(allowed, path),
  );

interface NodeOptions {
  version: string;
  /** Undefined: the val may do everything. */
  permissions: Permissions | undefined;
  /** Node's own option, such as `--inspect-brk=9230`. */
  inspector: string | undefined;
  platform: NodeJS.Platform;
}

export function nodeOptions({ version, permissions, inspector, platform }: NodeOptions): string[] {
  return [
    '--enable-source-maps',
    // Node 20 calls the permission model experimental, and warns of --allow-worker.
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    ...(inspector === undefined ? [] : [inspector]),
    ...(permissions ? permissionFlags(version, permissions, platform) : []),
    ...(permissions && inspector !== undefined ? ['--allow-inspector'] : []),
  ];
}

function permissionFlags(
  version: string,
  { read, write, run }: Permissions,
  platform: NodeJS.Platform,
): string[] {
  return [
    nodeCan('stablePermissions', version) ? '--permission' : '--experimental-permission',
    ...(nodeCan('refusesNetwork', version) ? ['--allow-net'] : []),
    ...(run ? ['--allow-child-process', '--allow-addons', '--allow-wasi'] : []),
    ...(run || !nodeCan('hooksInThread', version) ? ['--allow-worker'] : []),
    ...allowedPaths(read, platform).map((path) => `--allow-fs-read=${path}`),
    ...allowedPaths(write, platform).map((path) => `--allow-fs-write=${path}`),
  ];
}

const allowedPaths = (paths: readonly string[], platform: NodeJS.Platform): string[] =>
  outermost(eachOnce(paths, platform)).flatMap(withContents);

/** Node 20 forgets that a folder is allowed if a path in the folder is given too. */
const outermost = (paths: readonly string[]): string[] =>
  paths.filter(
    (path) => !paths.some((folder) => folder !== path && isWithin(folder, path) && existsSync(folder)),
  );

/** A path that does not exist may become a folder, so its contents are allowed too. Two asterisks crash Node 20. */
function withContents(path: string): string[] {
  return existsSync(path) || path.includes('*') ? [path] : [path, join(path, '*')];
}

/** On Windows, Node 20 crashes if the options contain one path in two spellings. */
function eachOnce(paths: readonly string[], platform: NodeJS.Platform): string[] {
  if (platform !== 'win32') return [...new Set(paths)];
  return [...new Map(paths.map(win32.normalize).map((path) => [path.toLowerCase(), path])).values()];
}

/** What the releases of Node can do: the first release of each line that can. Later lines can, too. */
const since = {
  /** `module.registerHooks`: loader hooks in the val's own thread, for `require` too. Before, they need a thread. */
  hooksInThread: ['22.15', '23.5'],
  /** `--permission`. Before, it is `--experimental-permission`. */
  stablePermissions: ['22.13', '23.5'],
  /** The permission model refuses the network, unless `--allow-net` is given. */
  refusesNetwork: ['25.0'],
  /** Under the permission model, `--allow-inspector` starts the debugger. Before, it never starts, and nothing says so. */
  inspectorInSandbox: ['24.12', '25.2'],
} as const;

export type NodeAbility = keyof typeof since;

/** Each release of an odd line is older than the next even line, so the last release in a row counts for all later lines. */
export function nodeCan(ability: NodeAbility, version: string): boolean {
  const { major, minor } = partsOf(version);
  const firsts = since[ability].map(partsOf);
  const last = firsts.at(-1);
  const ofLine = firsts.find((first) => first.major === major);
  return ofLine ? minor >= ofLine.minor : last !== undefined && major > last.major;
}

function partsOf(version: string): { major: number; minor: number } {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return { major, minor };
}
