import { defineCommand, toggle } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { ConflictError, UsageError } from '../../errors.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { outcomeColumn } from '../shared/columns.ts';
import { yes } from '../shared/options.ts';
import { placeOptions } from '../shared/store-place.ts';
import { nobodyNamed, sameStore, usernameArgument, withPeople } from './people.ts';

export const command = defineCommand({
  summary: 'Remove a person',
  description:
    'Remove a person; their token ends with it. Asks first. It is refused while they own vals, unless --with-vals ' +
    'deletes these too, with all their versions.',
  arguments: { username: usernameArgument },
  options: {
    ...placeOptions,
    yes,
    withVals: toggle('--with-vals', 'delete their vals too, with all versions'),
  },
  examples: ['vals user rm ada', 'vals user rm ada --with-vals --yes'],
  columns: [outcomeColumn, column('username'), idColumn('id')],
  run: (context, { username, yes, withVals = false, ...place }) => {
    if (!yes) context.prompt.expectSomebody(instead);
    return withPeople(context, place, async (people) => {
      const person = await people.named(username);
      if (!person) throw nobodyNamed(username, place);
      if (person.vals > 0 && !withVals) throw ownsVals(username);
      if (!yes) await confirm(context, username, person.vals);
      const outcome = await people.remove(username, withVals);
      if (outcome === 'absent') throw nobodyNamed(username, place);
      if (outcome === 'has vals') throw ownsVals(username);
      if (outcome === 'owns the store') {
        throw new ConflictError(`${username} is the owner of this store, and stays.`, {
          hint: `For a new token: ${sameStore(`token ${username}`, place)}.`,
        });
      }
      return { kind: 'outcomes', rows: [{ id: person.id, username, status: 'deleted' }] };
    });
  },
});

const instead = 'Give --yes to remove them without being asked.';

function ownsVals(username: string): ConflictError {
  return new ConflictError(`${username} owns vals, so they stay.`, {
    hint: 'Give --with-vals to delete these too, with all their versions.',
  });
}

async function confirm({ prompt }: Context, username: string, vals: number): Promise<void> {
  const along = vals === 0 ? '' : `, and their ${vals === 1 ? 'val' : `${vals} vals`} with all versions`;
  if (await prompt.confirm(`Remove ${username}${along}?`, instead)) return;
  throw new UsageError('Nobody was removed.');
}
