// A list as its pages: as many records as wanted, each once, the next pages asked for while this one is written.
import { freeWhereTaken } from '../../lib/garbage.ts';
import type { Rows } from '../../lib/rows.ts';
import { createCursor, isSameQuery, type ListNotes, type Page, type Paging } from './cursor.ts';

/** From here on a list is long. */
const manyPages = 20;

/**
 * Pages are asked for before those before them are given away, so that the service works while we write: the next
 * one always, and those after it where a long list lets us guess their offsets.
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
    // The failure of a page that is not wanted any more does not matter.
    page.catch(() => {});
    ahead.push({ query, page });
  };
  let pages = 0;
  ask(cursor.first);
  try {
    for (let asked = ahead.shift(); asked !== undefined; asked = ahead.shift()) {
      const page = await asked.page;
      if (++pages === manyPages) freeWhereTaken(true);
      const records = cursor.take(page);
      const next = cursor.next(page, asked.query);
      const guesses = next === undefined ? 0 : cursor.guessesAfter(next);
      if (guesses === 0 || !isSameQuery(ahead[0]?.query, next)) ahead = [];
      if (next !== undefined && ahead.length === 0) ask(next);
      while (ahead.length > 0 && ahead.length <= guesses) ask(cursor.guess(ahead.length));
      // The requests leave, and answers are heard, only between two turns.
      await new Promise(setImmediate);
      if (records !== undefined) yield records;
    }
  } finally {
    if (pages >= manyPages) freeWhereTaken(false);
  }
}
