import { closeSync, existsSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConflictError, LocalError } from '../../core/errors.ts';
import { existingStats } from '../../core/lib/paths.ts';
import { errnoOf } from '../../core/lib/system.ts';
import { explainSqlite } from '../database/sqlite-query.ts';

/**
 * An empty file of another name, for its owner alone. It gets its name when it is whole and on the disk, so a process that
 * is killed leaves a file `.partial` behind, and no backup.
 */
export function createPartial(file: string): string {
  if (!existingStats(dirname(file))?.isDirectory()) {
    throw new LocalError(`The folder ${dirname(file)} does not exist.`, { hint: 'Make the folder first.' });
  }
  refuseExisting(file);
  const partial = `${file}.${process.pid}.partial`;
  try {
    closeSync(openSync(partial, 'wx', 0o600));
  } catch (error) {
    throw explainSqlite(file, error);
  }
  return partial;
}

export function nameFile(partial: string, file: string): void {
  syncToDisk(partial);
  refuseExisting(file);
  renameSync(partial, file);
  syncToDisk(dirname(file));
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
