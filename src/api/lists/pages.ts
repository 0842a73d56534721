import { type JsonObject, type Page, stringifyJson, textOf } from '../../lib/json.ts';

export interface Paging {
  limit?: number;
  offset?: number;
  all?: boolean;
  /** Request no page before it is needed. */
  onDemand?: boolean;
}

export interface FetchedPage {
  records: readonly JsonObject[];
  /** `next` is null at the end of the list, and undefined if the service sends no links. */
  next: URLSearchParams | null | undefined;
}

export type FetchPage = (query: URLSearchParams) => Promise<FetchedPage>;

export interface ListOptions {
  fetchPage: FetchPage;
  filters: URLSearchParams;
  /** Without paging, the first request has no limit and no offset. */
  paging: Paging | undefined;
  /** The records of some lists have no id, or all have the id of their val. */
  recordsHaveIds: boolean;
}

export const defaultLimit = 20;
export const largestPage = 100;

/** While records arrive, an honest list can show the same page several times in a row. */
export const mostPagesWithoutNews = 20;

export async function* listPages(options: ListOptions): AsyncGenerator<Page> {
  const { filters, paging } = options;
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  const lookAhead = createLookAhead(options.fetchPage);
  const progress = createProgress(options.recordsHaveIds);
  let offset = paging?.offset ?? 0;
  let yielded = 0;
  let query: URLSearchParams | undefined = paging === undefined ? filters : atOffset(offset);

  while (query !== undefined) {
    const { records, next } = await lookAhead.take(query);
    const fresh = progress.newAmong(records);
    const chosen = fresh.slice(0, wanted - yielded);
    yielded += chosen.length;
    offset += records.length;
    const isDone = yielded === wanted;
    const hasMore = chosen.length < fresh.length || Boolean(next);
    const following: URLSearchParams | undefined = isDone ? undefined : queryAfter(records, next);
    const isStuck = following !== undefined && progress.pagesWithoutNews() >= mostPagesWithoutNews;
    query = isStuck ? undefined : following;
    if (query !== undefined && !paging?.onDemand) requestAhead(query, fresh.length);
    // Without this wait, Node would send the requests for the next pages only after the caller has handled this page.
    await new Promise(setImmediate);
    if (isStuck) yield { records: chosen, end: 'stuck' };
    else if (isDone && hasMore) yield { records: chosen, end: 'more' };
    // A service without links does not say whether the list goes on.
    else if (isDone && next === undefined) yield { records: chosen, end: 'maybe' };
    else yield { records: chosen };
  }

  function queryAfter(
    records: readonly JsonObject[],
    next: URLSearchParams | null | undefined,
  ): URLSearchParams | undefined {
    if (next === null) return undefined;
    if (next !== undefined && leadsToNextPage(next, filters)) return queryOfLink(next);
    const isWholeList = paging === undefined && next === undefined;
    return isWholeList || records.length === 0 ? undefined : atOffset(offset);
  }

  /** Offsets of later pages can be guessed, as long as each page is full of new records. */
  function requestAhead(query: URLSearchParams, newRecords: number): void {
    const mayGuess = newRecords === largestPage && sorted(query) === sorted(atOffset(offset));
    const pagesLeft = Math.ceil((wanted - yielded) / largestPage) - 1;
    const guesses = Array.from({ length: mayGuess ? Math.min(mostPagesAhead, pagesLeft) : 0 }, (_, index) =>
      atOffset(offset + (index + 1) * largestPage, (index + 1) * largestPage),
    );
    lookAhead.request(query, guesses);
  }

  function atOffset(position: number, skipped = 0): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(Math.min(largestPage, wanted - yielded - skipped)));
    query.set('offset', String(position));
    return query;
  }

  function queryOfLink(link: URLSearchParams): URLSearchParams {
    const query = new URLSearchParams(link);
    for (const [key, value] of filters) if (!query.has(key)) query.set(key, value);
    if (paging === undefined) return query;
    const limit = query.has('offset') ? wanted - yielded : Number(query.get('limit')) || largestPage;
    query.set('limit', String(Math.min(limit, largestPage)));
    return query;
  }
}

const leadsToNextPage = (link: URLSearchParams, filters: URLSearchParams): boolean =>
  [...link].some(([key, value]) => key !== 'limit' && filters.get(key) !== value);

/** Finds the records that were not yielded yet, and notices a list that does not go on. */
function createProgress(recordsHaveIds: boolean) {
  const seen = new RecentKeys();
  let pagesWithoutNews = 0;

  const idOf = (record: JsonObject): string | undefined => (recordsHaveIds ? textOf(record.id) : undefined);
  const keyOf = (record: JsonObject): string => idOf(record) ?? stringifyJson(record);

  return {
    newAmong(records: readonly JsonObject[]): JsonObject[] {
      const fresh = records.filter((record) => {
        const key = keyOf(record);
        if (seen.has(key)) return false;
        // Two records without ids can be alike on one page.
        if (idOf(record) !== undefined) seen.add(key);
        return true;
      });
      for (const record of fresh) if (idOf(record) === undefined) seen.add(keyOf(record));
      pagesWithoutNews = fresh.length > 0 ? 0 : pagesWithoutNews + 1;
      return fresh;
    },
    pagesWithoutNews: () => pagesWithoutNews,
  };
}

const leastRemembered = 10_000;

/** Remembers the keys of the last records, so that a list of any length needs little memory. */
export class RecentKeys {
  #younger = new Set<string>();
  #older = new Set<string>();

  has(key: string): boolean {
    return this.#younger.has(key) || this.#older.has(key);
  }

  add(key: string): void {
    this.#younger.add(key);
    if (this.#younger.size < leastRemembered) return;
    this.#older = this.#younger;
    this.#younger = new Set();
  }
}

const mostPagesAhead = 3;
const fullPagesPerPageAhead = 4;

/** Requests up to four pages at a time, which is up to four times as fast if each page takes the service a while. */
function createLookAhead(fetchPage: FetchPage) {
  let requested: { key: string; page: Promise<FetchedPage> }[] = [];
  let fullPages = 0;

  function request(query: URLSearchParams): void {
    const page = fetchPage(query);
    // Without `catch`, an error of a page that the caller does not need would end the process.
    page.catch(() => {});
    requested.push({ key: sorted(query), page });
  }

  return {
    take(query: URLSearchParams): Promise<FetchedPage> {
      const first = requested.shift();
      if (first?.key === sorted(query)) return first.page;
      requested = [];
      return fetchPage(query);
    },
    request(query: URLSearchParams, guesses: readonly URLSearchParams[]): void {
      fullPages = guesses.length > 0 ? fullPages + 1 : 0;
      // After other pages, the list may have moved, and pages that were requested before may leave a gap.
      if (fullPages === 0) requested = [];
      const ahead = guesses.slice(0, Math.floor(fullPages / fullPagesPerPageAhead));
      for (const next of [query, ...ahead].slice(requested.length)) request(next);
    },
  };
}

/** Services write the parameters of a link in any order. */
function sorted(query: URLSearchParams): string {
  const copy = new URLSearchParams(query);
  copy.sort();
  return copy.toString();
}
