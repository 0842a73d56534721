import * as routes from '../api/routes.ts';
import { defineCommand, word } from '../cli/command.ts';
import { runColumns } from './shared/columns.ts';
import { paging, runFilter } from './shared/options.ts';
import { runViews, showRuns, summaryExplained } from './shared/run-views.ts';

export const command = defineCommand({
  summary: 'List the runs of your vals',
  details: summaryExplained,
  options: {
    ...runFilter,
    val: word('--val <val>', 'list only the runs of this val', { isVal: true }),
    ...paging,
    ...runViews,
  },
  examples: [
    'vals runs --error --since 2h',
    'vals runs --summary --since 7d',
    'vals runs --all --ndjson | jq -r .id',
  ],
  columns: runColumns,
  empty: 'No runs.',
  run: (context, { error, since, until, ...view }) => {
    const filter = { error, since, until };
    const runs =
      view.val === undefined
        ? { call: routes.myRuns(filter), filter, isFilteredByService: true }
        : { call: routes.valRuns(view.val), filter, isFilteredByService: false };
    return showRuns(context, runs, view);
  },
});
