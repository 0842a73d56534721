// Follows a list as it grows: gives the newest records, then each new record, oldest first. Never ends by itself.
import { UnavailableError } from '../../errors.ts';
import { type Clock, wait } from '../../lib/clock.ts';
import { type JsonObject, stringifyJson, textOf } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import type { FetchedPage } from './cursor.ts';
import { leastRemembered, RecentKeys } from './recent-keys.ts';

export interface FollowNotes {
  /** Called once when the service cannot be reached. `back` is called when the service answers again. */
  away(error: UnavailableError): void;
  back(): void;
  /** Called if records may be missing, because the list grew too fast to be read down to a known record. */
  gap(): void;
}

/** A list that has the newest record first and accepts `limit` and `offset`. */
interface ListToFollow {
  fetchPage(query: URLSearchParams): Promise<FetchedPage>;
  filters: URLSearchParams;
  /** The time of a record in milliseconds; undefined if the record has no time. */
  momentOf(record: JsonObject): number | undefined;
}

export interface FollowOptions extends ListToFollow {
  /** The number of existing records to give first. */
  last: number;
  clock: Clock;
  signal: AbortSignal;
  notes: FollowNotes;
}

const betweenLooksMs = 2_000;
const longestBackoffMs = 30_000;

/** How long to wait before the list is read again, after this many failures in a row. */
const lookDelayMs = (failures: number): number => Math.min(longestBackoffMs, betweenLooksMs * 2 ** failures);

/** The most records that one request asks for. */
const headSize = 100;
/** The most attempts to read the list while it moves. */
const mostAttempts = 10;

export async function* follow(options: FollowOptions): AsyncGenerator<Page> {
  const { last, clock, signal, notes } = options;
  const list = createWatch(options);
  // An error of the first request ends the command. Later, an unreachable service is tried again.
  yield await list.begin(last);
  let failures = 0;
  for (;;) {
    await wait(clock, lookDelayMs(failures), signal);
    signal.throwIfAborted();
    let fresh: Page;
    try {
      fresh = await list.look();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (failures === 0) notes.away(error);
      failures += 1;
      continue;
    }
    if (failures > 0) notes.back();
    failures = 0;
    if (fresh.records.length > 0) yield fresh;
  }
}

interface Entry {
  record: JsonObject;
  key: string;
}

/** Neighbouring records, newest first. */
interface Stretch {
  entries: Entry[];
  /** Whether the stretch reaches the end of the list. */
  isWhole: boolean;
  isLarge: boolean;
}

/** Whether to stop reading, after these entries of one page and this number of entries in all. */
type Enough = (added: readonly Entry[], total: number) => boolean;

/**
 * Ids show which records are new, because a record may appear later than its time says. Times are used only if no known
 * record is left in the list. If reading the list fails half-way, the list is read again, and the records that were read do
 * not count as known.
 */
function createWatch({ fetchPage, filters, momentOf, notes }: ListToFollow & { notes: FollowNotes }) {
  const known = new RecentKeys();
  /** The keys of the newest records. `known` keeps only recent keys, so it may forget a record that stays at the head. */
  let head = new Set<string>();
  let count = 0;
  let knowsAll = true;
  let newest = -Infinity;

  const isKnown = ({ key }: Entry): boolean => head.has(key) || known.has(key);

  async function readDown(isEnough: Enough): Promise<Stretch> {
    for (let attempt = 1; ; attempt++) {
      const stretch = await tryToReadDown(isEnough, attempt === mostAttempts);
      if (stretch !== undefined) return stretch;
    }
  }

  /**
   * Reads page by page until `isEnough` returns true. Each page starts at the last record of the page before. If new records came
   * meanwhile, the next page has that record further down. Returns undefined if the record is gone.
   */
  async function tryToReadDown(isEnough: Enough, mayHaveGaps: boolean): Promise<Stretch | undefined> {
    const entries: Entry[] = [];
    let previous: readonly Entry[] = [];
    let overlap = 0;
    let isLarge = false;
    for (let offset = 0; ; ) {
      const { page, next } = await fetchPage(queryAt(offset));
      const found = entriesOf(page);
      isLarge ||= page.isLarge || offset > 0;
      const anchor = entries.at(-1);
      const anchorIndex = overlap === 0 ? -1 : found.findLastIndex(({ key }) => key === anchor?.key);
      const isLost = overlap > 0 && anchorIndex === -1;
      const isEnd = found.length <= overlap || next === null;
      const isRepeated = found.length > 0 && isSamePage(found, previous);
      if ((isLost && isEnd) || isRepeated) {
        if (!mayHaveGaps) return undefined;
        notes.gap();
        return { entries, isWhole: false, isLarge };
      }
      const added = isLost ? [] : found.slice(anchorIndex + 1);
      entries.push(...added);
      if (isEnd || isEnough(added, entries.length)) return { entries, isWhole: isEnd, isLarge };
      previous = found;
      overlap = isLost || found.length > 1 ? 1 : 0;
      offset += isLost ? found.length : found.length - overlap;
    }
  }

  function queryAt(offset: number): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(headSize));
    query.set('offset', String(offset));
    return query;
  }

  /**
   * Returns the entries that are old, not new. Records after the last known record are old: they moved up because other
   * records were deleted. If no record is known any more, the times of the records decide.
   */
  function olderOnes(entries: readonly Entry[]): readonly Entry[] {
    if (knowsAll) return [];
    const end = entries.findLastIndex(isKnown);
    if (end >= 0) return entries.slice(end + 1);
    return entries.filter((entry) => (momentOf(entry.record) ?? Infinity) <= newest);
  }

  /** Returns the entries that were not known, oldest first. From now on, these entries are known. */
  function remember(entries: readonly Entry[]): Entry[] {
    const fresh = entries.toReversed().filter(({ key }) => known.add(key) && !head.has(key));
    for (const entry of fresh) newest = Math.max(newest, momentOf(entry.record) ?? -Infinity);
    head = new Set(entries.slice(0, headSize).map(({ key }) => key));
    count += fresh.length;
    knowsAll &&= count < leastRemembered;
    return fresh;
  }

  return {
    /** Returns the newest `last` records, oldest first. */
    async begin(last: number): Promise<Page> {
      const { entries, isWhole, isLarge } = await readDown(
        (_added, total) => total >= Math.max(last, headSize),
      );
      knowsAll = isWhole;
      remember(entries);
      return { records: recordsOf(entries.slice(0, last).toReversed()), isLarge };
    },

    /** Returns the records that arrived since the last call of `look` or `begin`. */
    async look(): Promise<Page> {
      const { entries, isLarge } = await readDown((added) => added.some(isKnown));
      const older = new Set(olderOnes(entries));
      const fresh = remember(entries).filter((entry) => !older.has(entry));
      return { records: recordsOf(fresh), isLarge };
    },
  };
}

const isSamePage = (page: readonly Entry[], other: readonly Entry[]): boolean =>
  page.length === other.length && page.every(({ key }, index) => key === other[index]?.key);

const recordsOf = (entries: readonly Entry[]): JsonObject[] => entries.map(({ record }) => record);

/** The key of a record is its id. For a record without an id, the key is its text. */
const entriesOf = ({ records }: Page): Entry[] =>
  records.map((record) => ({ record, key: textOf(record.id) ?? stringifyJson(record) }));
