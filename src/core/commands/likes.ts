import { defineCommand } from '../command-line/command.ts';
import * as routes from '../routes.ts';
import { valColumns } from './shared/columns.ts';
import { paging } from './shared/options.ts';

export const command = defineCommand({
  summary: 'List the vals you liked',
  options: paging,
  examples: ['vals likes', 'vals likes --all --json | jq -r ".[].name"'],
  columns: valColumns,
  empty: 'You have liked no vals yet.',
  run: async ({ api: connect }, paging) => ({
    kind: 'list',
    rows: (await connect()).pages(routes.myLikes(), paging),
  }),
});
