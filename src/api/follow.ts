// A list followed as it grows: what is there, then what is new, oldest first and each record once, without an end.
import { UnavailableError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Rows } from '../rows.ts';
import { type Clock, wait } from './clock.ts';
import type { Paging } from './pages.ts';
import { RecentKeys } from './recent-keys.ts';

export interface FollowNotes {
  /** The service cannot be reached; it is asked again until it can. Said once. */
  away(error: UnavailableError): void;
  back(): void;
}

export interface FollowOptions {
  /** Reads the list from its head, newest first. */
  read(paging: Paging): AsyncIterable<Rows>;
  /** How many of the records that are there already are given. */
  last: number;
  /** When a record came about, in milliseconds; undefined where it does not say. */
  momentOf(record: JsonObject): number | undefined;
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

export async function* follow(options: FollowOptions): AsyncGenerator<Rows> {
  const { last, clock, signal, notes } = options;
  const list = createWatch(options);
  // Who cannot even begin is told so at once, like in any other command.
  yield* await list.begin(last);
  for (let failures = 0; ; ) {
    await wait(clock, lookDelayMs(failures), signal);
    signal.throwIfAborted();
    let fresh: Rows[];
    try {
      fresh = await list.look();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (failures++ === 0) notes.away(error);
      continue;
    }
    if (failures > 0) notes.back();
    failures = 0;
    yield* fresh;
  }
}

interface Entry {
  rows: Rows;
  index: number;
  key: string;
}

/**
 * Which records are new is told by their ids, because the time that a record bears need not be the one at which it
 * appeared; times help only where nothing that we know is left. Nothing counts as known before a look has succeeded as a whole: one that fails half-way is made again.
 */
function createWatch({ read, momentOf }: Pick<FollowOptions, 'read' | 'momentOf'>) {
  const known = new RecentKeys();
  /** A record that stays at the head would in time be forgotten. */
  let head = new Set<string>();
  let knowsAll = true;
  let newest = -Infinity;

  const isKnown = ({ key }: Entry): boolean => head.has(key) || known.has(key);

  async function readHead(size: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    for await (const rows of read({ limit: size })) entries.push(...entriesOf(rows));
    return entries;
  }

  /** More came than one request brings: on, until a record is met that was there before. */
  async function readToKnown(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for await (const rows of read({ all: true })) {
      const page = entriesOf(rows);
      entries.push(...page);
      if (page.some(isKnown)) break;
    }
    return entries;
  }

  const momentAt = ({ rows, index }: Entry): number | undefined => {
    const [record] = rows.pick([index]).records();
    return record && momentOf(record);
  };

  /**
   * Behind the last known record stand older ones, which moved up because others vanished. Where none is known any
   * more, those are older that say so.
   */
  function olderOnes(entries: readonly Entry[]): readonly Entry[] {
    if (knowsAll) return [];
    const end = entries.findLastIndex(isKnown);
    if (end >= 0) return entries.slice(end + 1);
    return entries.filter((entry) => (momentAt(entry) ?? Infinity) <= newest);
  }

  /** The entries that were not known, oldest first; from now on they are. */
  function remember(entries: readonly Entry[]): Entry[] {
    const fresh = entries.toReversed().filter(({ key }) => known.add(key) && !head.has(key));
    for (const entry of fresh) newest = Math.max(newest, momentAt(entry) ?? -Infinity);
    head = new Set(entries.slice(0, headSize).map(({ key }) => key));
    return fresh;
  }

  return {
    /** The last so many of what is there. */
    async begin(last: number): Promise<Rows[]> {
      const entries = await readHead(Math.max(last, headSize));
      knowsAll = entries.length < headSize;
      remember(entries);
      return pagesOf(entries.slice(0, last).toReversed());
    },

    /** What came since the look before. */
    async look(): Promise<Rows[]> {
      let entries = await readHead(headSize);
      knowsAll &&= entries.length < headSize;
      if (entries.length >= headSize && !entries.some(isKnown)) entries = await readToKnown();
      const older = new Set(olderOnes(entries));
      return pagesOf(remember(entries).filter((entry) => !older.has(entry)));
    },
  };
}

/** Without an id, a record is its text. */
const entriesOf = (rows: Rows): Entry[] =>
  Array.from({ length: rows.length }, (_, index) => ({
    rows,
    index,
    key: rows.idAt(index) ?? rows.textAt(index),
  }));

/** Neighbours from one page stay together. */
function pagesOf(entries: readonly Entry[]): Rows[] {
  const pages: Rows[] = [];
  let from = 0;
  for (const [at, { rows }] of entries.entries()) {
    if (entries[at + 1]?.rows === rows) continue;
    pages.push(rows.pick(entries.slice(from, at + 1).map(({ index }) => index)));
    from = at + 1;
  }
  return pages;
}
