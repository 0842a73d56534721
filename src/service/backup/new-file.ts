// The file of a backup, which gets its name when it is whole.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConflictError, LocalError } from '../../core/errors.ts';
import { existingStats } from '../../core/lib/paths.ts';
import { errnoOf, isRunning } from '../../core/lib/system.ts';
import { explainSqlite } from '../database/sqlite-query.ts';

const nameOfCopy = 'copy';

export const copyIn = (folder: string): string => join(folder, nameOfCopy);

/**
 * Makes a folder beside the target, for its owner alone, with an empty file: SQLite's thread may make the file anew, with the
 * mode of other files. The file gets its name when it is whole and on the disk, so a process that is killed leaves a folder
 * `.partial` behind, and no backup. The next backup removes that folder.
 */
export function createPartial(file: string): string {
  const parent = dirname(file);
  if (!existingStats(parent)?.isDirectory()) {
    throw new LocalError(`The folder ${parent} does not exist.`, { hint: 'Make the folder first.' });
  }
  refuseExisting(file);
  removeAbandoned(parent);
  const folder = `${file}.${process.pid}.partial`;
  try {
    mkdirSync(folder, { mode: 0o700 });
    closeSync(openSync(copyIn(folder), 'wx', 0o600));
  } catch (error) {
    throw explainSqlite(file, error);
  }
  return folder;
}

export function nameFile(folder: string, file: string): void {
  const copy = copyIn(folder);
  syncToDisk(copy);
  refuseExisting(file);
  renameSync(copy, file);
  rmdirSync(folder);
  syncToDisk(dirname(file));
}

/** Tries again, because SQLite's thread makes the file anew if it had not opened it yet. */
export const removePartial = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

/** Removes what killed backups to files of this folder have left. In a container, the next process often has the same number. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/\.(\d+)\.partial$/.exec(name)?.[1]);
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    const folder = join(parent, name);
    if (existsSync(copyIn(folder))) removePartial(folder);
  }
}

/** A log of another store beside the file would be taken for its own. */
function refuseExisting(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  const isThere = stats !== undefined && !(stats.isFile() && stats.size === 0);
  if (!isThere && !existsSync(`${file}-wal`)) return;
  throw new ConflictError(
    `The file ${isThere ? file : `${file}-wal`} is there already. A backup never overwrites a file.`,
    { hint: 'Choose another file, or remove this one first.' },
  );
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Windows cannot sync a folder.
    if (errnoOf(error) !== 'EPERM') throw error;
  } finally {
    closeSync(descriptor);
  }
}
