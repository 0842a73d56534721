import { arch, platform } from 'node:os';
import { LocalError } from '../../errors.ts';
import type { Database, StoreLocation } from './database.ts';

export async function openDatabase(place: StoreLocation): Promise<Database> {
  if ('database' in place) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(place.database);
  }
  const { openSqlite } = await import('./sqlite.ts').catch((error) => {
    throw sqliteLoadError(error);
  });
  return openSqlite(place.file);
}

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
