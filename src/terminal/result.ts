// What a command can give back: data, which is rendered in the one format that was asked for.
import type { ValsError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Rows } from '../lib/rows.ts';
import type { Column } from './column.ts';

/** A list, page by page, as it arrives. */
export type Pages = AsyncIterable<Rows>;

/** What is shown otherwise than the command's own columns would show it. */
export class WithColumns {
  /** At a terminal, each record as a block of lines instead of a row. */
  readonly inBlocks: boolean;
  /** At a terminal, a last row for the others together. */
  readonly total: JsonObject | undefined;

  constructor(
    readonly result: JsonObject | readonly JsonObject[] | Pages | Following,
    readonly columns: readonly Column[],
    { inBlocks = false, total }: { inBlocks?: boolean; total?: JsonObject | undefined } = {},
  ) {
    this.inBlocks = inBlocks;
    this.total = total;
  }
}

/** One difference, as `patch` takes it and as a person sees it. */
export interface Section {
  patch: string;
  /** What it means. */
  heading?: string;
  /** With its sides named, and in the direction in which it would be brought. */
  shown: string;
}

/** Differences: unified, a section each, and in JSON a record each. */
export class Differences {
  constructor(
    readonly rows: readonly JsonObject[],
    readonly sections: readonly Section[],
  ) {}
}

/** What became of many things, a row each; the error ends the command once they are shown. */
export class Outcomes {
  constructor(
    readonly rows: readonly JsonObject[],
    readonly error?: ValsError,
  ) {}
}

/** A value of whatever shape: it has no columns, so it is JSON in every format. */
export class AsJson {
  constructor(readonly value: JsonValue) {}
}

/** Text in pieces, none of which is waited for longer than it takes to come. */
export class Pieces {
  constructor(readonly pieces: AsyncIterable<Buffer>) {}
}

/** Results one after another: each is shown before the next is asked for. */
export class InTurn {
  constructor(readonly results: AsyncIterable<AsJson | Pieces>) {}
}

/** A list without an end: its records are shown as they come, in every format. */
export class Following {
  constructor(readonly pages: Pages) {}
}

/** A record, a list, rows that are all there, one of the classes above, a text as it is, or nothing. */
export type Result =
  | JsonObject
  | WithColumns
  | Outcomes
  | Differences
  | AsJson
  | Pieces
  | InTurn
  | Following
  | Pages
  | readonly JsonObject[]
  | string
  | undefined;
