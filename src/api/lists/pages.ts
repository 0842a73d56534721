// Reads a list page by page, and gives each record once. Requests the next pages while the caller writes this one.
import type { Rows } from '../../lib/rows.ts';
import { createCursor, isSameQuery, type ListNotes, type Page, type Paging } from './cursor.ts';

/**
 * Requests pages before the caller needs them, so that the service works while the caller writes: always the next page, and
 * the pages after it if their offsets can be predicted. A page without a new record is given too, empty, so that the caller
 * can stop.
 */
export async function* listPages(
  fetchPage: (query: URLSearchParams) => Promise<Page>,
  filters: URLSearchParams,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<Rows> {
  const cursor = createCursor(filters, paging, notes);
  let ahead: { query: URLSearchParams; page: Promise<Page> }[] = [];
  const ask = (query: URLSearchParams) => {
    const page = fetchPage(query);
    // A page that is no longer wanted may fail.
    page.catch(() => {});
    ahead.push({ query, page });
  };
  ask(cursor.first);
  for (let asked = ahead.shift(); asked !== undefined; asked = ahead.shift()) {
    const page = await asked.page;
    const records = cursor.take(page);
    const next = cursor.next(page, asked.query);
    const guesses = next === undefined ? 0 : cursor.guessesAfter(next);
    if (guesses === 0 || !isSameQuery(ahead[0]?.query, next)) ahead = [];
    if (next !== undefined && ahead.length === 0) ask(next);
    while (ahead.length > 0 && ahead.length <= guesses) ask(cursor.guess(ahead.length));
    // Requests leave and answers arrive only between two turns of the event loop.
    await new Promise(setImmediate);
    yield records ?? { records: [], isLarge: false };
  }
}
