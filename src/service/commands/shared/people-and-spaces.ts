// What the commands `user` and `space` have in common.

import { userInfo } from 'node:os';
import type { Context } from '../../../core/command-line/command.ts';
import { oneOf, parsedText } from '../../../core/command-line/value-types.ts';
import { yes } from '../../../core/commands/shared/options.ts';
import { confirmDeletion } from '../../../core/commands/shared/remove.ts';
import { ConflictError, NotFoundError, UsageError } from '../../../core/errors.ts';
import { type Hint, sh, someOf } from '../../../core/lib/hint.ts';
import { column, idColumn } from '../../../core/output/column.ts';
import type { Reader } from '../../database/database.ts';
import type { Store } from '../../start-service.ts';
import { type ListedOwner, ownerNamed, removeOwner, valNamesOf } from '../../store/owners.ts';
import { isAuthorName } from '../../store/people.ts';
import { logLine } from '../serve/report.ts';
import {
  existingPlaceOptions,
  isNewStore,
  type Place,
  type PlaceOptions,
  placeToOpen,
  requireStore,
} from './store-place.ts';

export const usernameArgument = {
  description: 'the username of the person',
  value: parsedText('username', (text) => checkName(text, 'a username')),
};
export const spaceArgument = {
  description: 'the name of the space',
  value: parsedText('name', (text) => checkName(text, 'the name of a space')),
};

export const logOption = {
  log: {
    description: 'write a line to stderr for the log of the service: who changed what',
    value: oneOf(['json'], 'format'),
  },
};

/** Only whoever keeps stderr has this line: a file, or the journal. */
export function logChange(
  { host: { env }, out }: Context,
  log: 'json' | undefined,
  words: readonly string[],
): void {
  if (log === undefined) return;
  const account = env.SUDO_USER === undefined ? accountName() : `${env.SUDO_USER} (sudo)`;
  const text = logLine('info', `${account}: ${words.join(' ')}`);
  out.say({ kind: 'lines', text, despite: 'pipe' });
}

/** In a container, the account may have no name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

export const tokenColumns = [column('username'), idColumn('id'), { ...column('token'), neverCut: true }];

export async function withStore<Result>(
  context: Context,
  options: PlaceOptions & { mayBeNew?: boolean },
  work: (store: Store, place: Place) => Promise<Result>,
): Promise<Result> {
  const place = placeToOpen(context, options);
  const isNew = isNewStore(place);
  if (!options.mayBeNew) requireStore(place);
  const { openStore, DatabaseFailure } = await import('../../start-service.ts');
  const store = await openStore(place.location);
  if (isNew) context.out.say({ kind: 'note', text: `Created the store ${place.name}.` });
  try {
    return await work(store, place);
  } catch (error) {
    throw error instanceof DatabaseFailure ? store.db.explain(error) : error;
  } finally {
    await store.close();
  }
}

/** What commands call an owner of vals. The store calls a user a person. */
type OwnerNoun = 'user' | 'space';

export const noneNamed = (noun: OwnerNoun, owner: string, { name, words }: Place): NotFoundError =>
  new NotFoundError(`There is no ${noun} named ${owner} in ${name}.`, {
    hint: sh`To list the ${noun}s, run ${[noun, 'ls', ...words]}.`,
  });

const kindOf = (noun: OwnerNoun) => (noun === 'user' ? 'person' : 'space');

/** A name belongs to a user or to a space. `instead` is what one may do with the one that was wanted. */
export async function nameTaken(
  { db }: Pick<Store, 'db'>,
  wanted: OwnerNoun,
  { name, place, instead }: { name: string; place: Place; instead: Hint },
): Promise<ConflictError> {
  const isWanted = await ownerNamed(db, name, kindOf(wanted));
  const other = wanted === 'user' ? 'space' : 'user';
  return new ConflictError(
    `There is a ${isWanted ? wanted : other} named ${name} already in ${place.name}.`,
    { hint: ['Choose another name.', ...(isWanted ? [instead] : [])] },
  );
}

/** Two owners of one name would be taken for each other. */
export async function refuseAuthorName(
  { db }: Pick<Store, 'db'>,
  name: string,
  reason: 'it is the same person' | 'you want the name all the same',
): Promise<void> {
  if (!(await isAuthorName(db, name))) return;
  throw new ConflictError(`Versions of vals still name ${name}, who was removed, as their author.`, {
    hint: `Choose another name, so that nobody takes one for the other. If ${reason}, add --again.`,
  });
}

export const removalOptions = {
  ...existingPlaceOptions,
  yes,
  withVals: { description: 'delete the vals too, with all versions' },
  dryRun: { description: 'remove nothing; print what would be removed' },
  ...logOption,
};

interface Removal extends PlaceOptions {
  name: string;
  yes: boolean | undefined;
  withVals: boolean | undefined;
  dryRun: boolean | undefined;
  log: 'json' | undefined;
}

/** Asks first, and returns the id of who was removed. */
export function removeUserOrSpace(
  context: Context,
  noun: OwnerNoun,
  { name, yes, withVals = false, dryRun, log, ...options }: Removal,
): Promise<string> {
  return withStore(context, options, async ({ db }, place) => {
    const kind = kindOf(noun);
    const found = await ownerNamed(db, name, kind);
    if (!found) throw noneNamed(noun, name, place);
    if (found.vals > 0 && !withVals) throw await stillOwnsVals(db, noun, found);
    const vals = found.vals === 1 ? '1 val' : `${found.vals} vals`;
    const all = found.vals === 0 ? name : `${name} and ${vals}, with all versions`;
    if (dryRun) {
      context.out.say({
        kind: 'note',
        text: `Nothing was removed. Without --dry-run, the command removes ${all}.`,
      });
      return found.id;
    }
    if (!yes) await confirmDeletion(context, async () => `Remove ${all}?`);
    const outcome = await removeOwner(db, name, kind, { withVals });
    if (outcome === 'absent') throw noneNamed(noun, name, place);
    if (outcome === 'has vals') throw await stillOwnsVals(db, noun, found);
    logChange(context, log, [noun, 'rm', name, ...(withVals ? ['--with-vals'] : [])]);
    return found.id;
  });
}

async function stillOwnsVals(
  db: Reader,
  noun: OwnerNoun,
  { id, username }: ListedOwner,
): Promise<ConflictError> {
  const names = someOf(await valNamesOf(db, id));
  const keep = `To keep the vals, first clone them with a token of ${username} (\`vals clone\`), and push that folder to a space.`;
  return new ConflictError(`${username} was not removed, because ${username} still owns ${names}.`, {
    hint: [
      ...(noun === 'user' ? [keep] : []),
      `To delete the vals of ${username} too, with all their versions, add --with-vals.`,
    ],
  });
}

function checkName(text: string, kind: string): string {
  if (/^[a-z][a-z0-9_-]{0,38}$/.test(text)) return text;
  throw new UsageError(`"${text}" cannot be ${kind}.`, {
    hint: 'A name has up to 39 lowercase letters, digits, - or _, and begins with a letter.',
  });
}
