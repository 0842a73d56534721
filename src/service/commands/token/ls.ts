import { defineCommand } from '../../../core/command-line/command.ts';
import { column, idColumn, moment } from '../../../core/output/column.ts';
import { listTokens } from './my-tokens.ts';

export const command = defineCommand({
  summary: 'List your tokens',
  description:
    'List your tokens: when each was made, when it was last used (to the minute), when it expires, what it may do (full, ' +
    "deploy or read), and the space that it works in. At the base URL of a space, only that space's tokens are listed.",
  examples: ['vals token ls', 'vals token ls --json | jq -r ".[].name"'],
  columns: [
    { ...column('name'), neverCut: true },
    column('space'),
    column('access'),
    { ...moment('made', 'createdAt'), droppable: 2 },
    { ...moment('used', 'lastUsedAt'), droppable: 3 },
    { ...moment('ends', 'expiresAt'), droppable: 4 },
    idColumn('id'),
  ],
  empty: 'You have no tokens here.',
  run: async (context) => ({ kind: 'list', rows: await listTokens(context) }),
});
