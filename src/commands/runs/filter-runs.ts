import type { RunFilter } from '../../api/routes.ts';
import { type Run, readRun } from '../../api/run-record.ts';
import type { Page } from '../../lib/json.ts';

export const isFiltered = ({ error, since, until }: RunFilter): boolean =>
  error !== undefined || since !== undefined || until !== undefined;

export async function* filterRuns(pages: AsyncIterable<Page>, filter: RunFilter): AsyncGenerator<Page> {
  // All pages must be read, because a service may send the runs in any order.
  for await (const { records } of pages) {
    yield { records: records.filter((record) => matches(readRun(record), filter)) };
  }
}

function matches({ failed, startedAt }: Run, { error, since, until }: RunFilter): boolean {
  if (error !== undefined && failed !== error) return false;
  if (since === undefined && until === undefined) return true;
  if (startedAt === undefined) return false;
  return (
    (since === undefined || startedAt > Date.parse(since)) &&
    (until === undefined || startedAt <= Date.parse(until))
  );
}

export async function* takeRecords(
  pages: AsyncIterable<Page>,
  { limit, offset = 0 }: { limit: number; offset?: number },
  onMore: () => void,
): AsyncGenerator<Page> {
  let toSkip = offset;
  let left = limit;
  for await (const { records } of pages) {
    const skipped = Math.min(toSkip, records.length);
    const taken = Math.min(left, records.length - skipped);
    if (taken > 0) yield { records: records.slice(skipped, skipped + taken) };
    toSkip -= skipped;
    left -= taken;
    if (skipped + taken < records.length) return onMore();
  }
}
