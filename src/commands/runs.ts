import * as routes from '../api/routes.ts';
import { defineCommand, toggle, word } from '../cli/command.ts';
import { runColumns } from './shared/columns.ts';
import { paging, timeRange } from './shared/options.ts';
import { runViews, showRuns, summaryExplained } from './shared/run-views.ts';

export const runs = defineCommand({
  path: 'runs',
  summary: 'List the runs of your vals',
  description: `List the runs of your vals. ${summaryExplained}`,
  options: {
    error: toggle('--error', 'only failed runs', { negated: 'only runs that did not fail' }),
    ...timeRange,
    val: word('--val <val>', 'the runs of one val, as `vals val runs`', {
      conflicts: ['error', 'since', 'until'],
      isVal: true,
    }),
    ...paging,
    ...runViews,
  },
  examples: [
    'vals runs --error --since 2h',
    'vals runs --all --ndjson | jq -r .id',
    'vals runs --follow --error',
    'vals runs --summary --since 7d',
  ],
  columns: runColumns,
  empty: 'No runs.',
  run: (context, { error, since, until, ...view }) =>
    showRuns(
      context,
      view.val === undefined ? routes.myRuns({ error, since, until }) : routes.valRuns(view.val),
      view,
    ),
});
