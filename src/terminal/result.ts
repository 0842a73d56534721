// The result of a command: data, which is rendered in the format that the user asked for.
import type { ValsError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Page } from '../lib/page.ts';
import type { Column } from './column.ts';

/** A list, page by page, as it arrives. */
type Pages = AsyncIterable<Page>;

export interface RecordResult {
  kind: 'record';
  record: JsonObject;
  /** Used instead of the command's own columns. */
  columns?: readonly Column[];
  /** Ends the command after the record is shown, because only a part of the work was done. */
  error?: ValsError | undefined;
}

export interface ListLayout {
  /** Used instead of the command's own columns. */
  columns?: readonly Column[];
  /** At a terminal, each record is a block of lines instead of a row. */
  inBlocks?: boolean;
  /** At a terminal: a last row with the totals. */
  total?: JsonObject | undefined;
}

export interface ListResult extends ListLayout {
  kind: 'list';
  /** The hint that a terminal shows if the list is empty. It replaces the hint of the command. */
  empty?: string;
  rows: readonly JsonObject[] | Pages;
}

/** A list without an end. Its records are shown as they come, in every format. */
export interface FollowingResult extends ListLayout {
  kind: 'following';
  pages: Pages;
}

/** One difference between two texts. */
export interface Section {
  /** The unified diff, as `patch` reads it. */
  patch: string;
  /** The heading above the diff at a terminal. It tells the meaning of the difference. */
  heading?: string;
  /** The unified diff at a terminal, with names for both sides. */
  shown: string;
}

/** Unified diffs. In JSON, each diff is a record. */
export interface DiffsResult {
  kind: 'diffs';
  rows: readonly JsonObject[];
  sections: readonly Section[];
}

/** The outcome of each of several items. If there is an error, it ends the command after the outcomes are shown. */
export interface OutcomesResult {
  kind: 'outcomes';
  rows: readonly JsonObject[];
  error?: ValsError | undefined;
}

/** A value without columns. It is printed as JSON in every format. */
export interface JsonResult {
  kind: 'json';
  value: JsonValue;
}

/** Text that is written piece by piece, as it arrives. */
export interface PiecesResult {
  kind: 'pieces';
  pieces: AsyncIterable<Buffer>;
}

/** Several results. Each result is shown before the next result is requested. */
interface SeriesResult {
  kind: 'series';
  results: AsyncIterable<JsonResult | PiecesResult>;
}

/** Text that is printed byte for byte. */
export interface TextResult {
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
  | NothingResult;
