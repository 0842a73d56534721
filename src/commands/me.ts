import * as routes from '../api/routes.ts';
import { column, defineCommand } from '../cli/command.ts';

export const me = defineCommand({
  path: 'me',
  summary: 'Show who you are to the service',
  examples: ['vals me', 'vals me --json | jq -r .username'],
  columns: [column('username'), column('id'), column('email'), column('bio'), column('url')],
  run: async ({ connect }) => (await connect()).record(routes.me()),
});
