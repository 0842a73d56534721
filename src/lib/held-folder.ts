// A folder below another one, reached through no link, not even one that takes a folder's place meanwhile.
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, isMissing } from './errno.ts';

export interface HeldFolder {
  /** Names in it are found below this path, which is for the system and not for people. */
  path: string;
  /** Looks once more for links on the way, where the system cannot hold a folder. Throws a NotReached. */
  check(): void;
  close(): void;
}

/** What stands in the way. */
export class NotReached extends Error {
  constructor(
    /** Below the top folder, with / between its parts. */
    readonly place: string,
    readonly problem: string,
  ) {
    super(`${place} ${problem}`);
  }
}

export interface HoldOptions {
  /** Whether folders that are missing are made. */
  make?: boolean;
}

/** Undefined where there is no such folder. The top folder itself may be a link. */
export function holdFolder(
  top: string,
  parts: readonly string[],
  { make = false }: HoldOptions = {},
): HeldFolder | undefined {
  try {
    return canHold() ? hold(top, parts, make) : lookAlong(top, parts, make);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Linux alone has a path for what is at hand: a name below it is looked for in that very folder. */
const pathOf = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

let isLinux: boolean | undefined;

function canHold(): boolean {
  isLinux ??= process.platform === 'linux' && existsSync(pathOf(0).replace(/\/0$/, ''));
  return isLinux;
}

/** Linux' O_PATH, which Node does not name: a folder at hand needs no right to list it. */
const atHand = 0o10000000 | (constants.O_DIRECTORY ?? 0);

function hold(top: string, parts: readonly string[], make: boolean): HeldFolder {
  let descriptor = openSync(top, atHand);
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
    return openSync(path, atHand | constants.O_NOFOLLOW);
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
    stats?.isSymbolicLink() ? 'is a link, which may lead anywhere' : 'is not a folder',
  );

/** Elsewhere each folder is looked at; a link that comes between the last look and the use is not noticed. */
function lookAlong(top: string, parts: readonly string[], make: boolean): HeldFolder {
  const look = (mayMake: boolean) => {
    for (const index of parts.keys()) {
      const place = parts.slice(0, index + 1);
      const path = join(top, ...place);
      const stats = lstatSync(path, { throwIfNoEntry: !mayMake });
      if (stats === undefined) makeOne(path);
      else if (!stats.isDirectory()) throw notReached(place, stats);
    }
  };
  look(make);
  return { path: join(top, ...parts), check: () => look(false), close() {} };
}

/** Another process may make it at the same moment. */
function makeOne(path: string): void {
  try {
    // Not for others to write to, whatever the umask.
    mkdirSync(path, 0o755);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
