import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConflictError, LocalError } from '../../errors.ts';
import { errnoOf } from '../../lib/system.ts';
import { explainSqlite } from '../database/sqlite-failures.ts';

/**
 * An empty file of another name, for its owner alone. It gets its name when it is whole and on the disk, so a process that
 * is killed leaves a file `.partial` behind, and no backup.
 */
export function createPartial(file: string): string {
  refuseMissingFolder(file);
  refuseExisting(file);
  const partial = `${file}.${process.pid}.partial`;
  guarded(file, () => closeSync(openSync(partial, 'wx', 0o600)));
  return partial;
}

export function nameFile(partial: string, file: string): void {
  guarded(file, () => {
    syncToDisk(partial);
    giveName(partial, file);
    syncToDisk(dirname(file));
  });
}

export function guarded<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw explainSqlite(file, error);
  }
}

const refusal = (file: string): ConflictError =>
  new ConflictError(`The file ${file} is there already. A backup never overwrites a file.`, {
    hint: 'Choose another file, or remove this one first.',
  });

function refuseMissingFolder(file: string): void {
  if (existsSync(dirname(file))) return;
  throw new LocalError(`The folder ${dirname(file)} does not exist.`, { hint: 'Make the folder first.' });
}

/** A log of another store beside the file would be taken for its own. */
function refuseExisting(file: string): void {
  const isThere = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere) throw refusal(file);
  if (existsSync(`${file}-wal`)) throw refusal(`${file}-wal`);
}

/** `link` refuses a name that another process has used in the meantime. */
function giveName(partial: string, file: string): void {
  if (existsSync(file)) {
    refuseExisting(file);
    renameSync(partial, file);
    return;
  }
  try {
    linkSync(partial, file);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw refusal(file);
    // Some file systems have no links.
    renameSync(partial, file);
    return;
  }
  unlinkSync(partial);
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
