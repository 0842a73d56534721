// The files of a SQLite store: their real path, their owner and mode, and whether they were replaced.
import { chmodSync, closeSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../../errors.ts';
import { errnoOf, isMissing } from '../../lib/errno.ts';
import { makeFolder } from '../../lib/folders.ts';
import { kindOf } from '../../lib/plain-file.ts';

export const otherFileHint =
  'Use another file: `vals serve --data <file>`, or VALS_DATA_DIR for the folder of vals.db.';

/** Beside the file, SQLite keeps its log, the log's index and sometimes a journal. */
const suffixes = ['', '-wal', '-shm', '-journal'];

/** SQLite removes none of these while a store is open, so somebody else did if one is missing or replaced. */
const openSuffixes = ['', '-wal', '-shm'];

/** The files of an open store were removed or replaced, so further writes would be lost. */
export class StoreGone extends Error {
  /** @param maybeWritten whether a commit was done before this was noticed */
  constructor(readonly maybeWritten: boolean) {
    super('its files were removed or replaced while it was open');
  }
}

/**
 * The real path of the store, because SQLite keeps its other files beside the real file. Creates a missing file, because
 * SQLite gives the other files the mode of this one.
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
  for (const [name, { uid, nlink }] of plainFiles(path)) {
    if (user !== undefined && uid !== user) {
      throw refusal(`${name} belongs to another user, who could read everything in the store.`);
    }
    if (nlink > 1) {
      throw refusal(`${name} has ${nlink} names (hard links), and a store may have only one.`);
    }
  }
}

/** Changes the mode by path, because closing an opened file would drop every lock that this process has on it. */
export function tighten(path: string): void {
  for (const [name, { mode }] of plainFiles(path)) {
    if (mode & 0o077) chmodSync(name, 0o600);
  }
}

function plainFiles(path: string): [string, Stats][] {
  return suffixes.flatMap((suffix) => {
    const name = `${path}${suffix}`;
    const stats = lstatSync(name, { throwIfNoEntry: false });
    if (!stats) return [];
    const kind = stats.isSymbolicLink() ? 'a link' : kindOf(stats);
    if (kind !== undefined) throw refusal(`${name} is ${kind}, not a plain file.`);
    return [[name, stats]];
  });
}

/** Remembers the inodes of the open files. No other file gets such an inode while the file is open, even if it was removed. */
export function rememberFiles(path: string) {
  const numberOf = (suffix: string) => {
    const stats = lstatSync(`${path}${suffix}`, { throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino}`;
  };
  const opened = new Map(openSuffixes.map((suffix) => [suffix, numberOf(suffix)]));
  return {
    areInPlace: () => openSuffixes.every((suffix) => numberOf(suffix) === opened.get(suffix)),
    /** Whether another process has started a new log. */
    haveNewLog: () => ![undefined, opened.get('-wal')].includes(numberOf('-wal')),
  };
}

function refusal(message: string): LocalError {
  return new LocalError(message, { hint: otherFileHint });
}
