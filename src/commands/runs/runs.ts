import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import { text, val } from '../../cli/value-types.ts';
import { UsageError } from '../../errors.ts';
import { runColumns } from '../shared/columns.ts';
import { paging, runFilter } from '../shared/options.ts';
import { showRun } from './one-run.ts';
import { runViews, showRuns, summaryExplained } from './run-views.ts';

export const command = defineCommand({
  summary: 'List the runs of your vals, or show one run',
  description:
    'List the runs of your vals. With the id of a run, or its first 8 characters, show that run with its whole error ' +
    'and what it printed.',
  details: summaryExplained,
  arguments: {
    run: { description: 'the id of a run, or the beginning of its id', value: text('run'), optional: true },
  },
  options: {
    ...runFilter,
    val: { description: 'list only the runs of this val', value: val() },
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
  run: (context, { run, error, since, until, ...view }) => {
    const filter = { error, since, until };
    if (run !== undefined) {
      refuseListOptions({ ...filter, ...view, val: undefined, full: undefined });
      return showRun(context, run, view.val === undefined ? routes.myRuns({}) : routes.valRuns(view.val));
    }
    const runs =
      view.val === undefined
        ? { call: routes.myRuns(filter), filter, isFilteredByService: true }
        : { call: routes.valRuns(view.val), filter, isFilteredByService: false };
    return showRuns(context, runs, view);
  },
});

function refuseListOptions(options: Readonly<Record<string, unknown>>): void {
  if (Object.values(options).every((value) => value === undefined)) return;
  throw new UsageError(
    'The id of a run cannot be combined with options of the list, such as --limit or --error.',
    {
      hint: 'Omit the id, or omit these options.',
    },
  );
}
