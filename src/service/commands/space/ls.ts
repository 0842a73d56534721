import { defineCommand } from '../../../core/command-line/command.ts';
import { sh } from '../../../core/lib/hint.ts';
import { isObject, type JsonObject } from '../../../core/lib/json.ts';
import { column, idColumn, longText } from '../../../core/output/column.ts';
import { allSpaces } from '../../store/spaces.ts';
import { noneNamed, spaceArgument, withStore } from '../shared/people-and-spaces.ts';
import { existingPlaceOptions } from '../shared/store-place.ts';

export const command = defineCommand({
  summary: 'List the spaces of a service, or the members of one',
  description:
    'List the spaces of a service, with the members and the number of vals of each space. With the name of a space, ' +
    'show that one with all its members.',
  arguments: { name: { ...spaceArgument, optional: true } },
  options: existingPlaceOptions,
  examples: ['vals space ls', 'vals space ls acme', 'vals space ls --json | jq -r ".[].username"'],
  columns: [
    column('username'),
    column('vals'),
    { ...longText('members', [], []), compute: membersText },
    idColumn('id'),
  ],
  run: (context, { name, ...options }) =>
    withStore(context, options, async ({ db }, place) => {
      const all = (await allSpaces(db)).filter(({ username }) => name === undefined || username === name);
      if (name !== undefined && all.length === 0) throw noneNamed('space', name, place);
      const rows = all.map(({ createdAt: _, ...space }) => space);
      const addSpace = ['space', 'add', '<name>', ...place.words];
      const emptyHint = sh`The service has no spaces yet. To add one, run ${addSpace}.`;
      return { kind: 'list', rows, emptyHint, inBlocks: name !== undefined && context.out.forPerson };
    }),
});

function membersText({ members }: JsonObject): string {
  const all = Array.isArray(members) ? members.filter(isObject) : [];
  return all.map(({ username, role }) => `${username} (${role})`).join(', ');
}
