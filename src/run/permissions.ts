import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Permissions {
  read: readonly string[];
  write: readonly string[];
  /** Programs, threads and native addons. */
  run: boolean;
}

interface NodeOptions {
  version: string;
  /** Undefined: the val may do everything. */
  permissions: Permissions | undefined;
  inspect: boolean;
}

export function nodeOptions({ version, permissions, inspect }: NodeOptions): string[] {
  return [
    '--enable-source-maps',
    // Node 20 calls the permission model experimental, and warns of --allow-worker.
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    ...(inspect ? ['--inspect'] : []),
    ...(permissions ? permissionFlags(version, permissions, inspect) : []),
  ];
}

/** Node 20 and 22 start no debugger under the permission model. */
export const canInspectInSandbox = (version: string): boolean => isSince(version, 24, 12);

function permissionFlags(version: string, { read, write, run }: Permissions, inspect: boolean): string[] {
  const hasHooksInThread = isSince(version, 22, 15);
  return [
    isSince(version, 22, 13) ? '--permission' : '--experimental-permission',
    ...(isSince(version, 25, 0) ? ['--allow-net'] : []),
    ...(run ? ['--allow-child-process', '--allow-addons', '--allow-wasi'] : []),
    // Without hooks in the same thread, the loader of the val needs a thread.
    ...(run || !hasHooksInThread ? ['--allow-worker'] : []),
    ...(inspect ? ['--allow-inspector'] : []),
    ...[...new Set(read)].flatMap(withContents).map((path) => `--allow-fs-read=${path}`),
    ...[...new Set(write)].flatMap(withContents).map((path) => `--allow-fs-write=${path}`),
  ];
}

/** For a path that does not exist, Node does not know that it could be a folder. */
const withContents = (path: string): string[] => (existsSync(path) ? [path] : [path, join(path, '*')]);

function isSince(version: string, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
