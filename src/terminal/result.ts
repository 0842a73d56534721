import type { ValsError } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import type { JsonObject, JsonValue, Page } from '../lib/json.ts';
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
  rows: readonly JsonObject[];
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
  | NothingResult;
