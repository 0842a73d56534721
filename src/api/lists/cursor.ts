// The position in a list: finds the new records of a page and the next page, and notices a list that repeats itself.
import { type JsonObject, stringifyJson, textOf } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import { RecentKeys } from './recent-keys.ts';

export interface Paging {
  /** The number of records, from all pages together. */
  limit?: number;
  offset?: number;
  all?: boolean;
  /** Compares records by their text: versions may all have the id of their val. */
  byText?: boolean;
}

export interface FetchedPage {
  page: Page;
  /** The query of the next page, null at the end of the list, undefined if the service does not say. */
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
/** After this many known records in a row, the list counts as circular. */
const mostKnown = 10_000;
/** After this many steps back, the list counts as circular. */
const mostStepsBack = 1_000;
/** After so many pages in a row without a new record, however short they are, the list counts as circular. */
const mostKnownPages = 1_000;

/** The most pages under way at a time. */
const mostAhead = 4;
/** After each four whole pages, one more page is requested ahead. */
const wholePagesPerPageAhead = 4;

/**
 * A list may change while it is read. New records push known ones onto the next page; their ids show that. Deleted records
 * pull unknown ones onto a page that was already read. So, once `--all` has seen the list move, each page begins with the
 * last record of the page before. If no record of a page is known, we go back until one is.
 */
export function createCursor(filters: URLSearchParams, paging: Paging | undefined, notes: ListNotes) {
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  const start = paging?.offset ?? 0;
  const seen = new RecentKeys();
  const byText = paging === undefined || paging.byText === true;
  /** Undefined for a record without an id: another record may have the same fields. */
  const keyOf = (record: JsonObject): string | undefined =>
    byText ? stringifyJson(record) : textOf(record.id);
  const isSeen = (record: JsonObject): boolean => {
    const key = keyOf(record);
    return key !== undefined && seen.has(key);
  };
  const hasKey = (record: JsonObject): boolean => keyOf(record) !== undefined;

  let offset = start;
  let givenCount = 0;
  /** Whether the last page had more new records than were wanted. */
  let leftOut = false;
  let previous: readonly JsonObject[] | undefined;
  /** How many times in a row a page was the same as the page before. */
  let repeats = 0;
  /** The number of known records, and of pages, since the last new record. */
  let knownRecords = 0;
  let knownPages = 0;
  let stepsBack = 0;
  let hasMoved = false;
  /** Whether the requested page begins with the last record of the page before. */
  let overlaps = false;
  /** Whether the page should overlap, but has no known record. */
  let isLost = false;
  /** The number of full pages in a row on a list that has not moved. */
  let wholePages = 0;
  /** Set while the head of the list is read again to see whether records arrived: the query to continue with. */
  let suspended: URLSearchParams | undefined;

  /** The records of a page for the caller; undefined if there are none. */
  function take({ page }: FetchedPage): Page | undefined {
    if (suspended) return undefined;
    const { records, isLarge } = page;
    isLost = overlaps && offset > start && !records.some(isSeen);
    if (isLost || records.length === 0) return undefined;
    repeats = isSamePage(records, previous) ? repeats + 1 : 0;
    const fresh = repeats > 0 ? [] : newAmong(records);
    knownRecords = fresh.length === 0 ? knownRecords + records.length : 0;
    knownPages = fresh.length === 0 ? knownPages + 1 : 0;
    // Without paging, pages never overlap: a page without a new record means that the list is circular.
    if (paging === undefined) return fresh.length > 0 ? page : undefined;
    const expectedCount = overlaps ? records.length - 1 : records.length;
    if (fresh.length < expectedCount) hasMoved = true;
    const isWhole = !hasMoved && records.length === largestPage && records.every(hasKey);
    wholePages = isWhole ? wholePages + 1 : 0;
    const chosen = fresh.slice(0, wanted - givenCount);
    leftOut = chosen.length < fresh.length;
    givenCount += chosen.length;
    return chosen.length === 0 ? undefined : { records: chosen, isLarge };
  }

  /** The records that were not given yet. From now on they count as given. */
  function newAmong(records: readonly JsonObject[]): JsonObject[] {
    return records.filter((record) => {
      const key = keyOf(record);
      return key === undefined || seen.add(key);
    });
  }

  /** The query of the page after this one; undefined at the end. `asked` is the query of this page. */
  function next(
    { page: { records }, next }: FetchedPage,
    asked: URLSearchParams,
  ): URLSearchParams | undefined {
    if (suspended) return resume(suspended, records);
    if (isLost) return stepBack();
    if (records.length === 0) return undefined;
    if (goesInCircles()) return circular();
    if (givenCount === wanted) {
      if (leftOut || next) notes.more();
      return undefined;
    }
    if (next === null || (next === undefined && paging === undefined)) return undefined;
    const query = queryAfter(records, next);
    if (query.toString() === asked.toString()) return circular();
    if (repeats < 2) return query;
    // A page came twice: the list grew by exactly a page, or the service ignores the offset. The head of the list tells.
    suspended = query;
    return atOffset(start);
  }

  /** Continues if the head of the list has a new record. Otherwise the service ignores the offset. */
  function resume(query: URLSearchParams, head: readonly JsonObject[]): URLSearchParams | undefined {
    suspended = undefined;
    const hasGrown = head.some((record) => hasKey(record) && !isSeen(record));
    return hasGrown ? query : circular();
  }

  function stepBack(): URLSearchParams | undefined {
    stepsBack += 1;
    if (stepsBack > mostStepsBack) return circular();
    offset = Math.max(start, offset - (previous?.length ?? 0) + 1);
    return atOffset(offset);
  }

  function queryAfter(records: readonly JsonObject[], link: URLSearchParams | undefined): URLSearchParams {
    previous = records;
    offset += records.length;
    overlaps = canOverlap(link);
    if (overlaps) {
      offset -= 1;
      return atOffset(offset);
    }
    return leadsOn(link) ? follow(link) : atOffset(offset);
  }

  /**
   * How many pages after the next one to request ahead. Such a page may be answered before the pages in front of it. If a
   * record arrives meanwhile, a known record shows up on a page in front, and the pages ahead are thrown away. That needs
   * ids, and a list that does not move.
   */
  function countAhead(next: URLSearchParams): number {
    const earned = Math.floor(wholePages / wholePagesPerPageAhead);
    const left = Math.ceil((wanted - givenCount) / largestPage) - 1;
    const count = Math.min(earned, left, mostAhead - 1);
    return count > 0 && isSameQuery(next, atOffset(offset)) ? count : 0;
  }

  /** The query of the page that is this many pages after the next one. */
  const queryAhead = (pages: number): URLSearchParams =>
    atOffset(offset + pages * largestPage, pages * largestPage);

  function goesInCircles(): boolean {
    if (paging === undefined) return knownRecords > 0;
    return knownRecords >= mostKnown || knownPages >= mostKnownPages;
  }

  function circular(): undefined {
    notes.circular();
  }

  /** Overlapping needs a service that counts offsets as we do, and pages of more than one record. */
  function canOverlap(link: URLSearchParams | undefined): boolean {
    const countsAsWeDo = link === undefined || link.get('offset') === String(offset);
    const hasSeveral = previous !== undefined && previous.length > 1;
    return hasMoved && countsAsWeDo && paging?.all === true && hasSeveral;
  }

  const pageSize = (expected = 0): number => Math.min(largestPage, wanted - givenCount - expected);

  /** `expected`: the number of records on the pages between here and the position. */
  function atOffset(position: number, expected = 0): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(pageSize(expected)));
    query.set('offset', String(position));
    return query;
  }

  /** Some services send a link without a query, or with nothing in it but our own filters. */
  function leadsOn(link: URLSearchParams | undefined): link is URLSearchParams {
    if (link === undefined) return false;
    return [...link].some(([key, value]) => key !== 'limit' && filters.get(key) !== value);
  }

  /** The query of the link, with our filters if they are missing, and our page size at most. */
  function follow(link: URLSearchParams): URLSearchParams {
    const query = new URLSearchParams(link);
    for (const [key, value] of filters) {
      if (!query.has(key)) query.set(key, value);
    }
    if (paging !== undefined) {
      const limit = query.has('offset') ? pageSize() : Number(query.get('limit')) || largestPage;
      query.set('limit', String(Math.min(limit, largestPage)));
    }
    return query;
  }

  return { first: paging === undefined ? filters : atOffset(offset), take, next, countAhead, queryAhead };
}

export function isSameQuery(a: URLSearchParams | undefined, b: URLSearchParams | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.toString() === b.toString() || inOrder(a) === inOrder(b);
}

function inOrder(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
}

function isSamePage(records: readonly JsonObject[], last: readonly JsonObject[] | undefined): boolean {
  if (records.length !== last?.length) return false;
  return records.every((record, index) => stringifyJson(record) === stringifyJson(last[index]));
}
