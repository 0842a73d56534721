import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { parsedText } from '../../cli/value-types.ts';
import { ConflictError, DeclinedError, LocalError, NotFoundError, UsageError } from '../../errors.ts';
import type { Store } from '../../service/index.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { newStoreNote, type Place, type PlaceOptions, placeToOpen } from './store-place.ts';

export const usernameArgument = {
  description: 'the username of the person',
  value: parsedText('username', (text) => checkName(text, 'a username')),
};
export const spaceArgument = {
  description: 'the name of the space',
  value: parsedText('name', (text) => checkName(text, 'the name of a space')),
};

export const tokenColumns = [column('username'), idColumn('id'), { ...column('token'), neverCut: true }];

export async function withStore<Result>(
  context: Context,
  options: PlaceOptions,
  work: (store: Store, place: Place) => Promise<Result>,
): Promise<Result> {
  const { data } = options;
  if (data !== undefined && !existsSync(resolve(context.settings.cwd, data))) {
    throw new LocalError(`There is no database file at ${data}.`, {
      hint: [
        'Check the path.',
        { text: 'To create the file', command: 'user add', input: { data } },
        { text: 'To serve it', command: 'serve', input: { data } },
      ],
    });
  }
  return withStoreOrNew(context, options, work);
}

export async function withStoreOrNew<Result>(
  context: Context,
  options: PlaceOptions,
  work: (store: Store, place: Place) => Promise<Result>,
): Promise<Result> {
  const { openStore, DatabaseFailure } = await import('../../service/index.ts');
  const place = placeToOpen(context, options);
  const created = newStoreNote(options, place);
  const store = await openStore(place.location, {
    onEvent(event) {
      if (event.kind === 'upgraded') context.say({ kind: 'note', text: event.message });
    },
  });
  if (created !== undefined) context.say({ kind: 'note', text: created });
  try {
    return await work(store, place);
  } catch (error) {
    throw error instanceof DatabaseFailure ? store.explain(error) : error;
  } finally {
    await store.close();
  }
}

export function nobodyNamed(username: string, { name, input }: Place): NotFoundError {
  return new NotFoundError(`There is no user named ${username} in ${name}.`, {
    hint: { text: 'To list the users', command: 'user ls', input },
  });
}

export function noSpaceNamed(space: string, { name, input }: Place): NotFoundError {
  return new NotFoundError(`There is no space named ${space} in ${name}.`, {
    hint: { text: 'To list the spaces', command: 'space ls', input },
  });
}

export async function nameTaken(
  taken: string,
  wanted: 'space' | 'user',
  { spaces }: Store,
  { name, input }: Place,
): Promise<ConflictError> {
  const owner = (await spaces.named(taken)) ? 'space' : 'user';
  const nextSteps = {
    space: { text: 'To add members to the space', command: 'space grant', input: { name: taken, ...input } },
    user: {
      text: 'To give the user a new token',
      command: 'user token',
      input: { username: taken, ...input },
    },
  };
  return new ConflictError(`There is a ${owner} named ${taken} already in ${name}.`, {
    hint: ['Choose another name.', ...(owner === wanted ? [nextSteps[owner]] : [])],
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
  throw new DeclinedError('Nothing was removed.');
}

export const removeWithoutAsking = 'To remove without a question, add --yes.';

function checkName(text: string, kind: string): string {
  if (/^[a-z][a-z0-9_-]{0,38}$/.test(text)) return text;
  throw new UsageError(`"${text}" cannot be ${kind}.`, {
    hint: 'A name has up to 39 lowercase letters, digits, - or _, and begins with a letter.',
  });
}
