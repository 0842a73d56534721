import { BadResponseError } from '../../errors.ts';
import type { Page } from '../../lib/page.ts';
import { createCursor, type FetchedPage, isSameQuery, type ListNotes, type Paging } from './cursor.ts';

export async function* listPages(
  fetchPage: (query: URLSearchParams) => Promise<FetchedPage>,
  filters: URLSearchParams,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<Page> {
  let isCircular = false;
  const circular = () => {
    isCircular = true;
    if (!paging?.mustBeWhole) notes.circular();
  };
  const cursor = createCursor(filters, paging, { ...notes, circular });
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
  if (isCircular && paging?.mustBeWhole) throw withoutEnd();
}

const withoutEnd = (): BadResponseError =>
  new BadResponseError('The service sent the same records of a list twice, so the list may be incomplete.', {
    hint: 'Ask the person who runs the service why the list does not end.',
  });
