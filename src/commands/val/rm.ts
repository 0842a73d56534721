import * as routes from '../../api/routes.ts';
import { defineCommand, val } from '../../cli/command.ts';
import { idColumn } from '../../terminal/column.ts';
import { outcomeColumn } from '../shared/columns.ts';
import { dryRun, yes } from '../shared/options.ts';
import { removeBatch } from '../shared/remove.ts';

export const valRm = defineCommand({
  path: 'val rm',
  aliases: ['val delete'],
  summary: 'Delete vals, with all their versions',
  description: 'Delete vals, with all their versions. Asks first.',
  arguments: { vals: val('<val...>', "the vals' ids, or in a workspace their names or files") },
  options: { yes, dryRun },
  examples: ['vals val rm 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 --yes'],
  columns: [outcomeColumn, idColumn('id')],
  run(context, { vals, yes, dryRun }) {
    const label = (id: string) => {
      const word = context.wordFor(id);
      return word === undefined ? id : `${word} (${id})`;
    };
    return removeBatch(context, vals, {
      question: (many) =>
        many.length === 1
          ? `Delete the val ${label(many[0] ?? '')}, with all its versions?`
          : `Delete these ${many.length} vals, with all their versions: ${many.map(label).join(', ')}?`,
      describe: (id) => ({ id }),
      route: routes.deleteVal,
      // What was deleted by mistake can be stopped after the first.
      concurrency: 1,
      yes,
      dryRun,
    });
  },
});
