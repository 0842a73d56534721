// Which store a command opens.

import { resolve } from 'node:path';
import type { Context } from '../../../core/command-line/command.ts';
import { path, text } from '../../../core/command-line/value-types.ts';
import { LocalError, UsageError } from '../../../core/errors.ts';
import { sh } from '../../../core/lib/hint.ts';
import { existingStats } from '../../../core/lib/paths.ts';
import { isLoopback } from '../../../core/settings/addresses.ts';
import type { StoreLocation } from '../../start-service.ts';

export const placeOptions = {
  database: {
    description: 'a PostgreSQL database: postgres://user@host/name',
    value: text('url'),
    conflicts: ['data'],
  },
  data: { description: 'the SQLite file of the service; created if absent', value: path() },
};

export const existingPlaceOptions = {
  ...placeOptions,
  data: { description: 'the SQLite file', value: path() },
};

export interface PlaceOptions {
  database: string | undefined;
  data: string | undefined;
}

export interface Place {
  location: StoreLocation;
  /** For messages, without secrets. */
  name: string;
  /** What another command needs to use the same store. */
  words: readonly string[];
}

export function storePlace(
  { settings, host: { env } }: Pick<Context, 'settings' | 'host'>,
  { database, data }: PlaceOptions,
): Place {
  if (database !== undefined) {
    // A hint must not repeat the address, because the address may contain a password.
    return { ...placeOf(parseDatabase(database, '--database')), words: ['--database', '<url>'] };
  }
  if (data !== undefined) {
    if (isAddress(data)) {
      throw new UsageError('--data takes a file. The address of a database belongs in --database.', {
        hint: databaseHint,
      });
    }
    return { location: { file: resolve(settings.cwd, data) }, name: data, words: ['--data', data] };
  }
  if (env.VALS_DATABASE) return { ...placeOf(parseDatabase(env.VALS_DATABASE, 'VALS_DATABASE')), words: [] };
  return embeddedPlace(settings);
}

export function embeddedPlace({ dataFile: file, local }: Context['settings']): Place {
  return { location: { file }, name: file, words: local.source === '--local' ? ['--local'] : [] };
}

/** The store of a command that opens one itself. The embedded store must not be taken for that of the service in use. */
export function placeToOpen(context: Context, { database, data }: PlaceOptions): Place {
  if (database !== undefined || data !== undefined) return storePlace(context, { database, data });
  const {
    settings,
    host: { env },
  } = context;
  if (!settings.local.value && !env.VALS_DATABASE) refuseOtherService(settings);
  const place = settings.local.value ? embeddedPlace(settings) : storePlace(context, { database, data });
  if ('database' in place.location) context.out.say({ kind: 'note', text: `Using ${place.name}.` });
  else if (!isNewStore(place)) context.out.say({ kind: 'note', text: `Using the store ${place.name}.` });
  return place;
}

function refuseOtherService({ baseUrl }: Context['settings']): void {
  if (baseUrl === undefined || isLoopback(new URL(baseUrl.value.origin).hostname)) return;
  throw new UsageError(
    `This command opens a store directly, but the service in use is ${baseUrl.value.href} (${baseUrl.source}).`,
    {
      hint: 'Name the store of that service with --database or --data. For the embedded store of this machine, add --local.',
    },
  );
}

/** For what only reads or removes. It must not make a store where none is. */
export function requireStore(place: Place): void {
  if (!isNewStore(place)) return;
  const [option, ...value] = place.words;
  const words = option === '--data' ? [option, ...value] : [];
  throw new LocalError(`There is no store at ${place.name}.`, {
    hint: [
      option === '--data' ? 'Check the path.' : 'Name the store of a service with --data or --database.',
      sh`To create this one, run ${['serve', ...words]}.`,
    ],
  });
}

export const isNewStore = ({ location }: Place): boolean =>
  'file' in location && existingStats(location.file) === undefined;

/** Where a copy goes. `shown` is for the result, without a password. */
export function placeOfTarget(context: Pick<Context, 'settings'>, target: string): Place & { shown: string } {
  if (!isAddress(target)) {
    const file = resolve(context.settings.cwd, target);
    return { location: { file }, name: target, words: [], shown: target };
  }
  const address = parseDatabase(target, 'The target');
  const shown = new URL(address);
  if (shown.password !== '') shown.password = '***';
  if (shown.searchParams.has('password')) shown.searchParams.set('password', '***');
  return { ...placeOf(address), words: [], shown: shown.href };
}

const placeOf = (address: URL) => ({
  location: { database: address.href },
  name: `the database ${address.host}${address.pathname}`,
});

const isAddress = (text: string): boolean => /^(postgres(ql)?:|[a-z][a-z\d+.-]*:\/\/)/i.test(text);

/** In another one, what a message shows as the host or the database could be a part of the password. */
const isDatabase = ({ href, pathname }: URL): boolean =>
  /^postgres(ql)?:\/\/[^#]*$/.test(href) && /^(\/[^/@:]*)?$/.test(pathname);

const databaseHint =
  'Use an address such as postgres://user@host/name, and PGPASSWORD or ~/.pgpass for the password.';

function parseDatabase(text: string, source: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && isDatabase(url)) return url;
  // The message must not repeat the address, because the address may contain a password.
  throw new UsageError(`${source} is not the address of a PostgreSQL database.`, { hint: databaseHint });
}
