import { defineCommand } from '../command-line/command.ts';
import { oneOf } from '../command-line/value-types.ts';
import { authorColumn, column, idColumn, longText, moment } from '../output/column.ts';
import * as routes from '../routes.ts';
import { paging, timeRange } from './shared/options.ts';

export const command = defineCommand({
  summary: 'List the comments you gave or received',
  options: {
    relationship: {
      description: 'whether you gave or received the comments',
      value: oneOf(['any', 'given', 'received']),
      default: 'any',
    },
    ...timeRange,
    ...paging,
  },
  examples: [
    'vals comments --relationship received --since 7d',
    'vals comments --json | jq -r ".[].comment"',
  ],
  columns: [
    { ...moment('created', 'createdAt'), droppable: 2 },
    { ...authorColumn('author.username', 'author'), droppable: 3 },
    column('val', 'val.name', 'valName'),
    longText('comment', [], 'To see whole comments, add --json.'),
    idColumn('id'),
  ],
  empty: 'No comments.',
  async run({ api: connect }, { relationship = 'any', since, until, ...paging }) {
    const api = await connect();
    return { kind: 'list', rows: api.pages(routes.myComments({ relationship, since, until }), paging) };
  },
});
