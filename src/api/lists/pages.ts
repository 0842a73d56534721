import type { Page } from '../../lib/page.ts';
import { createCursor, type FetchedPage, isSameQuery, type ListNotes, type Paging } from './cursor.ts';

/** Gives each record once. Requests pages ahead, so that the service works while the caller handles the current page. */
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
    // If the caller does not need this page any more, an error must not end the process.
    fetched.catch(() => {});
    ahead.push({ query, fetched });
  };
  request(cursor.firstQuery);
  for (let current = ahead.shift(); current !== undefined; current = ahead.shift()) {
    const fetched = await current.fetched;
    const page = cursor.takeNewRecords(fetched);
    const next = cursor.nextQuery(fetched, current.query);
    const countAhead = next === undefined ? 0 : cursor.countAhead(next);
    // The queries of the pages ahead are guesses. Pages with a wrong query are thrown away.
    if (countAhead === 0 || !isSameQuery(ahead[0]?.query, next)) ahead = [];
    if (next !== undefined && ahead.length === 0) request(next);
    while (ahead.length > 0 && ahead.length <= countAhead) request(cursor.queryAhead(ahead.length));
    // Node sends the requests in the next turn of the event loop. Without this wait, Node would send them only after the
    // caller has handled the page.
    await new Promise(setImmediate);
    // An empty page gives the caller a chance to stop.
    yield page ?? { records: [], isLarge: false };
  }
}
