import * as routes from '../../api/routes.ts';
import { argument, defineCommand } from '../../cli/command.ts';
import { jsonNumber } from '../../lib/json.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { outcomeColumn } from '../shared/columns.ts';
import { dryRun, valArgument, versionNumber, yes } from '../shared/options.ts';
import { removeBatch } from '../shared/remove.ts';

export const versionRm = defineCommand({
  path: 'version rm',
  aliases: ['version delete'],
  summary: 'Delete versions of a val',
  description: 'Delete versions of a val. Asks first.',
  arguments: { val: valArgument, versions: argument('<version...>', 'their numbers', versionNumber) },
  options: { yes, dryRun },
  examples: ['vals version rm 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 2 3 --yes'],
  columns: [outcomeColumn, column('version'), { ...idColumn('id'), impliedBy: 'val' }],
  run: (context, { val, versions, yes, dryRun }) =>
    removeBatch(context, versions, {
      question: (many) =>
        `Delete ${many.length === 1 ? `version ${many[0]}` : `the versions ${many.join(', ')}`} of the val ${context.wordFor(val) ?? val}?`,
      describe: (version) => ({ id: val, version: jsonNumber(version) }),
      route: (version) => routes.deleteVersion(val, version),
      concurrency: 'auto',
      yes,
      dryRun,
    }),
});
