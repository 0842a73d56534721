import * as routes from '../api/routes.ts';
import { defineCommand } from '../cli/command.ts';
import { column, idColumn } from '../terminal/column.ts';

const columns = [column('username'), idColumn('id'), column('email'), column('bio'), column('url')];

export const command = defineCommand({
  summary: 'Show the user that you are signed in as',
  examples: ['vals me', 'vals me --json | jq -r .username'],
  columns,
  async run({ connect }) {
    const record = await (await connect()).record(routes.me());
    // Only a space has an actor: the person who uses it.
    const actor = record.actor === undefined ? [] : [column('actor', 'actor.username')];
    return { kind: 'record', record, columns: [...columns, ...actor] };
  },
});
