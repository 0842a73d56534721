// The records of one page of a list. Most are passed on as they came, so they are parsed only when looked into.
import { type Digest, digestOfText } from './digest.ts';
import { type JsonObject, stringifyJson, textOf } from './json.ts';
import { interruptible } from './signals.ts';

export interface Rows {
  readonly length: number;
  /** Whether reading and writing the records may take so long that a signal would go unheard. */
  readonly isLarge: boolean;
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

export const rowsOfRecords = (records: readonly JsonObject[], isLarge = false): Rows => ({
  length: records.length,
  isLarge,
  idAt: (index) => textOf(records[index]?.id),
  keyAt: (index) => keyOf(textOf(records[index]?.id)),
  textAt: (index) => stringifyJson(records[index]),
  records: () => records,
  pick: (indexes) =>
    rowsOfRecords(
      indexes.map((index) => records[index] as JsonObject),
      isLarge,
    ),
  sent: () => undefined,
});

/** What a body of this many bytes makes of a second's work is a part of one; a service may send far more. */
export const isLarge = (bytes: number): boolean => bytes > 262_144;

/** Work on the records of one page. */
export const workOn = async <T>(rows: Rows, work: () => T): Promise<T> =>
  rows.isLarge ? interruptible(work) : work();

export const keyOf = (id: string | undefined): Digest | undefined =>
  id === undefined ? undefined : digestOfText(id);
