import { existsSync, realpathSync } from 'node:fs';
import { LocalError } from '../../core/errors.ts';
import type { StoreLocation } from '../database/database.ts';
import { explainSqlite } from '../database/sqlite-query.ts';
import { digestOfLocalToken } from '../store/store-owner.ts';
import type { BackupCounts, BackupOptions } from './tables.ts';

/** Whether a program has the store open, or was killed while it had: only then is SQLite's log there. */
export const hasLog = (file: string): boolean => existsSync(file) && existsSync(`${realpathSync(file)}-wal`);

/** Copies a store in a file as it is at one moment, and only reads it. Other processes may go on writing to it. */
export async function backupStore(
  from: string,
  to: StoreLocation,
  given: Omit<BackupOptions, 'localToken'>,
): Promise<BackupCounts> {
  const { openSnapshot } = await import('../database/sqlite.ts');
  const source = existsSync(from) ? openSnapshot(from) : undefined;
  try {
    if (!source || source.isNew) {
      throw new LocalError(`There is nothing to copy: ${from} has no store.`, {
        hint: 'Name the file with --data.',
      });
    }
    const options = { ...given, localToken: digestOfLocalToken(from) };
    if ('file' in to) {
      const { copyFile } = await import('./copy-file.ts');
      return await copyFile(from, to.file, options);
    }
    const { copyToPostgres } = await import('./copy-to-postgres.ts');
    return await copyToPostgres(source.query, to.database, options);
  } catch (error) {
    throw explainSqlite(from, error);
  } finally {
    source?.close();
  }
}
