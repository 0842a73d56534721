// The files of a SQLite store: their real path, their owner and mode, and whether they were replaced.
import { chmodSync, closeSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../../errors.ts';
import { makeFolder } from '../../lib/paths.ts';
import { kindOf } from '../../lib/plain-file.ts';
import { errnoOf, isMissing } from '../../lib/system.ts';

export const otherFileHint =
  'To use another file, run `vals serve --data <file>`, or set VALS_DATA_DIR to another folder for vals.db.';

/** SQLite keeps its log, the index of the log and sometimes a journal beside the file of the store. */
const suffixes = ['', '-wal', '-shm', '-journal'];

/** SQLite keeps these files while the store is open. If one is missing or replaced, another program did it. */
const openSuffixes = ['', '-wal', '-shm'];

/** The files of an open store were removed or replaced, so further writes would be lost. */
export class StoreGone extends Error {
  /** @param maybeCommitted whether a transaction was committed before the files were checked */
  constructor(readonly maybeCommitted: boolean) {
    super('its files were removed or replaced while it was open');
  }
}

/**
 * Returns the path without links, because SQLite keeps its other files beside the real file. Creates a missing file with
 * the right mode, because SQLite gives the same mode to the other files.
 */
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
    throw refusal(`The store ${file} is a link to a file that is not there.`);
  }
}

/** Another user could have put a log beside the store. SQLite would write our data to it, or read theirs from it. */
export function checkOwnership(path: string): void {
  const user = process.geteuid?.();
  for (const [name, { uid, nlink }] of regularFiles(path)) {
    if (user !== undefined && uid !== user) {
      throw refusal(`${name} belongs to another user, who could read everything in the store.`);
    }
    if (nlink > 1) {
      throw refusal(`${name} has ${nlink} names (hard links), and a store may have only one.`);
    }
  }
}

/** Changes the mode by path, because opening and closing a file would drop all locks that this process has on it. */
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
    const kind = stats.isSymbolicLink() ? 'a link' : kindOf(stats);
    if (kind !== undefined) throw refusal(`${name} is ${kind}, not a regular file.`);
    return [[name, stats]];
  });
}

/** Remembers the inodes of the open files. No new file can get the inode of an open file, even of a removed one. */
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
