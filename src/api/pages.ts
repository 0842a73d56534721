// A list as its pages: as many records as wanted, each once, to the end that the service names.
import { type JsonObject, stringifyJson } from '../json.ts';
import { textAt } from './records.ts';

export interface Paging {
  /** How many records in all. */
  limit?: number;
  offset?: number;
  all?: boolean;
}

export interface Page {
  rows: readonly JsonObject[];
  /** The query of the next page, null at the end of the list, undefined where the service does not say. */
  next: URLSearchParams | null | undefined;
}

export interface ListNotes {
  /** The list ends here because the service repeats itself. */
  circular(): void;
  /** Records were left out. */
  more(): void;
}

const defaultLimit = 20;
const largestPage = 100;
/** While a list moves, what was given comes again near the place where it was, so a window of ids will do. */
const remembered = 10_000;
/** How often a list may take us back before it is taken to go in circles. */
const mostStepsBack = 1_000;

/** Each page is asked for before the one before it is given away, so that the service works while we write. */
export async function* listPages(
  fetchPage: (query: URLSearchParams) => Promise<Page>,
  filters: URLSearchParams,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<readonly JsonObject[]> {
  const place = createPlace(filters, paging, notes);
  let query: URLSearchParams | undefined = place.first;
  let pending = fetchPage(query);
  while (query !== undefined) {
    const page = await pending;
    const records = place.take(page);
    query = place.next(page, query);
    if (query !== undefined) {
      pending = fetchPage(query);
      // Should nobody want the next page any more, nobody minds its failure either.
      pending.catch(() => {});
    }
    if (records.length > 0) yield records;
  }
}

/**
 * Where we are in a list. On one that moves, records that arrive push known ones onto the next page, where their ids
 * give them away; records that vanish pull unknown ones onto a page already read. So, once `--all` has seen a list
 * move, each page begins with the last record of the one before; where nothing on it is known, we go back until
 * something is.
 */
function createPlace(filters: URLSearchParams, paging: Paging | undefined, notes: ListNotes) {
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  const start = paging?.offset ?? 0;
  // Versions may all carry the id of their val.
  const seen = new RecentRecords((row) => (paging === undefined ? stringifyJson(row) : textAt(row, 'id')));
  let offset = start;
  let given = 0;
  let leftOut = false;
  let last: readonly JsonObject[] = [];
  let repeats = 0;
  let knownRows = 0;
  let stepsBack = 0;
  let moves = false;
  let overlaps = false;
  let isLost = false;
  /** The query to go on with once the head of the list has told whether records arrived. */
  let suspended: URLSearchParams | undefined;

  /** The records of a page that are to be given. */
  function take({ rows }: Page): readonly JsonObject[] {
    if (suspended) return [];
    isLost = overlaps && offset > start && !rows.some((row) => seen.has(row));
    if (isLost || rows.length === 0) return [];
    repeats = isSamePage(rows, last) ? repeats + 1 : 0;
    const fresh = repeats > 0 ? [] : rows.filter((row) => seen.add(row));
    knownRows = fresh.length === 0 ? knownRows + rows.length : 0;
    // Without paging, no page overlaps another: it is new, or the service goes in circles.
    if (paging === undefined) return fresh.length > 0 ? rows : [];
    if (fresh.length < rows.length - (overlaps ? 1 : 0)) moves = true;
    const records = fresh.slice(0, wanted - given);
    leftOut = records.length < fresh.length;
    given += records.length;
    return records;
  }

  /** What to ask for after a page that was taken; undefined at the end. */
  function next({ rows, next }: Page, asked: URLSearchParams): URLSearchParams | undefined {
    if (suspended) {
      const goOn = suspended;
      suspended = undefined;
      return rows.some((row) => textAt(row, 'id') !== undefined && !seen.has(row)) ? goOn : circular();
    }
    if (isLost) {
      if (++stepsBack > mostStepsBack) return circular();
      offset = Math.max(start, offset - last.length + 1);
      return atOffset(offset);
    }
    if (rows.length === 0) return undefined;
    if (goesInCircles()) return circular();
    if (given === wanted) {
      if (leftOut || next) notes.more();
      return undefined;
    }
    if (next === null || (next === undefined && paging === undefined)) return undefined;
    last = rows;
    offset += rows.length;
    overlaps = canOverlap(next);
    const query = overlaps ? atOffset(--offset) : next === undefined ? atOffset(offset) : follow(next);
    if (query.toString() === asked.toString()) return circular();
    if (repeats < 2) return query;
    // A page came again twice: the list grew by just as much, which its head tells, or the offset is ignored.
    suspended = query;
    return atOffset(start);
  }

  function goesInCircles(): boolean {
    if (paging === undefined) return knownRows > 0;
    return knownRows >= remembered;
  }

  function circular(): undefined {
    notes.circular();
  }

  /** Only where the service counts in offsets as we do, and a page holds more than the record that overlaps. */
  function canOverlap(next: URLSearchParams | undefined): boolean {
    const counts = next === undefined || next.get('offset') === String(offset);
    return moves && counts && paging?.all === true && last.length > 1;
  }

  function pageSize(): number {
    return Math.min(largestPage, wanted - given);
  }

  function atOffset(position: number): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(pageSize()));
    query.set('offset', String(position));
    return query;
  }

  /** The link's query, with our filters where it forgot them, and no page larger than we want it. */
  function follow(next: URLSearchParams): URLSearchParams {
    const query = new URLSearchParams(next);
    for (const [key, value] of filters) if (!query.has(key)) query.set(key, value);
    if (paging !== undefined) {
      const limit = query.has('offset') ? pageSize() : Number(query.get('limit')) || largestPage;
      query.set('limit', String(Math.min(limit, largestPage)));
    }
    return query;
  }

  return { first: paging === undefined ? filters : atOffset(offset), take, next };
}

function isSamePage(rows: readonly JsonObject[], last: readonly JsonObject[]): boolean {
  return (
    rows.length === last.length &&
    rows.every((row, index) => stringifyJson(row) === stringifyJson(last[index]))
  );
}

/** The records given last, in two generations: the older one goes when the younger is full. */
class RecentRecords {
  #younger = new Set<string>();
  #older = new Set<string>();
  readonly #keyOf: (row: JsonObject) => string | undefined;

  constructor(keyOf: (row: JsonObject) => string | undefined) {
    this.#keyOf = keyOf;
  }

  has(row: JsonObject): boolean {
    const key = this.#keyOf(row);
    return key !== undefined && (this.#younger.has(key) || this.#older.has(key));
  }

  /** Whether the record is new. One without an id cannot be told from its twin, so it always is. */
  add(row: JsonObject): boolean {
    const key = this.#keyOf(row);
    if (key === undefined) return true;
    if (this.#younger.has(key) || this.#older.has(key)) return false;
    if (this.#younger.size >= remembered) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    this.#younger.add(key);
    return true;
  }
}
