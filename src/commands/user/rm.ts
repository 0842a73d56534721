import { defineCommand } from '../../cli/command.ts';
import { ConflictError } from '../../errors.ts';
import { column, idColumn } from '../../terminal/column.ts';
import {
  confirmRemoval,
  nobodyNamed,
  ownsVals,
  removedMeanwhile,
  removeWithoutAsking,
  usernameArgument,
  withStore,
} from '../serve/people-and-spaces.ts';
import { existingPlaceOptions } from '../serve/store-place.ts';
import { outcomeColumn } from '../shared/columns.ts';
import { yes } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'Remove a person',
  description:
    'Remove a person. The command asks first. The token of the person stops working. A person who owns vals is ' +
    'removed only with --with-vals, which deletes those vals too, with all their versions. If the command is ' +
    'interrupted, run the command again to delete the rest.',
  arguments: { username: usernameArgument },
  options: {
    ...existingPlaceOptions,
    yes,
    withVals: { description: 'delete the vals of the person too, with all versions' },
    dryRun: { description: 'remove nothing; print what would be removed' },
  },
  examples: ['vals user rm ada', 'vals user rm ada --with-vals --yes'],
  columns: [outcomeColumn, column('username'), idColumn('id')],
  run: (context, { username, yes, withVals = false, dryRun, ...options }) => {
    const asks = !yes && !dryRun;
    if (asks) context.prompt.expectTerminal(removeWithoutAsking);
    return withStore(context, options, async ({ people, owner }, place) => {
      const person = await people.named(username);
      if (!person) throw nobodyNamed(username, place);
      if (person.vals > 0 && !withVals) throw ownsVals(username);
      if (person.id === owner?.user.id) {
        throw new ConflictError(`${username} is the owner of the database file and cannot be removed.`, {
          hint: { text: 'To get a new token', command: 'user token', input: { username, ...place.input } },
        });
      }
      if (dryRun) return { kind: 'outcomes', rows: [{ id: person.id, username, status: 'planned' }] };
      if (asks) await confirmRemoval(context, username, person.vals);
      const outcome = await people.remove(username, { withVals, id: person.id });
      if (outcome === 'absent') throw removedMeanwhile(username);
      if (outcome === 'has vals') throw ownsVals(username);
      return { kind: 'outcomes', rows: [{ id: person.id, username, status: 'deleted' }] };
    });
  },
});
