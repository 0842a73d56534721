import * as routes from '../api/routes.ts';
import { defineCommand, word } from '../cli/command.ts';
import { authorColumn, column, moment } from '../terminal/column.ts';
import { paging, timeRange } from './shared/options.ts';

export const comments = defineCommand({
  path: 'comments',
  summary: 'List the comments you gave or received',
  options: {
    relationship: word('--relationship <word>', 'whose comments', {
      choices: ['any', 'given', 'received'],
      default: 'any',
    }),
    ...timeRange,
    ...paging,
  },
  examples: [
    'vals comments --relationship received --since 7d',
    'vals comments --json | jq -r ".[].comment"',
  ],
  columns: [
    moment('created', 'createdAt'),
    authorColumn('author.username', 'author'),
    column('val', 'val.name', 'valName'),
    column('comment'),
    column('id'),
  ],
  empty: 'No comments.',
  async run({ connect }, { relationship = 'any', since, until, ...paging }) {
    return (await connect()).pages(routes.myComments({ relationship, since, until }), paging);
  },
});
