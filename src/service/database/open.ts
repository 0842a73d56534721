// Opens a store's database. Only the driver in use is loaded.
import { arch, platform } from 'node:os';
import { LocalError, UsageError } from '../../errors.ts';
import { errnoOf } from '../../lib/errno.ts';
import type { Database, Place } from './database.ts';

export async function openDatabase(place: Place): Promise<Database> {
  if ('database' in place) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(place.database);
  }
  const { openSqlite } = await import('./sqlite.ts').catch((error) => {
    throw loadError(error);
  });
  return openSqlite(place.file);
}

/** SQLite is native code. */
export function loadError(error: Error, system = { platform: platform(), arch: arch() }): Error {
  if (errnoOf(error) === 'ERR_DLOPEN_DISABLED') {
    return new UsageError('This Node loads no native code, which the embedded service needs.', {
      hint: 'Remove --no-addons from NODE_OPTIONS; with --permission, add --allow-addons.',
    });
  }
  if (system.platform === 'win32' && system.arch === 'arm64') {
    return new LocalError('The embedded service needs SQLite, which has no build for Windows on ARM64.', {
      hint: 'Use a Node for x64, which Windows runs on ARM64 too, or a service elsewhere: `vals login`.',
      cause: error,
    });
  }
  return new LocalError(`The embedded service could not be loaded: ${error.message}`, {
    hint: 'Install vals again, on this machine and with this Node.',
    cause: error,
  });
}
