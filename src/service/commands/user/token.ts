import { type Context, defineCommand } from '../../../core/command-line/command.ts';
import { text } from '../../../core/command-line/value-types.ts';
import { outcomeColumn } from '../../../core/commands/shared/columns.ts';
import { yes } from '../../../core/commands/shared/options.ts';
import { confirmDeletion } from '../../../core/commands/shared/remove.ts';
import { NotFoundError, UsageError } from '../../../core/errors.ts';
import { sh } from '../../../core/lib/hint.ts';
import { column, idColumn } from '../../../core/output/column.ts';
import type { Result } from '../../../core/output/out.ts';
import type { Store } from '../../start-service.ts';
import { ownerNamed } from '../../store/owners.ts';
import { renewToken } from '../../store/people.ts';
import { endTokenOf, type ListedToken, tokensOf } from '../../store/tokens.ts';
import {
  logChange,
  logOption,
  noneNamed,
  tokenColumns,
  usernameArgument,
  withStore,
} from '../shared/people-and-spaces.ts';
import { existingPlaceOptions, type Place } from '../shared/store-place.ts';

export const command = defineCommand({
  summary: 'Give a person a new token, and end all earlier ones',
  description:
    'Give a person a new token, and print it. It is shown only once. ' +
    'All earlier tokens of the person end immediately, in every service that uses the same database, ' +
    'and with them the sessions of browsers. With --end, only the token of that name ends, and no new one is made.',
  arguments: { username: usernameArgument },
  options: {
    ...existingPlaceOptions,
    end: { description: 'end only this token: its name as `vals user ls` shows it', value: text('token') },
    yes,
    ...logOption,
  },
  examples: [
    'vals user token ada',
    'vals user token ada --json | jq -r .token',
    'vals user token ada --end ci',
  ],
  columns: tokenColumns,
  run: (context, { username, end, yes, log, ...options }) =>
    withStore(context, options, async (store, place) => {
      if (end !== undefined) return endOne(context, store, place, { username, word: end, yes, log });
      const renewed = await renewToken(store, username);
      if (!renewed) throw noneNamed('user', username, place);
      logChange(context, log, ['user', 'token', username]);
      context.out.say({ kind: 'done', text: `${username} has a new token. All earlier ones have ended.` });
      return { kind: 'record', record: { ...renewed.user, token: renewed.token } };
    }),
});

interface End {
  username: string;
  word: string;
  yes: boolean | undefined;
  log: 'json' | undefined;
}

async function endOne(context: Context, { db }: Store, place: Place, given: End): Promise<Result> {
  const { username, word, yes, log } = given;
  const user = await ownerNamed(db, username, 'person');
  if (!user) throw noneNamed('user', username, place);
  const token = findToken(await tokensOf(db, { owner: user, actor: user }), word);
  if (!token) {
    throw new NotFoundError(`${username} has no token named ${word}.`, {
      hint: sh`To list the tokens of each person, run ${['user', 'ls', ...place.words]}.`,
    });
  }
  const { id, name, space } = token;
  const described = space === null ? `the token ${name}` : `the token ${name} for the space ${space}`;
  if (!yes) await confirmDeletion(context, async () => `End ${described} of ${username}?`);
  await endTokenOf(db, user, id);
  logChange(context, log, ['user', 'token', username, '--end', id, `(${name})`]);
  context.out.say({ kind: 'done', text: `Ended ${described} of ${username}.` });
  const columns = [outcomeColumn, column('name'), idColumn('id')];
  return { kind: 'list', rows: [{ id, name, status: 'deleted' }], columns };
}

/** A person may have a token of the same name for each of their spaces. */
function findToken(tokens: readonly ListedToken[], word: string): ListedToken | undefined {
  const found = tokens.filter(({ id, name }) => name === word || id === word);
  if (found.length < 2) return found[0];
  const each = found.map(({ id, space }) => (space === null ? id : `${id} (for the space ${space})`));
  throw new UsageError(`There are ${found.length} tokens named ${word}: ${each.join(', ')}.`, {
    hint: 'Give the id of the token.',
  });
}
