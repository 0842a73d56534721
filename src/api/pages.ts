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

/**
 * `--all` on a list that moves: records that arrive push known ones onto the next page, where their ids give them away.
 * Records that vanish pull unknown ones onto a page already read. So, once a list is seen to move, each page begins
 * with the last record of the one before; where nothing on it is known, we go back until something is.
 */
export async function* listPages(
  fetchPage: (query: URLSearchParams) => Promise<Page>,
  filters: URLSearchParams,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<readonly JsonObject[]> {
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  const start = paging?.offset ?? 0;
  const seen = new RecentIds();
  let offset = start;
  let given = 0;
  let last: readonly JsonObject[] = [];
  let repeats = 0;
  let knownRows = 0;
  let stepsBack = 0;
  let moves = false;
  let overlaps = false;
  let query = paging === undefined ? filters : atOffset(offset);

  for (;;) {
    const { rows, next } = await fetchPage(query);
    if (overlaps && offset > start && !rows.some((row) => seen.has(row))) {
      if (++stepsBack > mostStepsBack) return notes.circular();
      offset = Math.max(start, offset - last.length + 1);
      query = atOffset(offset);
      continue;
    }
    if (rows.length === 0) return;
    repeats = isSamePage(rows, last) ? repeats + 1 : 0;
    // As many new records as a page holds make one repetition; a service that ignores the offset makes a second.
    if (repeats > (paging === undefined ? 0 : 1)) return notes.circular();

    const candidates = repeats > 0 ? [] : rows;
    // Versions may all carry the id of their val, but they come on no page that could overlap another.
    const fresh = paging === undefined ? candidates : candidates.filter((row) => seen.add(row));
    const page = fresh.slice(0, wanted - given);
    given += page.length;
    if (fresh.length < rows.length - (overlaps ? 1 : 0)) moves = true;
    if (page.length > 0) yield page;
    knownRows = fresh.length === 0 ? knownRows + rows.length : 0;
    if (knownRows >= remembered) return notes.circular();

    if (given === wanted) {
      if (fresh.length > page.length || next) notes.more();
      return;
    }
    if (next === null || (next === undefined && paging === undefined)) return;
    last = rows;
    offset += rows.length;
    overlaps = canOverlap(next);
    const asked = query.toString();
    if (overlaps) query = atOffset(--offset);
    else query = next === undefined ? atOffset(offset) : follow(next);
    if (query.toString() === asked) return notes.circular();
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
}

function isSamePage(rows: readonly JsonObject[], last: readonly JsonObject[]): boolean {
  return (
    rows.length === last.length &&
    rows.every((row, index) => stringifyJson(row) === stringifyJson(last[index]))
  );
}

/** The ids of the records given last, in two generations: the older one goes when the younger is full. */
class RecentIds {
  #younger = new Set<string>();
  #older = new Set<string>();

  has(row: JsonObject): boolean {
    const id = textAt(row, 'id');
    return id !== undefined && (this.#younger.has(id) || this.#older.has(id));
  }

  /** Whether the record is new. One without an id cannot be told from its twin, so it always is. */
  add(row: JsonObject): boolean {
    const id = textAt(row, 'id');
    if (id === undefined) return true;
    if (this.has(row)) return false;
    if (this.#younger.size >= remembered) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    this.#younger.add(id);
    return true;
  }
}
