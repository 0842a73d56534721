import type { Page } from '../../lib/page.ts';
import { createCursor, type FetchedPage, isSameQuery, type ListNotes, type Paging } from './cursor.ts';

export async function* listPages(
  fetchPage: (query: URLSearchParams) => Promise<FetchedPage>,
  filters: URLSearchParams,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<Page> {
  const cursor = createCursor(filters, paging, notes);
  let ahead: { query: URLSearchParams; fetched: Promise<FetchedPage> }[] = [];
  const request = (query: URLSearchParams) => {
    const fetched = fetchPage(query);
    // Without `catch`, an error of a page that the caller does not need would end the process.
    fetched.catch(() => {});
    ahead.push({ query, fetched });
  };
  request(cursor.firstQuery);
  for (let current = ahead.shift(); current !== undefined; current = ahead.shift()) {
    const fetched = await current.fetched;
    const page = cursor.takeNewRecords(fetched);
    const next = cursor.nextQuery(fetched, current.query);
    const countAhead = next === undefined ? 0 : cursor.countAhead(next);
    if (countAhead === 0 || !isSameQuery(ahead[0]?.query, next)) ahead = [];
    if (next !== undefined && ahead.length === 0) request(next);
    while (ahead.length > 0 && ahead.length <= countAhead) request(cursor.queryAhead(ahead.length));
    // Without this wait, Node would send the requests for the next pages only after the caller has handled this page.
    await new Promise(setImmediate);
    yield page ?? { records: [], isLarge: false };
  }
}
