import { type Context, defineCommand } from '../../command-line/command.ts';
import { createValFinder, withRecord } from '../../command-line/resolve-vals.ts';
import { text } from '../../command-line/value-types.ts';
import { NotFoundError } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { sh } from '../../lib/hint.ts';
import type { Result } from '../../output/out.ts';
import * as routes from '../../routes.ts';
import { runColumns } from '../shared/columns.ts';
import { paging, runFilter } from '../shared/options.ts';
import { findListedRun, mostSearched, readRunById } from './one-run.ts';
import { runViews, showRuns, summaryExplained } from './run-views.ts';

export const command = defineCommand({
  summary: 'List the runs of your vals, or show one run',
  description:
    'List the runs of your vals, or of one val. With the id of a run, or its first 8 characters, show that run with its ' +
    'whole error and what it printed.',
  details: `${summaryExplained} In a pipe, one run has the columns of a list, and by and logs after them.`,
  arguments: {
    run: {
      description: 'a val whose runs to list, or a run, by its id or the first 8 characters of it',
      value: { ...text('run|val'), isVal: true },
      optional: true,
    },
  },
  options: { ...runFilter, ...paging, ...runViews },
  examples: [
    'vals runs --error --since 2h',
    'vals runs hello --error',
    'vals runs --summary --since 7d',
    'vals runs --all --ndjson | jq -r .id',
  ],
  columns: runColumns,
  empty: 'No runs.',
  async run(context, { run: word, ...view }) {
    if (word === undefined) return showRuns(context, undefined, view);
    const ofVal = async () => showRuns(context, await valOf(context, word), view);
    // Only a list has such options, so the word is a val.
    const isList = Object.values({ ...view, full: undefined }).some((value) => value !== undefined);
    if (isList) return routes.looksLikeId(word) ? showRuns(context, { id: word, word }, view) : ofVal();
    for (const show of lookupsFor(context, word, ofVal)) {
      const shown = await unlessMissing(show);
      if (shown !== undefined) return shown;
    }
    const searched = mostSearched(word).toLocaleString('en');
    throw new NotFoundError(
      `There is no run ${word} among the newest ${searched}, and no val of that name.`,
      {
        hint: [sh`To list all runs, run ${['runs', '--all']}.`, sh`To list your vals, run ${['ls']}.`],
      },
    );
  },
});

type Show = () => Promise<Result | undefined>;

/** A word that could be a run and a val is the run. A search through the list of runs may be long, so it comes late. */
function lookupsFor(context: Context, word: string, ofVal: Show): Show[] {
  const listedRun = () => findListedRun(context, word);
  if (routes.looksLikeId(word)) return [() => readRunById(context, word), ofVal, listedRun];
  // The ids of runs have no letters beyond f.
  const isLikeIdOfRun = word === '' || /^[\da-f]{6}[\da-f-]*$/i.test(word);
  return isLikeIdOfRun ? [listedRun, ofVal] : [ofVal, listedRun];
}

async function unlessMissing(show: Show): Promise<Result | undefined> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** A whole id may be that of a run, so the val is read. */
const valOf = (context: Context, word: string): Promise<GivenVal> =>
  routes.looksLikeId(word) ? withRecord(context, { id: word, word }) : createValFinder(context)(word);
