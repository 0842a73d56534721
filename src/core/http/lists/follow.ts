import { UnavailableError } from '../../errors.ts';
import { type Clock, wait } from '../../lib/clock.ts';
import { type JsonObject, type Page, stringifyJson, textOf } from '../../lib/json.ts';
import { type FetchPage, largestPage, mostPagesWithoutNews, RecentKeys } from './pages.ts';

export interface ListNotes {
  /** The service sends the same records again and again, so the list may not be whole. */
  listIsStuck(): void;
  serviceIsAway(error: UnavailableError): void;
  serviceIsBack(): void;
  tooManyRecords(): void;
}

export interface FollowOptions {
  fetchPage: FetchPage;
  filters: URLSearchParams;
  last: number;
  clock: Clock;
  signal: AbortSignal;
  notes: ListNotes;
}

const betweenLooksMs = 2_000;
const longestBackoffMs = 30_000;
const mostNewRecords = 10_000;

/** Gives the last records of a list that begins with the newest, and then each new record, the oldest first. */
export async function* follow(options: FollowOptions): AsyncGenerator<Page> {
  const { last, clock, signal, notes } = options;
  const known = new RecentKeys();
  const isKnown = (record: JsonObject): boolean => known.has(keyOf(record));

  const first = await readNewest(options, (_page, found) => found >= Math.max(last, largestPage));
  remember(first.records);
  if (first.isStuck) notes.listIsStuck();
  yield { records: first.records.slice(0, last).toReversed() };

  for (let failures = 0; ; ) {
    await wait(clock, Math.min(longestBackoffMs, betweenLooksMs * 2 ** failures), signal);
    signal.throwIfAborted();
    try {
      const records = await findNew();
      if (failures > 0) notes.serviceIsBack();
      failures = 0;
      if (records.length > 0) yield { records: records.toReversed() };
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (failures === 0) notes.serviceIsAway(error);
      failures += 1;
    }
  }

  async function findNew(): Promise<JsonObject[]> {
    const { records, isWholeList } = await readNewest(
      options,
      (page, found) => page.some(isKnown) || found >= mostNewRecords,
    );
    const lastKnown = records.findLastIndex(isKnown);
    if (lastKnown === -1 && !isWholeList) notes.tooManyRecords();
    // Records below the last known one are old: they move up when others are deleted. But a list that was read to its
    // end at the start has no unknown old records, as long as few enough came to remember them all.
    const reach = first.isWholeList || lastKnown === -1 ? records.length : lastKnown;
    const found = records.slice(0, reach).filter((record) => !isKnown(record));
    remember(records);
    return found;
  }

  /** The newest come last, because the first are forgotten first. */
  function remember(records: readonly JsonObject[]): void {
    for (const record of records.toReversed()) known.add(keyOf(record));
  }
}

const keyOf = (record: JsonObject): string => textOf(record.id) ?? stringifyJson(record);

async function readNewest(
  { fetchPage, filters }: FollowOptions,
  isEnough: (page: readonly JsonObject[], found: number) => boolean,
): Promise<{ records: JsonObject[]; isWholeList: boolean; isStuck: boolean }> {
  const records = new Map<string, JsonObject>();
  let pagesWithoutNews = 0;
  for (let offset = 0; ; ) {
    const query = new URLSearchParams(filters);
    query.set('limit', String(largestPage));
    query.set('offset', String(offset));
    const { records: page, next } = await fetchPage(query, { isLink: false });
    // If records arrive between two requests, this page repeats the end of the page before. Records above that are new,
    // and belong to the next look.
    const lastRepeated = page.findLastIndex((record) => records.has(keyOf(record)));
    for (const record of page.slice(lastRepeated + 1)) records.set(keyOf(record), record);
    offset += page.length;
    pagesWithoutNews = lastRepeated + 1 < page.length ? 0 : pagesWithoutNews + 1;
    const isStuck = pagesWithoutNews >= mostPagesWithoutNews;
    const isWholeList = next === null || page.length === 0 || isStuck;
    if (isWholeList || isEnough(page, records.size))
      return { records: [...records.values()], isWholeList, isStuck };
  }
}
