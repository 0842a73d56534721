// On Linux, a held folder stays open. So its `path` leads to the same folder, even if somebody replaces a parent folder
// with a link.
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, isMissing } from './system.ts';

export interface HeldFolder {
  /** Never show this path to the user, because it may be a path such as /proc/self/fd/7. */
  path: string;
  /** Throws if a folder on the way has become a link. Does nothing for a folder that is held open. */
  check(): void;
  close(): void;
}

export class NotReached extends Error {
  constructor(
    readonly place: string,
    readonly problem: string,
  ) {
    super(`${place} ${problem}`);
  }
}

export interface HoldOptions {
  make?: boolean;
}

const canHold = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Returns undefined if the folder does not exist. `top` may be a link, but no folder below `top` may be a link. */
export function holdFolder(
  top: string,
  parts: readonly string[],
  { make = false }: HoldOptions = {},
): HeldFolder | undefined {
  try {
    return canHold ? holdOpen(top, parts, make) : checkOnly(top, parts, make);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const pathOf = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

/**
 * Node has no constant for O_PATH. On Linux, O_PATH opens a folder even if this user has no permission to list
 * its files.
 */
const O_PATH = 0o10000000;
const folderFlags = O_PATH | (constants.O_DIRECTORY ?? 0);

function holdOpen(top: string, parts: readonly string[], make: boolean): HeldFolder {
  let descriptor = openSync(top, folderFlags);
  for (const [index, part] of parts.entries()) {
    const parent = descriptor;
    try {
      descriptor = openFolder(join(pathOf(parent), part), parts.slice(0, index + 1), make);
    } finally {
      closeSync(parent);
    }
  }
  return { path: pathOf(descriptor), check() {}, close: () => closeSync(descriptor) };
}

/** Errors name the folder by `place`, the part of the path below `top`. */
function openFolder(path: string, place: readonly string[], make: boolean): number {
  try {
    return openSync(path, folderFlags | constants.O_NOFOLLOW);
  } catch (error) {
    if (make && isMissing(error)) {
      makeIfMissing(path);
      return openFolder(path, place, false);
    }
    if (errnoOf(error) !== 'ENOTDIR' && errnoOf(error) !== 'ELOOP') throw error;
    throw notReached(place, lstatSync(path, { throwIfNoEntry: false }));
  }
}

const notReached = (place: readonly string[], stats: Stats | undefined): NotReached =>
  new NotReached(place.join('/'), stats?.isSymbolicLink() ? 'is a link, not a folder' : 'is not a folder');

/** Does not notice a link that appears after the check. */
function checkOnly(top: string, parts: readonly string[], make: boolean): HeldFolder {
  checkFolders(top, parts, make);
  return { path: join(top, ...parts), check: () => checkFolders(top, parts, false), close() {} };
}

function checkFolders(top: string, parts: readonly string[], makeMissing: boolean): void {
  for (const index of parts.keys()) {
    const place = parts.slice(0, index + 1);
    const path = join(top, ...place);
    const stats = lstatSync(path, { throwIfNoEntry: !makeMissing });
    if (stats === undefined) makeIfMissing(path);
    else if (!stats.isDirectory()) throw notReached(place, stats);
  }
}

function makeIfMissing(path: string): void {
  try {
    mkdirSync(path, 0o755);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
