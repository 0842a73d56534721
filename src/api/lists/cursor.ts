// The position in a list: finds the new records of a page and the next page, and notices a list that repeats itself.
import { type JsonObject, stringifyJson, textOf } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import { RecentKeys } from './recent-keys.ts';

export interface Paging {
  /** The number of records that the user wants, from all pages together. */
  limit?: number;
  offset?: number;
  all?: boolean;
  /** Compares records by their text instead of their id. All versions of a val may have the id of the val. */
  byText?: boolean;
}

export interface FetchedPage {
  page: Page;
  /** The query of the next page, null at the end of the list, undefined if the service does not say. */
  next: URLSearchParams | null | undefined;
}

export interface ListNotes {
  /** Tells the user that the list ended early, because the service repeats the same records. */
  circular(): void;
  /** Tells the user that the list has more records than the user wanted. */
  more(): void;
}

const defaultLimit = 20;
const largestPage = 100;
/** After this many known records in a row, the list counts as circular. */
const mostKnown = 10_000;
/** After this many steps back, the list counts as circular. */
const mostStepsBack = 1_000;
/** After this many pages in a row without a new record, the list counts as circular, even if the pages are short. */
const mostKnownPages = 1_000;

/** The most pages under way at a time. */
const mostAhead = 4;
/** After each four whole pages, one more page is requested ahead. */
const wholePagesPerPageAhead = 4;

/**
 * A list may change while it is read. New records push known records onto the next page. Their ids show that they are
 * known. Deleted records pull unknown records onto a page that was already read. So, once `--all` has seen the list move,
 * each page begins with the last record of the page before. If a page has no known record, the cursor goes back until it
 * finds a known record.
 */
export function createCursor(filters: URLSearchParams, paging: Paging | undefined, notes: ListNotes) {
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  const start = paging?.offset ?? 0;
  const seen = new RecentKeys();
  const byText = paging === undefined || paging.byText === true;
  /** Undefined for a record without an id. Its fields are no key, because another record may have the same fields. */
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
  /** `knownRecords` and `knownPages` count the known records and the pages since the last new record. */
  let knownRecords = 0;
  let knownPages = 0;
  let stepsBack = 0;
  let hasMoved = false;
  /** Whether the requested page begins with the last record of the page before. */
  let overlaps = false;
  /** Whether the page should overlap the page before, but has no known record. */
  let isLost = false;
  /** The number of full pages in a row on a list that has not moved. */
  let wholePages = 0;
  /** The query to continue with, while the head of the list is read again to look for new records. Undefined otherwise. */
  let suspended: URLSearchParams | undefined;

  /** Returns the records of a page that the caller gets, or undefined if the caller gets none. */
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

  /** Returns the records that the caller does not have yet. From now on, these records count as known. */
  function newAmong(records: readonly JsonObject[]): JsonObject[] {
    return records.filter((record) => {
      const key = keyOf(record);
      return key === undefined || seen.add(key);
    });
  }

  /** Returns the query of the next page; undefined at the end of the list. `asked` is the query of the current page. */
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
    // A page came twice: the list grew by exactly a page, or the service ignores the offset. A new
    // record at the head of the list shows that the list grew.
    suspended = query;
    return atOffset(start);
  }

  /** If the head of the list has a new record, continues with the query. If not, the service ignores the offset. */
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
   * record arrives meanwhile, a known record shows up on a page in front, and the pages ahead are thrown away. So pages are
   * requested ahead only if the records have ids and the list does not move.
   */
  function countAhead(next: URLSearchParams): number {
    const earned = Math.floor(wholePages / wholePagesPerPageAhead);
    const left = Math.ceil((wanted - givenCount) / largestPage) - 1;
    const count = Math.min(earned, left, mostAhead - 1);
    return count > 0 && isSameQuery(next, atOffset(offset)) ? count : 0;
  }

  /** The query of the page that comes `pages` pages after the next page. */
  const queryAhead = (pages: number): URLSearchParams =>
    atOffset(offset + pages * largestPage, pages * largestPage);

  function goesInCircles(): boolean {
    if (paging === undefined) return knownRecords > 0;
    return knownRecords >= mostKnown || knownPages >= mostKnownPages;
  }

  function circular(): undefined {
    notes.circular();
  }

  /** Pages can overlap only if the service counts offsets in records, as vals does, and if a page has more than one record. */
  function canOverlap(link: URLSearchParams | undefined): boolean {
    const countsAsWeDo = link === undefined || link.get('offset') === String(offset);
    const hasSeveral = previous !== undefined && previous.length > 1;
    return hasMoved && countsAsWeDo && paging?.all === true && hasSeveral;
  }

  const pageSize = (expected = 0): number => Math.min(largestPage, wanted - givenCount - expected);

  /** `expected`: the number of records on the pages between the current page and the position. */
  function atOffset(position: number, expected = 0): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(pageSize(expected)));
    query.set('offset', String(position));
    return query;
  }

  /** Whether a link leads to another page. Some services send a link without a query, or with only the filters of vals. */
  function leadsOn(link: URLSearchParams | undefined): link is URLSearchParams {
    if (link === undefined) return false;
    return [...link].some(([key, value]) => key !== 'limit' && filters.get(key) !== value);
  }

  /** The query of the link. Adds the filters that the link lacks, and limits the page size. */
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
