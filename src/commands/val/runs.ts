import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import { runViews, showRuns, summaryExplained } from '../runs/run-views.ts';
import { runColumns } from '../shared/columns.ts';
import { paging, runFilter, valArgument } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'List the runs of a val',
  details: summaryExplained,
  arguments: { val: valArgument },
  options: { ...runFilter, ...paging, ...runViews },
  examples: ['vals val runs hello --error --since 2h'],
  columns: runColumns,
  empty: 'No runs.',
  run: (context, { error, since, until, ...view }) => {
    const filter = { error, since, until };
    return showRuns(context, { call: routes.valRuns(view.val), filter, isFilteredByService: false }, view);
  },
});
