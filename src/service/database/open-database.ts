import { arch, platform } from 'node:os';
import { LocalError } from '../../core/errors.ts';
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
  import('./sqlite.ts').catch((error) => {
    throw sqliteLoadError(error);
  });

export function sqliteLoadError(error: Error, system = { platform: platform(), arch: arch() }): Error {
  if (system.platform === 'win32' && system.arch === 'arm64') {
    return new LocalError('The embedded service needs SQLite, which has no build for Windows on ARM64.', {
      hint: 'Install Node for x64, which Windows on ARM64 can run, or use another service: `vals login`.',
      cause: error,
    });
  }
  return new LocalError(`The embedded service could not be loaded: ${error.message}`, {
    hint: 'Install vals again on this machine, with this version of Node.',
    cause: error,
  });
}
