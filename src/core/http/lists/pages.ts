import { UnavailableError } from '../../errors.ts';
import { type JsonObject, type Page, stringifyJson, textOf } from '../../lib/json.ts';
import { type Clock, wait } from '../../lib/waiting.ts';

export interface Paging {
  limit?: number;
  offset?: number;
  all?: boolean;
}

export interface FetchedPage {
  records: readonly JsonObject[];
  /** The query of the link. Null at the end of the list, undefined if the service sends no links. */
  next: URLSearchParams | null | undefined;
  /** True if a page without links is the whole list, because the request had neither limit nor offset. */
  isWholeList?: boolean;
}

export interface ListOptions {
  fetchPage(query: URLSearchParams): Promise<FetchedPage>;
  filters: URLSearchParams;
  paging: Paging;
  /** True if the first request has a limit and an offset. */
  isPaged: boolean;
  /** Called if the service sends the same records again and again. */
  onStuck(): void;
}

const defaultLimit = 20;
export const largestPage = 100;

/** While records arrive, an honest list can show the same page several times in a row. */
const mostPagesWithoutNews = 20;

export async function* listPages(options: ListOptions): AsyncGenerator<Page> {
  const { fetchPage, filters, paging, isPaged, onStuck } = options;
  const wanted = paging.all ? Infinity : (paging.limit ?? defaultLimit);
  const seen = new RecentKeys();
  let offset = paging.offset ?? 0;
  let yielded = 0;
  let pagesWithoutNews = 0;
  let query: URLSearchParams | undefined = isPaged ? atOffset() : filters;

  while (query !== undefined) {
    const page: FetchedPage = await fetchPage(query);
    const fresh = page.records.filter((record) => !seen.has(keyIn(record)));
    for (const record of fresh) seen.add(keyIn(record));
    const records = fresh.slice(0, wanted - yielded);
    yielded += records.length;
    offset += page.records.length;
    pagesWithoutNews = fresh.length > 0 ? 0 : pagesWithoutNews + 1;
    if (yielded === wanted) {
      const hasMore = records.length < fresh.length || Boolean(page.next);
      // A service without links does not say whether the list goes on.
      const mayHaveMore = page.next === undefined && !page.isWholeList;
      yield { records, ...((hasMore || mayHaveMore) && { end: hasMore ? 'more' : 'maybe' }) };
      return;
    }
    yield { records };
    query = queryAfter(page);
    if (query !== undefined && pagesWithoutNews >= mostPagesWithoutNews) return onStuck();
  }

  function queryAfter({ records, next, isWholeList }: FetchedPage): URLSearchParams | undefined {
    if (next === null) return undefined;
    if (next !== undefined && leadsToNextPage(next, filters)) return queryOfLink(next);
    const isEnd = records.length === 0 || (isWholeList && next === undefined);
    return isEnd ? undefined : atOffset();
  }

  /** In lists without paging, records have no id, or that of their val. */
  function keyIn(record: JsonObject): string {
    return isPaged ? keyOf(record) : stringifyJson(record);
  }

  function atOffset(): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(Math.min(largestPage, wanted - yielded)));
    query.set('offset', String(offset));
    return query;
  }

  function queryOfLink(link: URLSearchParams): URLSearchParams {
    const query = new URLSearchParams(link);
    for (const [key, value] of filters) if (!query.has(key)) query.set(key, value);
    if (!isPaged) return query;
    const limit = query.has('offset') ? wanted - yielded : Number(query.get('limit')) || largestPage;
    query.set('limit', String(Math.min(limit, largestPage)));
    return query;
  }
}

const leadsToNextPage = (link: URLSearchParams, filters: URLSearchParams): boolean =>
  [...link].some(([key, value]) => key !== 'limit' && filters.get(key) !== value);

/** After as many records without news, a list ends. To remember more would cost a tenth of the time of a long list. */
const leastRemembered = largestPage * mostPagesWithoutNews;

/** Remembers the keys of the last records, so that a list of any length needs little memory. */
class RecentKeys {
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

export interface FollowOptions {
  /** Reads so many of the newest records. */
  readNewest(count: number): Promise<readonly JsonObject[]>;
  last: number;
  clock: Clock;
  signal: AbortSignal;
  /** Called when a look fails because the service cannot be reached, once until a look succeeds again. */
  onOutage(failure: UnavailableError): void;
  onOutageEnd(): void;
}

const betweenLooksMs = 2_000;

/** Gives the last records of a list that begins with the newest, and then each new record, the oldest first. */
export async function* follow({
  readNewest,
  last,
  clock,
  signal,
  onOutage,
  onOutageEnd,
}: FollowOptions): AsyncGenerator<Page> {
  const known = new RecentKeys();
  const isKnown = (record: JsonObject): boolean => known.has(keyOf(record));
  let isFirst = true;
  let wasLonger = false;
  let isOutage = false;
  for (;;) {
    try {
      const newest = await readNewest(isFirst ? Math.max(last, largestPage) : largestPage);
      // Records below the last known one may be old: they come up from the next page when others are deleted.
      const lastKnown = wasLonger ? newest.findLastIndex(isKnown) : -1;
      const fresh = newest.slice(0, lastKnown < 0 ? undefined : lastKnown).filter((each) => !isKnown(each));
      for (const record of newest) known.add(keyOf(record));
      wasLonger = newest.length >= largestPage;
      const records = isFirst ? fresh.slice(0, last) : fresh;
      isFirst = false;
      if (isOutage) onOutageEnd();
      isOutage = false;
      yield { records: records.toReversed() };
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (!isOutage) onOutage(error);
      isOutage = true;
    }
    await wait(clock, betweenLooksMs, signal);
    signal.throwIfAborted();
  }
}

const keyOf = (record: JsonObject): string => textOf(record.id) ?? stringifyJson(record);
