import { UnavailableError } from '../../errors.ts';
import { type Clock, wait } from '../../lib/clock.ts';
import { type JsonObject, stringifyJson, textOf } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import type { FetchedPage } from './cursor.ts';
import { leastRemembered, RecentKeys } from './recent-keys.ts';

export interface FollowNotes {
  serviceIsAway(error: UnavailableError): void;
  serviceIsBack(): void;
  recordsMayBeMissing(): void;
  tooManyRecords(): void;
}

interface NewestFirstList {
  fetchPage(query: URLSearchParams): Promise<FetchedPage>;
  filters: URLSearchParams;
  timeOf(record: JsonObject): number | undefined;
}

export interface FollowOptions extends NewestFirstList {
  last: number;
  clock: Clock;
  signal: AbortSignal;
  notes: FollowNotes;
}

const betweenLooksMs = 2_000;
const longestBackoffMs = 30_000;

const lookDelayMs = (failures: number): number => Math.min(longestBackoffMs, betweenLooksMs * 2 ** failures);

const pageSize = 100;
const mostAttempts = 10;
const mostLostPagesInRow = 100;

/** A service that always has new records could otherwise fill the memory before the first record is printed. */
const mostRecordsAtOnce = 10_000;
const mostBytesAtOnce = 16 * 1_048_576;

export async function* follow(options: FollowOptions): AsyncGenerator<Page> {
  const { last, clock, signal, notes } = options;
  const list = createWatch(options);
  yield await list.newest(last);
  let failures = 0;
  for (;;) {
    await wait(clock, lookDelayMs(failures), signal);
    signal.throwIfAborted();
    let fresh: Page;
    try {
      fresh = await list.arrivals();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (failures === 0) notes.serviceIsAway(error);
      failures += 1;
      continue;
    }
    if (failures > 0) notes.serviceIsBack();
    failures = 0;
    if (fresh.records.length > 0) yield fresh;
  }
}

interface Entry {
  record: JsonObject;
  key: string;
}

interface NewestEntries {
  entries: Entry[];
  isWholeList: boolean;
  isLarge: boolean;
  isCut: boolean;
}

interface Progress {
  added: readonly Entry[];
  total: number;
}

type IsEnough = (progress: Progress) => boolean;

/** Recognizes new records by id and not by time, because a new record may have an earlier time than a known record. */
function createWatch({ fetchPage, filters, timeOf, notes }: NewestFirstList & { notes: FollowNotes }) {
  const known = new RecentKeys();
  /** `known` forgets old keys. Without `headKeys`, an old record at the start of the list would then count as new. */
  let headKeys = new Set<string>();
  let count = 0;
  let knowsAll = true;
  let newestTime = -Infinity;

  const isKnown = ({ key }: Entry): boolean => headKeys.has(key) || known.has(key);

  async function readNewest(isEnough: IsEnough): Promise<NewestEntries> {
    for (let attempt = 1; ; attempt++) {
      const newest = await tryToReadNewest(isEnough, attempt === mostAttempts);
      if (newest !== undefined) return newest;
    }
  }

  async function tryToReadNewest(
    isEnough: IsEnough,
    mayHaveGaps: boolean,
  ): Promise<NewestEntries | undefined> {
    const entries: Entry[] = [];
    let previous: readonly Entry[] = [];
    let overlap = 0;
    let isLarge = false;
    let lostPagesInRow = 0;
    let bytesRead = 0;
    for (let offset = 0; ; ) {
      const { page, next, bytes = 0 } = await fetchPage(queryAt(offset));
      const found = entriesOf(page);
      bytesRead += bytes;
      isLarge ||= page.isLarge || offset > 0;
      const lastKey = entries.at(-1)?.key;
      const lastIndex = overlap === 0 ? -1 : found.findLastIndex(({ key }) => key === lastKey);
      const isLost = overlap > 0 && lastIndex === -1;
      const isEnd = found.length <= overlap || next === null;
      const isRepeated = found.length > 0 && isSamePage(found, previous);
      lostPagesInRow = isLost ? lostPagesInRow + 1 : 0;
      if ((isLost && isEnd) || isRepeated || lostPagesInRow > mostLostPagesInRow) {
        if (!mayHaveGaps) return undefined;
        notes.recordsMayBeMissing();
        return { entries, isWholeList: false, isLarge, isCut: false };
      }
      const added = isLost ? [] : found.slice(lastIndex + 1);
      for (const entry of added) entries.push(entry);
      const isDone = isEnd || isEnough({ added, total: entries.length });
      const isCut = !isDone && bytesRead >= mostBytesAtOnce;
      if (isDone || isCut) return { entries, isWholeList: isEnd, isLarge, isCut };
      previous = found;
      overlap = isLost || found.length > 1 ? 1 : 0;
      offset += isLost ? found.length : found.length - overlap;
    }
  }

  function queryAt(offset: number): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(pageSize));
    query.set('offset', String(offset));
    return query;
  }

  function oldAmong(entries: readonly Entry[]): readonly Entry[] {
    if (knowsAll) return [];
    const end = entries.findLastIndex(isKnown);
    if (end >= 0) return entries.slice(end + 1);
    return entries.filter((entry) => (timeOf(entry.record) ?? Infinity) <= newestTime);
  }

  function rememberUnknown(entries: readonly Entry[]): Entry[] {
    const oldestFirst = entries.toReversed().filter(({ key }) => known.addIfNew(key) && !headKeys.has(key));
    for (const entry of oldestFirst) newestTime = Math.max(newestTime, timeOf(entry.record) ?? -Infinity);
    headKeys = new Set(entries.slice(0, pageSize).map(({ key }) => key));
    count += oldestFirst.length;
    knowsAll &&= count < leastRemembered;
    return oldestFirst;
  }

  return {
    async newest(last: number): Promise<Page> {
      const { entries, isWholeList, isLarge, isCut } = await readNewest(
        ({ total }) => total >= Math.max(last, pageSize),
      );
      if (isCut && entries.length < last) notes.tooManyRecords();
      knowsAll = isWholeList;
      rememberUnknown(entries);
      return { records: recordsOf(entries.slice(0, last).toReversed()), isLarge };
    },

    async arrivals(): Promise<Page> {
      let hasTooMany = false;
      const { entries, isLarge, isCut } = await readNewest(({ added, total }) => {
        if (added.some(isKnown)) return true;
        hasTooMany = total >= mostRecordsAtOnce;
        return hasTooMany;
      });
      if (hasTooMany || isCut) {
        knowsAll = false;
        notes.tooManyRecords();
      }
      const old = new Set(oldAmong(entries));
      const fresh = rememberUnknown(entries).filter((entry) => !old.has(entry));
      return { records: recordsOf(fresh), isLarge };
    },
  };
}

const isSamePage = (page: readonly Entry[], other: readonly Entry[]): boolean =>
  page.length === other.length && page.every(({ key }, index) => key === other[index]?.key);

const recordsOf = (entries: readonly Entry[]): JsonObject[] => entries.map(({ record }) => record);

const entriesOf = ({ records }: Page): Entry[] =>
  records.map((record) => ({ record, key: textOf(record.id) ?? stringifyJson(record) }));
