import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import { column, moment } from '../../terminal/column.ts';
import { valArgument } from '../shared/options.ts';

export const versionLs = defineCommand({
  path: 'version ls',
  aliases: ['version list'],
  summary: 'List the versions of a val',
  arguments: { val: valArgument },
  examples: ['vals version ls 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11'],
  columns: [
    column('version'),
    moment('created', 'createdAt', 'runStartAt'),
    column('val', 'val_id', 'valId', 'val.id', 'id'),
  ],
  empty: 'No versions.',
  run: async ({ connect }, { val }) => (await connect()).pages(routes.listVersions(val)),
});
