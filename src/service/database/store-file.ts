import { chmodSync, closeSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../../errors.ts';
import { makeFolder } from '../../lib/paths.ts';
import { kindOf } from '../../lib/plain-file.ts';
import { errnoOf, isMissing } from '../../lib/system.ts';

export const otherFileHint =
  'To use another file, run `vals serve --data <file>`, or set VALS_DATA_DIR to another folder for vals.db.';

const suffixes = ['', '-wal', '-shm', '-journal'];

const openSuffixes = ['', '-wal', '-shm'];

export class StoreGone extends Error {
  constructor(readonly maybeCommitted: boolean) {
    super('its files were removed or replaced while it was open');
  }
}

export function realStorePath(file: string): string {
  makeFolder(dirname(file), 0o700);
  const path = lstatSync(file, { throwIfNoEntry: false })
    ? followed(file)
    : join(realpathSync(dirname(file)), basename(file));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  checkOwnership(path);
  return path;
}

function followed(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw refusal(`The store ${file} is a symbolic link to a missing file.`);
  }
}

function checkOwnership(path: string): void {
  const user = process.geteuid?.();
  for (const [name, { uid, nlink }] of regularFiles(path)) {
    if (user !== undefined && uid !== user) {
      throw refusal(`${name} belongs to another user, who could read everything in the store.`);
    }
    if (nlink > 1) {
      throw refusal(`${name} has ${nlink} hard links, but the file of a store must have only one.`);
    }
  }
}

/**
 * If SQLite opened the log of another user, who then removed it, no file is left that `checkOwnership` could refuse. In
 * such a log, the other user could read everything that is written to the store.
 */
export function checkOpened(path: string): void {
  checkOwnership(path);
  if (lstatSync(`${path}-wal`, { throwIfNoEntry: false })) return;
  throw refusal(`${path}-wal was removed while vals opened the store.`);
}

/**
 * Uses the path and no file descriptor, because closing a descriptor would release all locks that the process
 * holds on the file.
 */
export function restrictMode(path: string): void {
  for (const [name, { mode }] of regularFiles(path)) {
    if (mode & 0o077) chmodSync(name, 0o600);
  }
}

function regularFiles(path: string): [string, Stats][] {
  return suffixes.flatMap((suffix) => {
    const name = `${path}${suffix}`;
    const stats = lstatSync(name, { throwIfNoEntry: false });
    if (!stats) return [];
    const kind = stats.isSymbolicLink() ? 'a symbolic link' : kindOf(stats);
    if (kind !== undefined) throw refusal(`${name} is ${kind}, not a regular file.`);
    return [[name, stats]];
  });
}

export function rememberFiles(path: string) {
  const inodeOf = (suffix: string) => {
    const stats = lstatSync(`${path}${suffix}`, { throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino}`;
  };
  const opened = new Map(openSuffixes.map((suffix) => [suffix, inodeOf(suffix)]));
  return {
    areInPlace: () => openSuffixes.every((suffix) => inodeOf(suffix) === opened.get(suffix)),
    haveNewLog: () => ![undefined, opened.get('-wal')].includes(inodeOf('-wal')),
  };
}

function refusal(message: string): LocalError {
  return new LocalError(message, { hint: otherFileHint });
}
