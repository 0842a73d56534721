import { defineCommand } from '../../../core/command-line/command.ts';
import { sh } from '../../../core/lib/hint.ts';
import { isObject, type JsonObject } from '../../../core/lib/json.ts';
import { column, idColumn } from '../../../core/output/column.ts';
import { allSpaces } from '../../store/spaces.ts';
import { withStore } from '../serve/people-and-spaces.ts';
import { existingPlaceOptions } from '../serve/store-place.ts';

export const command = defineCommand({
  summary: 'List the spaces of a service',
  description: 'List the spaces of a service, with the members and the number of vals of each space.',
  options: existingPlaceOptions,
  examples: ['vals space ls', 'vals space ls --json | jq -r ".[].username"'],
  columns: [
    column('username'),
    column('vals'),
    { ...column('members'), compute: membersText },
    idColumn('id'),
  ],
  empty: 'The service has no spaces yet.',
  run: (context, options) =>
    withStore(context, options, async ({ db }, { words }) => {
      const all = await allSpaces(db);
      if (all.length === 0)
        context.out.say({
          kind: 'hint',
          text: sh`To add a space, run ${['space', 'add', '<name>', ...words]}.`,
        });
      const rows = all.map(({ id, username, vals, members }) => ({
        ...{ id, username, vals },
        members: members.map(({ username, role }) => ({ username, role })),
      }));
      return { kind: 'list', rows };
    }),
});

function membersText({ members }: JsonObject): string {
  const all = Array.isArray(members) ? members.filter(isObject) : [];
  return all.map(({ username, role }) => `${username} (${role})`).join(', ');
}
