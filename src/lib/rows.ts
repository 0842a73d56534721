// The records of one page of a list. Most are passed on as they came, so they are parsed only when looked into.
import { type Digest, digestOfText } from './digest.ts';
import { type JsonObject, stringifyJson, textOf } from './json.ts';

export interface Rows {
  readonly length: number;
  /** The record's id as text, digit for digit; undefined where it has none. */
  idAt(index: number): string | undefined;
  /** Equal ids have equal keys; undefined where it has none. */
  keyAt(index: number): Digest | undefined;
  /** Equal texts are equal records. */
  textAt(index: number): string;
  records(): readonly JsonObject[];
  /** These alone. */
  pick(indexes: readonly number[]): Rows;
  /** The records as they were sent, safe to print, each with this after it; undefined where they must be written. */
  sent(after: ',' | '\n'): Buffer | undefined;
}

export const rowsOfRecords = (records: readonly JsonObject[]): Rows => ({
  length: records.length,
  idAt: (index) => textOf(records[index]?.id),
  keyAt: (index) => keyOf(textOf(records[index]?.id)),
  textAt: (index) => stringifyJson(records[index]),
  records: () => records,
  pick: (indexes) => rowsOfRecords(indexes.map((index) => records[index] as JsonObject)),
  sent: () => undefined,
});

export const keyOf = (id: string | undefined): Digest | undefined =>
  id === undefined ? undefined : digestOfText(id);
