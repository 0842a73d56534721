import * as routes from '../api/routes.ts';
import { defineCommand } from '../cli/command.ts';
import { column, idColumn } from '../terminal/column.ts';

export const command = defineCommand({
  summary: 'Show the user that you are signed in as',
  examples: ['vals me', 'vals me --json | jq -r .username'],
  columns: [
    ...[column('username'), idColumn('id'), column('email'), column('bio'), column('url')],
    column('actor', 'actor.username'),
  ],
  run: async ({ connect }) => ({ kind: 'record', record: await (await connect()).record(routes.me()) }),
});
