import type { Context, Options } from '../../command-line/command.ts';
import { refuseOneDocument } from '../../command-line/options.ts';
import { exitQuietly } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import type { Paging } from '../../http/lists/pages.ts';
import { takeRecords } from '../../http/lists/pages.ts';
import { type RunFacts, readRun } from '../../http/run-record.ts';
import type { Page } from '../../lib/json.ts';
import type { ListResult, Result } from '../../output/out.ts';
import * as routes from '../../routes.ts';
import { failedRunColumns, runColumns, summaryColumns } from '../shared/columns.ts';
import type { RunSummary } from './run-summary.ts';

const runsBeforeFollowing = 10;

export const summaryExplained =
  'The summary reads all runs and has a row for each val and version, the most failures first. Its columns are val, version, ' +
  'runs, failed, errors (the error rate), p50 and p95 (half and 95% of the runs took at most that long) and, at a terminal, ' +
  '"over time". A run that has not ended counts as a run, but not as a failure.';

export const runViews = {
  follow: {
    description: `show the last ${runsBeforeFollowing} runs (or --limit), then new runs as they arrive`,
    conflicts: ['summary', 'until', 'all', 'offset'],
    forPeople: true,
  },
  full: {
    description: 'at a terminal, show each run as a block with its whole error',
    forPeople: true,
    conflicts: ['summary'],
  },
  summary: {
    description: 'show counts, failures and durations per val and version',
    conflicts: ['limit', 'offset'],
  },
} as const satisfies Options;

export interface RunView extends Paging, routes.RunFilter {
  follow: boolean | undefined;
  summary: boolean | undefined;
  full: boolean | undefined;
}

/** The runs of a val, or else of all vals of the user. */
export async function showRuns(context: Context, val: GivenVal | undefined, view: RunView): Promise<Result> {
  const { follow, summary, full = false, error, since, until, ...paging } = view;
  if (follow) refuseOneDocument(context.flags, '--follow');
  const filter = { error, since, until };
  const api = await context.api();
  const call = val === undefined ? routes.myRuns(filter) : routes.valRuns(val, filter);
  const filtersHere = val !== undefined && Object.values(filter).some((value) => value !== undefined);
  const filtered = (pages: AsyncGenerator<Page>) => (filtersHere ? filterRuns(pages, filter) : pages);
  if (summary) {
    const { rows, total } = await summarize(context, filtered(api.pages(call, { all: true })), val?.id);
    return { kind: 'list', rows, columns: summaryColumns, total: rows.length > 1 ? total : undefined };
  }
  const columns = error ? failedRunColumns : runColumns;
  const layout: Omit<ListResult, 'kind' | 'rows'> = { columns, inBlocks: full };
  if (!follow) {
    if (!filtersHere) return { kind: 'list', rows: api.pages(call, paging), ...layout };
    // If the service has applied the filter, the first page is enough.
    const pages = api.pages(call, { all: true });
    return { kind: 'list', rows: takeRecords(filtered(pages), paging), ...layout };
  }
  context.out.say({ kind: 'progress', text: 'Waiting for runs. Press Ctrl-C to stop' });
  const pages = untilInterrupted(filtered(api.follow(call, paging.limit ?? runsBeforeFollowing)));
  return { kind: 'list', rows: pages, goesOn: true, ...layout };
}

async function* untilInterrupted(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    throw exitQuietly(error);
  }
}

async function summarize(
  { out: { say } }: Context,
  pages: AsyncIterable<Page>,
  defaultVal: string | undefined,
): Promise<{ rows: RunSummary[]; total: RunSummary }> {
  const { createRunSummary } = await import('./run-summary.ts');
  const summary = createRunSummary();
  let count = 0;
  for await (const { records } of pages) {
    for (const record of records) {
      const { valIdOrName, valNameOrId, ...run } = readRun(record);
      summary.add({ ...run, valKey: valIdOrName ?? defaultVal, valName: valNameOrId ?? defaultVal });
    }
    count += records.length;
    say({ kind: 'progress', text: `Reading runs: ${count}` });
  }
  return { rows: summary.rows(), total: summary.total() };
}

async function* filterRuns(pages: AsyncIterable<Page>, filter: routes.RunFilter): AsyncGenerator<Page> {
  // All pages must be read, because a service may send the runs in any order.
  for await (const page of pages) {
    yield { ...page, records: page.records.filter((record) => matches(readRun(record), filter)) };
  }
}

function matches({ failed, startedAt }: RunFacts, { error, since, until }: routes.RunFilter): boolean {
  if (error !== undefined && failed !== error) return false;
  if (since === undefined && until === undefined) return true;
  if (startedAt === undefined) return false;
  return (
    (since === undefined || startedAt > Date.parse(since)) &&
    (until === undefined || startedAt <= Date.parse(until))
  );
}
