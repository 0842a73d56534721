// A list as its pages: as many records as wanted, each once, to the end that the service names.
import { type JsonObject, stringifyJson } from '../json.ts';
import type { Query } from './client.ts';
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
/** Pages of nothing but known records after which a service is taken to go in circles. */
const patience = 10;

export async function* listPages(
  fetchPage: (query: Query) => Promise<Page>,
  filters: Query,
  paging: Paging | undefined,
  notes: ListNotes,
): AsyncGenerator<readonly JsonObject[]> {
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  let offset = paging?.offset ?? 0;
  let given = 0;
  let last: readonly JsonObject[] = [];
  let stale = 0;
  const seen = new Set<string>();
  const pageSize = () => String(Math.min(largestPage, wanted - given));

  let query = paging === undefined ? filters : { ...filters, limit: pageSize(), offset: String(offset) };
  for (;;) {
    const { rows, next } = await fetchPage(query);
    if (rows.length === 0) return;
    if (isSamePage(rows, last)) return notes.repeated();

    // Versions may all carry the id of their val, but they come on no page that could overlap another.
    const fresh = paging === undefined ? rows : rows.filter((row) => isNew(row, seen));
    const page = fresh.slice(0, wanted - given);
    given += page.length;
    if (page.length > 0) yield page;
    stale = fresh.length === 0 ? stale + 1 : 0;
    if (stale === patience) return notes.repeated();

    if (given === wanted) {
      if (fresh.length > page.length || next) notes.more();
      return;
    }
    if (next === null || (next === undefined && paging === undefined)) return;
    last = rows;
    offset += rows.length;
    query = next === undefined ? { ...filters, limit: pageSize(), offset: String(offset) } : follow(next);
  }

  /** The filters go along, and a page stays as large as we want it where the link counts in offsets. */
  function follow(next: URLSearchParams): Query {
    const query: Query = { ...filters, ...Object.fromEntries(next) };
    return paging !== undefined && (next.has('offset') || !next.has('limit'))
      ? { ...query, limit: pageSize() }
      : query;
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
