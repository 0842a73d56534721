import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { createResolver } from '../../cli/resolve-vals.ts';
import { text, val } from '../../cli/value-types.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import type { Result } from '../../terminal/result.ts';
import { runColumns } from '../shared/columns.ts';
import { paging, runFilter } from '../shared/options.ts';
import { showRun } from './one-run.ts';
import { type RunView, runViews, showRuns, summaryExplained } from './run-views.ts';

export const command = defineCommand({
  summary: 'List the runs of your vals, or show one run',
  description:
    'List the runs of your vals, or of one val. With the id of a run, or its first 8 characters, show that run with its ' +
    'whole error and what it printed.',
  details: summaryExplained,
  arguments: {
    run: {
      description: 'a run, by its id or the first 8 characters of it, or a val whose runs to list',
      value: { ...text('run|val'), offers: ['runs', 'vals'] },
      optional: true,
    },
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
  async run(context, { run: word, val, error, since, until, ...view }) {
    const filter = { error, since, until };
    if (word === undefined) return listRuns(context, val, filter, view);
    const showOne = () => showRun(context, word, val === undefined ? routes.myRuns({}) : routes.valRuns(val));
    const listOfVal = async () => listRuns(context, await findVal(context, word), filter, view);
    const isList = Object.values({ ...filter, ...view, full: undefined }).some(
      (value) => value !== undefined,
    );
    if (isList && (val !== undefined || routes.looksLikeId(word))) throw notWithOneRun();
    if (isList) return listOfVal();
    if (val !== undefined) return showOne();
    const [first, second] = isLikeIdOfRun(word) ? [showOne, listOfVal] : [listOfVal, showOne];
    return (await unlessMissing(first)) ?? (await unlessMissing(second)) ?? Promise.reject(neither(word));
  },
});

/** The ids of runs have no letters beyond f. A word that could be a run and a val is the run. */
const isLikeIdOfRun = (word: string): boolean =>
  word === '' || routes.looksLikeId(word) || /^[\da-f]{6}[\da-f-]*$/i.test(word);

async function unlessMissing(show: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

const neither = (word: string): NotFoundError =>
  new NotFoundError(`There is no run ${word}, and no val of that name.`, {
    hint: [
      { text: 'To list the runs', command: 'runs' },
      { text: 'To list your vals', command: 'ls' },
    ],
  });

async function findVal(context: Context, word: string): Promise<string> {
  if (routes.looksLikeId(word)) {
    await context.givenVals.readSummary(word);
    return word;
  }
  const identify = await createResolver(context, { isForWriting: false, confirmsListedVals: false });
  return (await identify(word)).id;
}

async function listRuns(
  context: Context,
  val: string | undefined,
  filter: routes.RunFilter,
  view: RunView,
): Promise<Result> {
  const runs =
    val === undefined
      ? { call: routes.myRuns(filter), filter, isFilteredByService: true }
      : { call: routes.valRuns(val), filter, isFilteredByService: false };
  return showRuns(context, runs, { ...view, val });
}

const notWithOneRun = (): UsageError =>
  new UsageError('The id of a run cannot be combined with options of the list, such as --limit or --error.', {
    hint: 'Omit these options. To list the runs of a val, give the val with --val.',
  });
