import { defineCommand } from '../command-line/command.ts';
import { authorColumn, column, idColumn, moment } from '../output/column.ts';
import * as routes from '../routes.ts';

export const command = defineCommand({
  summary: 'List the vals that depend on your vals',
  examples: ['vals refs', 'vals refs --fields reference.name,dependsOn.name'],
  columns: [
    column('reference', 'reference.name', 'reference.id'),
    column('depends on', 'dependsOn.name', 'dependsOn.id'),
    {
      ...authorColumn('reference.author.username', 'reference.username', 'reference.author'),
      droppable: 3,
    },
    { ...moment('since', 'referencedAt'), droppable: 2 },
    idColumn('id', 'reference.id'),
  ],
  empty: 'No vals depend on your vals.',
  run: async ({ api: connect }) => ({ kind: 'list', rows: (await connect()).pages(routes.myReferences()) }),
});
