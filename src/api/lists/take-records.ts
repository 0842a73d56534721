import type { Page } from '../../lib/json.ts';
import { defaultLimit, type Paging } from './pages.ts';

/** Applies --limit and --offset here, to a list that is filtered here. */
export async function* takeRecords(
  pages: AsyncIterable<Page>,
  { all, limit = all ? Infinity : defaultLimit, offset = 0 }: Paging,
): AsyncGenerator<Page> {
  let toSkip = offset;
  let left = limit;
  for await (const page of pages) {
    const skipped = Math.min(toSkip, page.records.length);
    const taken = Math.min(left, page.records.length - skipped);
    const records = page.records.slice(skipped, skipped + taken);
    const hasMore = skipped + taken < page.records.length;
    yield hasMore ? { records, end: 'more' } : { ...page, records };
    if (hasMore) return;
    toSkip -= skipped;
    left -= taken;
  }
}
