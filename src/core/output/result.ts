import type { ValsError } from '../errors.ts';
import type { Hints, WriteHints } from '../lib/hint.ts';
import type { JsonObject, JsonValue, Page } from '../lib/json.ts';
import type { Column } from './column.ts';
import { describeRows, type OutcomeRow } from './outcome.ts';

type Pages = AsyncIterable<Page>;

export interface RecordResult {
  kind: 'record';
  record: JsonObject;
  columns?: readonly Column[];
  /** A person sees these fields and no others, and below them the text. */
  forPerson?: { columns: readonly Column[]; text: string };
  error?: ValsError | undefined;
}

export interface ListResult {
  kind: 'list';
  /** If one of the things failed, its row has the error. */
  rows: readonly OutcomeRow[] | Pages;
  /** The pages have no end. Each is shown as it comes. */
  goesOn?: boolean;
  columns?: readonly Column[];
  inBlocks?: boolean;
  total?: JsonObject | undefined;
  emptyHint?: Hints;
  error?: ValsError | undefined;
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
  columns?: readonly Column[];
  error?: ValsError | undefined;
}

export interface JsonResult {
  kind: 'json';
  value: JsonValue;
}

export interface TextResult {
  kind: 'text';
  text: string | AsyncIterable<Buffer>;
}

export type Result = (
  | RecordResult
  | ListResult
  | DiffsResult
  | TextResult
  | JsonResult
  | { kind: 'nothing' }
) & {
  /**
   * The one line that a person sees in place of the record of a change. Without it, the line is made from the outcome. Empty
   * if a note has said it already.
   */
  sentence?: string | undefined;
};

/** The rows of a list that is there already. */
export type Rows = ListResult & { rows: readonly OutcomeRow[] };

/** The error of a command that could do only a part of its work. */
export const errorIn = (result: Result): ValsError | undefined =>
  'error' in result ? result.error : undefined;

/** A list that is there already is one page. */
export const pagesOf = async (rows: ListResult['rows'], write: WriteHints): Promise<Pages | Page[]> =>
  Symbol.asyncIterator in rows ? rows : [{ records: await describeRows(rows, write) }];

/** The rows of a command that says what became of each of several things. */
export const outcomesIn = (result: Result): readonly OutcomeRow[] =>
  result.kind === 'list' && !(Symbol.asyncIterator in result.rows) ? result.rows : [];

export function moreRecords(end: Page['end']): string | undefined {
  if (end === 'more') return 'There are more records.';
  return end === 'maybe' ? 'There may be more records.' : undefined;
}
