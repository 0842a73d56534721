import { defineCommand } from '../../../core/command-line/command.ts';
import { sh } from '../../../core/lib/hint.ts';
import { column, idColumn, moment } from '../../../core/output/column.ts';
import { listOwners } from '../../store/owners.ts';
import { withStore } from '../serve/people-and-spaces.ts';
import { existingPlaceOptions } from '../serve/store-place.ts';

export const command = defineCommand({
  summary: 'List the people of a service',
  description:
    'List the people of a service, sorted by username, with the number of vals that each person owns.',
  options: existingPlaceOptions,
  examples: ['vals user ls', 'vals user ls --json | jq -r ".[].username"'],
  columns: [column('username'), column('vals'), moment('added', 'createdAt'), idColumn('id')],
  empty: 'The service has no users yet.',
  run: (context, options) =>
    withStore(context, options, async ({ db }, { words }) => {
      const all = await listOwners(db, 'person');
      if (all.length === 0)
        context.out.say({
          kind: 'hint',
          text: sh`To add a user, run ${['user', 'add', '<username>', ...words]}.`,
        });
      const rows = all.map(({ id, username, createdAt, vals }) => ({ id, username, createdAt, vals }));
      return { kind: 'list', rows };
    }),
});
