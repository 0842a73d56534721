import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import { runColumns } from '../shared/columns.ts';
import { paging, runFilter, valArgument } from '../shared/options.ts';
import { runViews, showRuns, summaryExplained } from '../shared/run-views.ts';

export const valRuns = defineCommand({
  path: 'val runs',
  summary: 'List the runs of a val',
  description: `List the runs of a val. ${summaryExplained}`,
  arguments: { val: valArgument },
  options: { ...runFilter, ...paging, ...runViews },
  examples: [
    'vals val runs 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 --limit 5',
    'vals val runs 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 --error --since 2h',
    'vals val runs 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 --follow',
    'vals val runs 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 --summary',
  ],
  columns: runColumns,
  empty: 'No runs.',
  run: (context, { error, since, until, ...view }) =>
    showRuns(context, routes.valRuns(view.val), view, { error, since, until }),
});
