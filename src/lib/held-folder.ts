// Holds a folder: keeps it open, so that its path for system calls always means this folder, even if somebody replaces a
// folder above it by a link. No link below the top folder is followed.
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, isMissing } from './system.ts';

export interface HeldFolder {
  /** The path for system calls. Not for messages. */
  path: string;
  /** On a system that cannot hold folders, checks the path for links again. Throws a NotReached. */
  check(): void;
  close(): void;
}

/** A part of the path is a link or not a folder. */
export class NotReached extends Error {
  constructor(
    /** The path below the top folder, with / between its parts. */
    readonly place: string,
    readonly problem: string,
  ) {
    super(`${place} ${problem}`);
  }
}

export interface HoldOptions {
  /** Whether to make missing folders. */
  make?: boolean;
}

/** Undefined if there is no such folder. The top folder itself may be a link. */
export function holdFolder(
  top: string,
  parts: readonly string[],
  { make = false }: HoldOptions = {},
): HeldFolder | undefined {
  try {
    return canHold ? hold(top, parts, make) : checkPath(top, parts, make);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Linux has a path for each open folder, and looks up names below this path in the open folder itself. Other systems have no such path. */
const pathOf = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

const canHold = process.platform === 'linux' && existsSync('/proc/self/fd');

/** O_PATH of Linux, for which Node has no name, opens a folder even if we may not list it. */
const folderFlags = 0o10000000 | (constants.O_DIRECTORY ?? 0);

function hold(top: string, parts: readonly string[], make: boolean): HeldFolder {
  let descriptor = openSync(top, folderFlags);
  for (const [index, part] of parts.entries()) {
    const above = descriptor;
    try {
      descriptor = stepInto(join(pathOf(above), part), parts.slice(0, index + 1), make);
    } finally {
      closeSync(above);
    }
  }
  return { path: pathOf(descriptor), check() {}, close: () => closeSync(descriptor) };
}

function stepInto(path: string, place: readonly string[], make: boolean): number {
  try {
    return openSync(path, folderFlags | constants.O_NOFOLLOW);
  } catch (error) {
    if (make && isMissing(error)) {
      makeOne(path);
      return stepInto(path, place, false);
    }
    if (errnoOf(error) !== 'ENOTDIR' && errnoOf(error) !== 'ELOOP') throw error;
    throw notReached(place, lstatSync(path, { throwIfNoEntry: false }));
  }
}

const notReached = (place: readonly string[], stats: Stats | undefined): NotReached =>
  new NotReached(
    place.join('/'),
    stats?.isSymbolicLink() ? 'is a link, and links are not followed here' : 'is not a folder',
  );

/** For other systems: checks each folder. A link that appears after the last check is not noticed. */
function checkPath(top: string, parts: readonly string[], make: boolean): HeldFolder {
  const checkEach = (makeMissing: boolean) => {
    for (const index of parts.keys()) {
      const place = parts.slice(0, index + 1);
      const path = join(top, ...place);
      const stats = makeMissing ? lstatSync(path, { throwIfNoEntry: false }) : lstatSync(path);
      if (stats === undefined) makeOne(path);
      else if (!stats.isDirectory()) throw notReached(place, stats);
    }
  };
  checkEach(make);
  return { path: join(top, ...parts), check: () => checkEach(false), close() {} };
}

/** Another process may make the same folder at the same time. */
function makeOne(path: string): void {
  try {
    // Without write permission for others, whatever the umask is.
    mkdirSync(path, 0o755);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
