// Reads a list page by page, and gives each record once. Requests the next pages while the caller writes the current page.
import type { Page } from '../../lib/page.ts';
import { createCursor, type FetchedPage, isSameQuery, type ListNotes, type Paging } from './cursor.ts';

/**
 * Requests pages before the caller needs them, so that the service works while the caller writes. Always requests the next
 * page, and also later pages if their offsets can be predicted. A page without a new record is given as an empty page, so
 * that the caller can stop.
 */
export async function* listPages(
  fetchPage: (query: URLSearchParams) => Promise<FetchedPage>,
  filters: URLSearchParams,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<Page> {
  const cursor = createCursor(filters, paging, notes);
  let ahead: { query: URLSearchParams; fetched: Promise<FetchedPage> }[] = [];
  const ask = (query: URLSearchParams) => {
    const fetched = fetchPage(query);
    // An error of a page that nobody needs any more must not end the process.
    fetched.catch(() => {});
    ahead.push({ query, fetched });
  };
  ask(cursor.first);
  for (let asked = ahead.shift(); asked !== undefined; asked = ahead.shift()) {
    const fetched = await asked.fetched;
    const page = cursor.take(fetched);
    const next = cursor.next(fetched, asked.query);
    const countAhead = next === undefined ? 0 : cursor.countAhead(next);
    // The offsets of the pages ahead were predicted. If the prediction was wrong, these pages are thrown away.
    if (countAhead === 0 || !isSameQuery(ahead[0]?.query, next)) ahead = [];
    if (next !== undefined && ahead.length === 0) ask(next);
    while (ahead.length > 0 && ahead.length <= countAhead) ask(cursor.queryAhead(ahead.length));
    // Requests leave and answers arrive only between two turns of the event loop.
    await new Promise(setImmediate);
    yield page ?? { records: [], isLarge: false };
  }
}
