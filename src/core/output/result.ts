import type { ValsError } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import type { JsonObject, JsonValue, Page } from '../lib/json.ts';
import type { OutcomeRow } from '../lib/outcome.ts';
import type { Column } from './column.ts';

type Pages = AsyncIterable<Page>;

export interface RecordResult {
  kind: 'record';
  record: JsonObject;
  columns?: readonly Column[];
  error?: ValsError | undefined;
}

export interface ListLayout {
  columns?: readonly Column[];
  inBlocks?: boolean;
  total?: JsonObject | undefined;
}

export interface ListResult extends ListLayout {
  kind: 'list';
  emptyHint?: Hints;
  rows: readonly JsonObject[] | Pages;
  error?: ValsError | undefined;
}

export interface FollowingResult extends ListLayout {
  kind: 'following';
  pages: Pages;
}

export interface ShownDiff {
  patch: string;
  heading?: Hints;
  forTerminal: string;
}

export interface DiffsResult {
  kind: 'diffs';
  rows: readonly JsonObject[];
  diffs: readonly ShownDiff[];
  error?: ValsError | undefined;
}

export interface OutcomesResult {
  kind: 'outcomes';
  columns?: readonly Column[];
  rows: readonly OutcomeRow[];
  error?: ValsError | undefined;
}

export interface JsonResult {
  kind: 'json';
  value: JsonValue;
}

export interface PiecesResult {
  kind: 'pieces';
  pieces: AsyncIterable<Buffer>;
}

interface SeriesResult {
  kind: 'series';
  results: AsyncIterable<JsonResult | PiecesResult>;
}

/** One record of a command that goes on, such as a file that was pushed on save. */
export interface EventResult {
  kind: 'event';
  record: OutcomeRow;
  columns: readonly Column[];
}

/** Headings of the text are bold at a terminal. */
interface HelpResult {
  kind: 'help';
  text: string;
}

interface TextResult {
  kind: 'text';
  text: string;
}

interface NothingResult {
  kind: 'nothing';
}

export type Result =
  | RecordResult
  | ListResult
  | FollowingResult
  | DiffsResult
  | OutcomesResult
  | JsonResult
  | PiecesResult
  | SeriesResult
  | TextResult
  | HelpResult
  | EventResult
  | NothingResult;

/** The error of a command that could do only a part of its work. */
export const errorIn = (result: Result): ValsError | undefined =>
  'error' in result ? result.error : undefined;

/** A list that is there already is one page. */
export const pagesOf = (rows: ListResult['rows']): Pages | Page[] =>
  Symbol.asyncIterator in rows ? rows : [{ records: rows }];

export function moreRecords(end: Page['end']): string | undefined {
  if (end === 'more') return 'There are more records.';
  return end === 'maybe' ? 'There may be more records.' : undefined;
}
