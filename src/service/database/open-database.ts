import { LocalError } from '../../core/errors.ts';
import { errorMessageOf } from '../../core/lib/system.ts';
import type { Database, Snapshot, StoreLocation } from './database.ts';

export async function openDatabase(place: StoreLocation): Promise<Database> {
  if ('database' in place) return (await import('./postgres.ts')).openPostgres(place.database);
  return (await loadSqlite()).openSqlite(place.file);
}

export async function openSnapshot(place: StoreLocation): Promise<Snapshot> {
  if ('database' in place) return (await import('./postgres.ts')).openPostgresSnapshot(place.database);
  return (await loadSqlite()).openSqliteSnapshot(place.file);
}

const loadSqlite = () =>
  import('./sqlite.ts').catch((cause: Error) => {
    throw new LocalError(`The embedded service could not be loaded: ${errorMessageOf(cause)}`, {
      hint: 'Install vals again on this machine, with this version of Node.',
      cause,
    });
  });
