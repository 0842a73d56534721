// What the commands for people share: the store that they work on, and what a username is.
import { argument } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { loadService, type Store } from '../../cli/load-service.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { shell } from '../../lib/shell-command.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { storePlace } from '../shared/store-place.ts';

export const usernameArgument = argument('<username>', 'their name', checkUsername);

export const tokenColumns = [column('username'), idColumn('id'), { ...column('token'), neverCut: true }];

interface PlaceGiven {
  database: string | undefined;
  data: string | undefined;
}

/** Opens the store, and closes it whatever happens. */
export async function withPeople<Result>(
  context: Context,
  place: PlaceGiven,
  work: (people: Store['users']) => Promise<Result>,
): Promise<Result> {
  const { openStore, DatabaseFailure } = await loadService();
  const store = await openStore(storePlace(context, place));
  try {
    return await work(store.users);
  } catch (error) {
    throw error instanceof DatabaseFailure ? store.explain(error) : error;
  } finally {
    await store.close();
  }
}

/** A command on the same store, without the address, which may hold a password. */
export function sameStore(command: string, { database, data }: PlaceGiven): string {
  if (data) return shell`vals user ${command.split(' ')} --data ${data}`;
  return database ? `\`vals user ${command} --database <address>\`` : `\`vals user ${command}\``;
}

export function nobodyNamed(username: string, place: PlaceGiven): NotFoundError {
  return new NotFoundError(`There is nobody named ${username}.`, {
    hint: `${sameStore('ls', place)} lists who there is.`,
  });
}

function checkUsername(text: string): string {
  if (/^[a-z][a-z0-9_-]{0,38}$/.test(text)) return text;
  throw new UsageError(`"${text}" cannot be a username.`, {
    hint: 'It starts with a small letter and has up to 39 small letters, digits, - or _.',
  });
}
