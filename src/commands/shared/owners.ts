import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { argument } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { loadService, type Store } from '../../cli/load-service.ts';
import { ConflictError, LocalError, NotFoundError, UsageError } from '../../errors.ts';
import { shell } from '../../lib/shell-command.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { storePlace } from './store-place.ts';

export const usernameArgument = argument('<username>', 'the username of the person', (text) =>
  checkName(text, 'a username'),
);
export const spaceArgument = argument('<name>', 'the name of the space', (text) =>
  checkName(text, 'the name of a space'),
);

export const tokenColumns = [column('username'), idColumn('id'), { ...column('token'), neverCut: true }];

interface PlaceGiven {
  database: string | undefined;
  data: string | undefined;
}

export async function withStore<Result>(
  context: Context,
  place: PlaceGiven,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { data } = place;
  if (data !== undefined && !existsSync(resolve(context.settings.cwd, data))) {
    throw new LocalError(`There is no database file at ${data}.`, {
      hint: 'Check the path. To create the file, run `vals user add`, `vals space add` or `vals serve`.',
    });
  }
  return withStoreOrNew(context, place, work);
}

export async function withStoreOrNew<Result>(
  context: Context,
  place: PlaceGiven,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { openStore, DatabaseFailure } = await loadService();
  const store = await openStore(storePlace(context, place));
  try {
    return await work(store);
  } catch (error) {
    throw error instanceof DatabaseFailure ? store.explain(error) : error;
  } finally {
    await store.close();
  }
}

export function onSameStore(command: string, { database, data }: PlaceGiven): string {
  if (data) return shell`vals ${command.split(' ')} --data ${data}`;
  // The address of a database must be left out, because the address may contain a password.
  return database ? `\`vals ${command} --database <address>\`` : `\`vals ${command}\``;
}

export function nobodyNamed(username: string, place: PlaceGiven): NotFoundError {
  return new NotFoundError(`There is no user named ${username}.`, {
    hint: `To list the users, run ${onSameStore('user ls', place)}.`,
  });
}

export function noSpaceNamed(name: string, place: PlaceGiven): NotFoundError {
  return new NotFoundError(`There is no space named ${name}.`, {
    hint: `To list the spaces, run ${onSameStore('space ls', place)}.`,
  });
}

export async function nameTaken(
  name: string,
  wanted: 'space' | 'user',
  { spaces }: Store,
  place: PlaceGiven,
): Promise<ConflictError> {
  const taken = (await spaces.named(name)) ? 'space' : 'user';
  const nextSteps = {
    space: `To add members to the space, run ${onSameStore(`space grant ${name} <username>`, place)}.`,
    user: `To give the user a new token, run ${onSameStore(`user token ${name}`, place)}.`,
  };
  return new ConflictError(`There is a ${taken} named ${name} already.`, {
    hint: ['Choose another name.', ...(taken === wanted ? [nextSteps[taken]] : [])].join(' '),
  });
}

export function ownsVals(name: string): ConflictError {
  return new ConflictError(`${name} was not removed, because ${name} still owns vals.`, {
    hint: `To delete the vals of ${name} too, with all their versions, add --with-vals.`,
  });
}

export function removedMeanwhile(name: string): NotFoundError {
  return new NotFoundError(`This command removed nothing, because another command removed ${name} first.`);
}

export async function confirmRemoval({ prompt }: Context, name: string, vals: number): Promise<void> {
  const along = vals === 0 ? '' : ` and ${vals === 1 ? '1 val' : `${vals} vals`}, with all versions`;
  if (await prompt.confirm(`Remove ${name}${along}?`, removeWithoutAsking)) return;
  throw new UsageError('Nothing was removed.');
}

export const removeWithoutAsking = 'To remove without a question, add --yes.';

function checkName(text: string, kind: string): string {
  if (/^[a-z][a-z0-9_-]{0,38}$/.test(text)) return text;
  throw new UsageError(`"${text}" cannot be ${kind}.`, {
    hint: 'A name has up to 39 lowercase letters, digits, - or _, and begins with a letter.',
  });
}
