import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from '../../core/errors.ts';
import { errnoOf } from '../../core/lib/system.ts';

export const otherFileHint =
  'Use another file. The embedded service keeps vals.db in the folder VALS_DATA_DIR.';

const smallestDatabase = 512;

/** Makes the file if it is absent, for its owner alone, because it has everybody's code. */
export function prepareStoreFile(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const path = realpathSync(file);
  const stats = statSync(path);
  if (!stats.isFile())
    throw new LocalError(`${path} is not a file, so it cannot be a store.`, { hint: otherFileHint });
  // SQLite takes so small a file for an empty one, and would write over it.
  if (stats.size > 0 && stats.size < smallestDatabase) {
    throw new LocalError(`${path} is not a SQLite database.`, { hint: otherFileHint });
  }
  return path;
}

/** Whoever may only use a file of somebody else cannot change its mode. */
export function restrictMode(path: string): void {
  const { mode, uid } = statSync(path);
  const user = process.geteuid?.() ?? uid;
  if (mode & 0o077 && (user === uid || user === 0)) chmodSync(path, 0o600);
}
