// What the process of a val may do, and what it is not told: against accidents, not against malice.
import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { execPath, versions } from 'node:process';
import { foldersAbove } from '../lib/folders-above.ts';
import type { Runtime } from './sources.ts';

export interface Reach {
  /** Its folder, with all below; undefined for a val of the service. */
  folder: string | undefined;
  /** Packages are looked for from this file's folder upwards. */
  packagesFrom: string;
  /** Where vals keeps tokens and data: a folder that holds one of these is not opened to the val. */
  kept: readonly string[];
}

const [major = 0, minor = 0] = versions.node.split('.').map(Number);
/** The name under which Node has its permission model. */
const permission =
  major >= 24 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13)
    ? '--permission'
    : '--experimental-permission';

/** Modules that vals hands over, and no word of Node's own about what is experimental in that. */
const moduleFlags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** Enough for a val, and filled in seconds by one that never stops. */
const mostMegabytes = 512;

/** The runtime and its options: it reads its code and its packages, may use the network, and nothing else. */
export function commandFor(
  runtime: Runtime,
  program: string,
  reach: Reach | 'all',
): { command: string; flags: string[] } {
  if (runtime === 'deno') {
    const allowed =
      reach === 'all'
        ? ['--allow-all']
        : ['--allow-net', '--allow-env', `--allow-read=${readable(program, reach)}`];
    return { command: 'deno', flags: ['run', '--quiet', '--no-prompt', ...allowed] };
  }
  const belt = reach === 'all' ? [] : beltFlags(readable(program, reach));
  return { command: execPath, flags: [...moduleFlags, ...belt] };
}

const beltFlags = (readable: string[]): string[] => [
  `--max-old-space-size=${mostMegabytes}`,
  permission,
  ...(major >= 25 ? ['--allow-net'] : []),
  ...readable.map((path) => `--allow-fs-read=${path}`),
];

function readable(program: string, { folder, packagesFrom, kept }: Reach): string[] {
  const own = folder !== undefined && !kept.some((secret) => isBelow(folder, secret)) ? [folder] : [];
  return [...new Set([program, ...own, ...packageFolders(packagesFrom)].flatMap(withRealPath))];
}

/** Where Node looks for packages, and what it reads there; older Nodes ask before they look whether it is there. */
const packageFolders = (file: string): string[] =>
  foldersAbove(file).flatMap((folder) => [join(folder, 'node_modules'), join(folder, 'package.json')]);

function withRealPath(path: string): string[] {
  try {
    return [path, realpathSync.native(path)];
  } catch {
    return [path];
  }
}

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
};

/** Options of Node's that another program set would go around the seat belt, or stop the val at its start. */
export function environmentOf(env: NodeJS.ProcessEnv, allowAll: boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^VALS_/i.test(name) && (allowAll || name !== 'NODE_OPTIONS')),
  );
}
