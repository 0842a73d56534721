import { UnavailableError } from '../../errors.ts';
import { type Clock, wait } from '../../lib/clock.ts';
import { type JsonObject, stringifyJson, textOf } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import { readRun } from '../run-record.ts';
import { type FetchPage, largestPage } from './pages.ts';
import { leastRemembered, RecentKeys } from './recent-keys.ts';

export interface FollowNotes {
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
  notes: FollowNotes;
}

const betweenLooksMs = 2_000;
const longestBackoffMs = 30_000;
const mostNewRecords = 10_000;
const mostLostPages = 100;

/** Gives the last records of a list that begins with the newest, and then each new record, the oldest first. */
export async function* follow(options: FollowOptions): AsyncGenerator<Page> {
  const { last, clock, signal, notes } = options;
  const findNew = createFinder(options);
  yield { records: (await findNew.first(Math.max(last, largestPage))).slice(0, last).toReversed() };
  let failures = 0;
  for (;;) {
    await wait(clock, Math.min(longestBackoffMs, betweenLooksMs * 2 ** failures), signal);
    signal.throwIfAborted();
    try {
      const records = await findNew.next();
      if (failures > 0) notes.serviceIsBack();
      failures = 0;
      if (records.length > 0) yield { records: records.toReversed() };
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (failures === 0) notes.serviceIsAway(error);
      failures += 1;
    }
  }
}

function createFinder(options: FollowOptions) {
  const known = new RecentKeys();
  let knownCount = 0;
  /** As long as this is true, every record that is not known is new, wherever it is in the list. */
  let knowsAll = true;
  let newestTime = -Infinity;

  const isKnown = (record: JsonObject): boolean => known.has(keyOf(record));
  const timeOf = (record: JsonObject): number | undefined => readRun(record).startedAt;

  function remember(records: readonly JsonObject[], isComplete: boolean): void {
    knownCount += records.filter((record) => !isKnown(record)).length;
    for (const record of records) {
      known.add(keyOf(record));
      newestTime = Math.max(newestTime, timeOf(record) ?? -Infinity);
    }
    knowsAll &&= isComplete && knownCount < leastRemembered;
  }

  return {
    async first(count: number): Promise<JsonObject[]> {
      const { records, isWholeList } = await readNewest(options, (_page, found) => found >= count);
      remember(records, isWholeList);
      return records;
    },

    async next(): Promise<JsonObject[]> {
      const { records, isWholeList } = await readNewest(
        options,
        (page, found) => page.some(isKnown) || found >= mostNewRecords,
      );
      const lastKnown = records.findLastIndex(isKnown);
      const hasGap = lastKnown === -1 && !isWholeList;
      if (hasGap) options.notes.tooManyRecords();
      // After deletions, older records move up: below the last known one, or to the top if no known one is left.
      const isNew = (record: JsonObject, index: number): boolean => {
        if (isKnown(record) || knowsAll) return !isKnown(record);
        return lastKnown === -1 ? (timeOf(record) ?? Infinity) > newestTime : index < lastKnown;
      };
      const fresh = records.filter(isNew);
      remember(records, !hasGap);
      return fresh;
    },
  };
}

const keyOf = (record: JsonObject): string => textOf(record.id) ?? stringifyJson(record);

/**
 * Each page begins with the last record of the page before, so that records which arrive in between are noticed: they
 * belong to the next look.
 */
async function readNewest(
  { fetchPage, filters }: FollowOptions,
  isEnough: (page: readonly JsonObject[], found: number) => boolean,
): Promise<{ records: JsonObject[]; isWholeList: boolean }> {
  const records: JsonObject[] = [];
  let overlap = 0;
  let lostPages = 0;
  for (let offset = 0; ; ) {
    const query = new URLSearchParams(filters);
    query.set('limit', String(largestPage));
    query.set('offset', String(offset));
    const { records: page, next } = await fetchPage(query);
    const last = records.at(-1);
    const at = last ? page.findLastIndex((record) => keyOf(record) === keyOf(last)) : -1;
    const isLost = overlap > 0 && at === -1;
    lostPages = isLost ? lostPages + 1 : 0;
    const added = isLost ? [] : page.slice(at + 1);
    for (const record of added) records.push(record);
    const isEnd = next === null || page.length <= overlap;
    const isDone = isEnd || lostPages > mostLostPages || isEnough(added, records.length);
    if (isDone) return { records, isWholeList: isEnd && !isLost };
    overlap = isLost || page.length > 1 ? 1 : 0;
    offset += isLost ? page.length : page.length - overlap;
  }
}
