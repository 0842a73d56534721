import { BadResponseError } from '../../errors.ts';
import { type JsonObject, stringifyJson, textOf } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import { createLinkCheck } from './link-check.ts';
import { RecentKeys } from './recent-keys.ts';

export interface Paging {
  limit?: number;
  offset?: number;
  all?: boolean;
  byText?: boolean;
  /** The list ends with an error if the service sends the same records again and again. Otherwise, with a warning. */
  mustBeWhole?: boolean;
}

export interface FetchedPage {
  page: Page;
  /** `next` is null at the end of the list, and undefined if the service sends no links. */
  next: URLSearchParams | null | undefined;
  bytes?: number;
}

export interface ListNotes {
  circular(): void;
  more(): void;
}

const defaultLimit = 20;
const largestPage = 100;
const mostKnownRecordsInRow = 10_000;
const mostKnownPagesInRow = 1_000;
const mostStepsBack = 1_000;

const mostWithoutPaging = 1_000_000;

const endless = (): BadResponseError =>
  new BadResponseError(
    `The service sent a list of more than ${mostWithoutPaging.toLocaleString('en')} records, so vals stopped reading the list.`,
    {
      hint: 'Ask the person who runs the service why the list does not end.',
    },
  );

const mostPagesUnderWay = 4;
const fullPagesPerPageAhead = 4;

export function createCursor(filters: URLSearchParams, paging: Paging | undefined, notes: ListNotes) {
  const wanted = paging === undefined || paging.all ? Infinity : (paging.limit ?? defaultLimit);
  const start = paging?.offset ?? 0;
  const seen = new RecentKeys();
  const links = createLinkCheck();
  const byText = paging === undefined || paging.byText === true;
  const keyOf = (record: JsonObject): string | undefined =>
    byText ? stringifyJson(record) : textOf(record.id);
  const isSeen = (record: JsonObject): boolean => {
    const key = keyOf(record);
    return key !== undefined && seen.has(key);
  };
  const hasKey = (record: JsonObject): boolean => keyOf(record) !== undefined;

  let offset = start;
  let givenCount = 0;
  let leftOut = false;
  let previous: readonly JsonObject[] | undefined;
  let samePagesInRow = 0;
  let knownRecordsInRow = 0;
  let knownPagesInRow = 0;
  let stepsBack = 0;
  let hasChanged = false;
  let overlaps = false;
  let lacksOverlap = false;
  let fullPagesInRow = 0;
  let queryAfterHead: URLSearchParams | undefined;

  function takeNewRecords({ page }: FetchedPage): Page | undefined {
    if (queryAfterHead) return undefined;
    const { records, isLarge } = page;
    lacksOverlap = overlaps && offset > start && !records.some(isSeen);
    if (lacksOverlap || records.length === 0) return undefined;
    samePagesInRow = isSamePage(records, previous) ? samePagesInRow + 1 : 0;
    const fresh = samePagesInRow > 0 ? [] : newAmong(records);
    knownRecordsInRow = fresh.length === 0 ? knownRecordsInRow + records.length : 0;
    knownPagesInRow = fresh.length === 0 ? knownPagesInRow + 1 : 0;
    if (paging === undefined) {
      givenCount += fresh.length;
      if (givenCount > mostWithoutPaging) throw endless();
      return fresh.length > 0 ? page : undefined;
    }
    const expectedCount = overlaps ? records.length - 1 : records.length;
    if (fresh.length < expectedCount) hasChanged = true;
    const isFull = !hasChanged && records.length === largestPage && records.every(hasKey);
    fullPagesInRow = isFull ? fullPagesInRow + 1 : 0;
    const chosen = fresh.slice(0, wanted - givenCount);
    leftOut = chosen.length < fresh.length;
    givenCount += chosen.length;
    return chosen.length === 0 ? undefined : { records: chosen, isLarge };
  }

  function newAmong(records: readonly JsonObject[]): JsonObject[] {
    return records.filter((record) => {
      const key = keyOf(record);
      return key === undefined || seen.addIfNew(key);
    });
  }

  function nextQuery(
    { page: { records }, next }: FetchedPage,
    currentQuery: URLSearchParams,
  ): URLSearchParams | undefined {
    if (queryAfterHead) return resume(queryAfterHead, records);
    if (lacksOverlap) return stepBack();
    if (records.length === 0) return undefined;
    if (goesInCircles()) return circular();
    if (givenCount === wanted) {
      if (leftOut || next) notes.more();
      return undefined;
    }
    if (next === null || (next === undefined && paging === undefined)) return undefined;
    const query = queryAfter(records, next);
    // A repeated link means a circle. A repeated offset does not, because `stepBack` returns to earlier offsets.
    const isLink = paging === undefined || !query.has('offset');
    if (query.toString() === currentQuery.toString() || (isLink && links.isRepeated(query)))
      return circular();
    if (samePagesInRow < 2) return query;
    queryAfterHead = query;
    return atOffset(start);
  }

  function resume(query: URLSearchParams, head: readonly JsonObject[]): URLSearchParams | undefined {
    queryAfterHead = undefined;
    const hasGrown = head.some((record) => hasKey(record) && !isSeen(record));
    return hasGrown ? query : circular();
  }

  function stepBack(): URLSearchParams | undefined {
    stepsBack += 1;
    if (stepsBack > mostStepsBack) return circular();
    offset = Math.max(start, offset - (previous?.length ?? 0) + 1);
    return atOffset(offset);
  }

  /**
   * If `overlaps` is true, the next page starts at the last record of this page. If the next page then has no record
   * that was already read, a deletion has moved records to an earlier page, and `stepBack` returns to that page.
   */
  function queryAfter(records: readonly JsonObject[], link: URLSearchParams | undefined): URLSearchParams {
    previous = records;
    offset += records.length;
    overlaps = canOverlap(link);
    if (overlaps) {
      offset -= 1;
      return atOffset(offset);
    }
    return leadsToNextPage(link) ? queryOfLink(link) : atOffset(offset);
  }

  function countAhead(next: URLSearchParams): number {
    const earned = Math.floor(fullPagesInRow / fullPagesPerPageAhead);
    const left = Math.ceil((wanted - givenCount) / largestPage) - 1;
    const count = Math.min(earned, left, mostPagesUnderWay - 1);
    return count > 0 && isSameQuery(next, atOffset(offset)) ? count : 0;
  }

  const queryAhead = (pages: number): URLSearchParams =>
    atOffset(offset + pages * largestPage, pages * largestPage);

  function goesInCircles(): boolean {
    if (paging === undefined) return knownRecordsInRow > 0;
    return knownRecordsInRow >= mostKnownRecordsInRow || knownPagesInRow >= mostKnownPagesInRow;
  }

  function circular(): undefined {
    notes.circular();
  }

  function canOverlap(link: URLSearchParams | undefined): boolean {
    const countsRecords = link === undefined || link.get('offset') === String(offset);
    const hasSeveral = previous !== undefined && previous.length > 1;
    return hasChanged && countsRecords && paging?.all === true && hasSeveral;
  }

  const pageSize = (skipped = 0): number => Math.min(largestPage, wanted - givenCount - skipped);

  function atOffset(position: number, skipped = 0): URLSearchParams {
    const query = new URLSearchParams(filters);
    query.set('limit', String(pageSize(skipped)));
    query.set('offset', String(position));
    return query;
  }

  function leadsToNextPage(link: URLSearchParams | undefined): link is URLSearchParams {
    if (link === undefined) return false;
    return [...link].some(([key, value]) => key !== 'limit' && filters.get(key) !== value);
  }

  function queryOfLink(link: URLSearchParams): URLSearchParams {
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

  return {
    firstQuery: paging === undefined ? filters : atOffset(offset),
    takeNewRecords,
    nextQuery,
    countAhead,
    queryAhead,
  };
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
