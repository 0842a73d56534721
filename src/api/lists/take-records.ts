import type { Page } from '../../lib/json.ts';
import { defaultLimit, type Paging } from './pages.ts';

/** Applies --limit and --offset here, to a list that is filtered here. */
export async function* takeRecords(
  pages: AsyncIterable<Page>,
  { all, limit = all ? Infinity : defaultLimit, offset = 0 }: Paging,
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
