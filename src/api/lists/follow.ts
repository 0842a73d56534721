// A list followed as it grows: what is there, then what is new, oldest first and each record once, without an end.

import { UnavailableError } from '../../errors.ts';
import { type Clock, wait } from '../../lib/clock.ts';
import { type JsonObject, stringifyJson, textOf } from '../../lib/json.ts';
import type { Rows } from '../../lib/rows.ts';
import type { Page } from './cursor.ts';
import { leastRemembered, RecentKeys } from './recent-keys.ts';

export interface FollowNotes {
  /** The service cannot be reached; it is asked again until it can. Said once. */
  away(error: UnavailableError): void;
  back(): void;
  /** The list did not let itself be read down to what was known. */
  gap(): void;
}

/** Newest first, with limit and offset. */
interface ListToFollow {
  fetchPage(query: URLSearchParams): Promise<Page>;
  filters: URLSearchParams;
  /** When a record came about, in milliseconds; undefined where it does not say. */
  momentOf(record: JsonObject): number | undefined;
}

export interface FollowOptions extends ListToFollow {
  /** How many of the records that are there already are given. */
  last: number;
  clock: Clock;
  signal: AbortSignal;
  notes: FollowNotes;
}

const betweenLooksMs = 2_000;
const longestBackoffMs = 30_000;

/** How long to wait before the next look, after so many that failed in a row. */
export const lookDelayMs = (failures: number): number =>
  Math.min(longestBackoffMs, betweenLooksMs * 2 ** failures);

/** As many records as one request brings. */
const headSize = 100;
/** How often a look is begun anew because the list moved under it. */
const mostAttempts = 10;

export async function* follow(options: FollowOptions): AsyncGenerator<Rows> {
  const { last, clock, signal, notes } = options;
  const list = createWatch(options);
  // Who cannot even begin is told so at once, like in any other command.
  yield await list.begin(last);
  for (let failures = 0; ; ) {
    await wait(clock, lookDelayMs(failures), signal);
    signal.throwIfAborted();
    let fresh: Rows;
    try {
      fresh = await list.look();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (failures++ === 0) notes.away(error);
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

/** Newest first, without a gap. */
interface Stretch {
  entries: Entry[];
  /** Whether it goes down to the end of the list. */
  isWhole: boolean;
  isLarge: boolean;
}

/** Told of what a page added and of how many there are in all. */
type Enough = (added: readonly Entry[], total: number) => boolean;

/**
 * Which records are new is told by their ids, because the time that a record bears need not be the one at which it
 * appeared; times help only where nothing that we know is left. Nothing counts as known before a look has succeeded
 * as a whole: one that fails half-way is made again.
 */
function createWatch({ fetchPage, filters, momentOf, notes }: ListToFollow & { notes: FollowNotes }) {
  const known = new RecentKeys();
  /** A record that stays at the head would in time be forgotten. */
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
   * Page by page, until there is enough. Each page is asked for from the last record of the one before on: where
   * others came meanwhile, that record stands further down. Undefined where it stands nowhere any more.
   */
  async function tryToReadDown(isEnough: Enough, mayHaveGaps: boolean): Promise<Stretch | undefined> {
    const entries: Entry[] = [];
    let before: readonly Entry[] = [];
    let overlap = 0;
    let isLarge = false;
    for (let offset = 0; ; ) {
      const { rows, next } = await fetchPage(pageAt(offset));
      const page = entriesOf(rows);
      isLarge ||= rows.isLarge || offset > 0;
      const anchor = entries.at(-1);
      const at = overlap === 0 ? -1 : page.findLastIndex(({ key }) => key === anchor?.key);
      const isLost = overlap > 0 && at === -1;
      const isEnd = page.length <= overlap || next === null;
      const goesRound = page.length > 0 && isSamePage(page, before);
      if ((isLost && isEnd) || goesRound) {
        if (!mayHaveGaps) return undefined;
        notes.gap();
        return { entries, isWhole: false, isLarge };
      }
      const added = isLost ? [] : page.slice(at + 1);
      entries.push(...added);
      if (isEnd || isEnough(added, entries.length)) return { entries, isWhole: isEnd, isLarge };
      before = page;
      overlap = isLost || page.length > 1 ? 1 : 0;
      offset += isLost ? page.length : page.length - overlap;
    }
  }

  function pageAt(offset: number): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(headSize));
    query.set('offset', String(offset));
    return query;
  }

  /**
   * Behind the last known record stand older ones, which moved up because others vanished. Where none is known any
   * more, those are older that say so.
   */
  function olderOnes(entries: readonly Entry[]): readonly Entry[] {
    if (knowsAll) return [];
    const end = entries.findLastIndex(isKnown);
    if (end >= 0) return entries.slice(end + 1);
    return entries.filter((entry) => (momentOf(entry.record) ?? Infinity) <= newest);
  }

  /** The entries that were not known, oldest first; from now on they are. */
  function remember(entries: readonly Entry[]): Entry[] {
    const fresh = entries.toReversed().filter(({ key }) => known.add(key) && !head.has(key));
    for (const entry of fresh) newest = Math.max(newest, momentOf(entry.record) ?? -Infinity);
    head = new Set(entries.slice(0, headSize).map(({ key }) => key));
    count += fresh.length;
    knowsAll &&= count < leastRemembered;
    return fresh;
  }

  return {
    /** The last so many of what is there. */
    async begin(last: number): Promise<Rows> {
      const { entries, isWhole, isLarge } = await readDown(
        (_added, total) => total >= Math.max(last, headSize),
      );
      knowsAll = isWhole;
      remember(entries);
      return { records: recordsOf(entries.slice(0, last).toReversed()), isLarge };
    },

    /** What came since the look before: down to a record that was there. */
    async look(): Promise<Rows> {
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

/** Without an id, a record is its text. */
const entriesOf = ({ records }: Rows): Entry[] =>
  records.map((record) => ({ record, key: textOf(record.id) ?? stringifyJson(record) }));
