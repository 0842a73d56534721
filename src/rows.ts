// The records of one page of a list. Most are passed on as they came, so they are parsed only when looked into.
import { JsonNumber, type JsonObject, stringifyJson } from './json.ts';

export interface Rows {
  readonly length: number;
  /** The record's id as text, digit for digit; undefined where it has none. */
  idAt(index: number): string | undefined;
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
  idAt: (index) => idOf(records[index]),
  textAt: (index) => stringifyJson(records[index]),
  records: () => records,
  pick: (indexes) => rowsOfRecords(indexes.map((index) => records[index] as JsonObject)),
  sent: () => undefined,
});

function idOf(record: JsonObject | undefined): string | undefined {
  const id = record?.id;
  if (typeof id === 'string') return id;
  if (typeof id === 'number') return String(id);
  return id instanceof JsonNumber ? id.text : undefined;
}
