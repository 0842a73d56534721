import type { RunFilter } from '../../api/routes.ts';
import { type RunRecord, readRun } from '../../api/run-record.ts';
import type { Page } from '../../lib/json.ts';

export const isFiltered = ({ error, since, until }: RunFilter): boolean =>
  error !== undefined || since !== undefined || until !== undefined;

export async function* filterRuns(pages: AsyncIterable<Page>, filter: RunFilter): AsyncGenerator<Page> {
  // All pages must be read, because a service may send the runs in any order.
  for await (const page of pages) {
    yield { ...page, records: page.records.filter((record) => matches(readRun(record), filter)) };
  }
}

function matches({ failed, startedAt }: RunRecord, { error, since, until }: RunFilter): boolean {
  if (error !== undefined && failed !== error) return false;
  if (since === undefined && until === undefined) return true;
  if (startedAt === undefined) return false;
  return (
    (since === undefined || startedAt > Date.parse(since)) &&
    (until === undefined || startedAt <= Date.parse(until))
  );
}
