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
  repeated(): void;
  /** Records were left out. */
  more(): void;
}

const defaultLimit = 20;
const largestPage = 100;
/** While records arrive, those already given come again at the front of the next page, so a window of ids will do. */
const remembered = 10_000;

export async function* listPages(
  fetchPage: (query: URLSearchParams) => Promise<Page>,
  filters: URLSearchParams,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<readonly JsonObject[]> {
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  let offset = paging?.offset ?? 0;
  let given = 0;
  let last: readonly JsonObject[] = [];
  let knownRows = 0;
  let repeats = 0;
  const seen = new Set<string>();
  const pageSize = () => Math.min(largestPage, wanted - given);

  let query = paging === undefined ? filters : atOffset();
  for (;;) {
    const { rows, next } = await fetchPage(query);
    if (rows.length === 0) return;
    repeats = isSamePage(rows, last) ? repeats + 1 : 0;
    // As many new records as a page holds make one repetition; a service that ignores the offset makes a second.
    if (repeats > (paging === undefined ? 0 : 1)) return notes.repeated();

    // Versions may all carry the id of their val, but they come on no page that could overlap another.
    const candidates = repeats > 0 ? [] : rows;
    const fresh = paging === undefined ? candidates : candidates.filter((row) => isNew(row, seen));
    const page = fresh.slice(0, wanted - given);
    given += page.length;
    if (page.length > 0) yield page;
    knownRows = fresh.length === 0 ? knownRows + rows.length : 0;
    if (knownRows >= remembered) return notes.repeated();

    if (given === wanted) {
      if (fresh.length > page.length || next) notes.more();
      return;
    }
    if (next === null || (next === undefined && paging === undefined)) return;
    last = rows;
    offset += rows.length;
    const asked = query.toString();
    query = next === undefined ? atOffset() : follow(next);
    if (query.toString() === asked) return notes.repeated();
  }

  function atOffset(): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(pageSize()));
    query.set('offset', String(offset));
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

/** A record without an id cannot be told from its twin, so it always counts as new. */
function isNew(row: JsonObject, seen: Set<string>): boolean {
  const id = textAt(row, 'id');
  if (id === undefined) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > remembered) {
    const [oldest] = seen;
    seen.delete(oldest as string);
  }
  return true;
}
