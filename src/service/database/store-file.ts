import { chmodSync, closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from '../../core/errors.ts';
import { makeFolder } from '../../core/lib/make-folder.ts';
import { errnoOf } from '../../core/lib/system.ts';

export const otherFileHint =
  'Use another file. The embedded service keeps vals.db in the folder VALS_DATA_DIR.';

/** Makes the file if it is absent, for its owner alone, because the store contains a token. */
export function prepareStoreFile(file: string): string {
  makeFolder(dirname(file), 0o700);
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const path = realpathSync(file);
  const stats = statSync(path);
  if (!stats.isFile())
    throw new LocalError(`${path} is not a file, so it cannot be a store.`, { hint: otherFileHint });
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) {
    throw new LocalError(`${path} belongs to another user, who could read everything in the store.`, {
      hint: otherFileHint,
    });
  }
  return path;
}

export function restrictMode(path: string): void {
  if (statSync(path).mode & 0o077) chmodSync(path, 0o600);
}
