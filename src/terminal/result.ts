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
  /** The hint at a terminal if the list is empty, instead of the command's own. */
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
  /** At a terminal: the meaning of the difference. */
  heading?: string;
  /** At a terminal: the unified diff with its sides named. */
  shown: string;
}

/** Unified diffs; in JSON a record for each. */
export interface DiffsResult {
  kind: 'diffs';
  rows: readonly JsonObject[];
  sections: readonly Section[];
}

/** The outcome of each of several items. The error, if there is one, ends the command after they are shown. */
export interface OutcomesResult {
  kind: 'outcomes';
  rows: readonly JsonObject[];
  error?: ValsError | undefined;
}

/** A value without columns: it is JSON in every format. */
export interface JsonResult {
  kind: 'json';
  value: JsonValue;
}

/** Text that is written piece by piece, as it arrives. */
export interface PiecesResult {
  kind: 'pieces';
  pieces: AsyncIterable<Buffer>;
}

/** Several results. Each is shown before the next one is requested. */
interface SeriesResult {
  kind: 'series';
  results: AsyncIterable<JsonResult | PiecesResult>;
}

/** Text, byte for byte. */
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
