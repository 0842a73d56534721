// The records of one page of a list.
import type { JsonObject } from './json.ts';
import { interruptible } from './signals.ts';

export interface Rows {
  readonly records: readonly JsonObject[];
  /** Whether reading and writing the records may take so long that a signal would go unheard. */
  readonly isLarge: boolean;
}

export const rowsOfRecords = (records: readonly JsonObject[], isLarge = false): Rows => ({
  records,
  isLarge,
});

/** An answer of this many bytes takes a noticeable part of a second to read and write. */
export const isLarge = (bytes: number): boolean => bytes > 262_144;

/** Works on the records of one page. A signal ends the work on a large one. */
export const workOn = async <T>(rows: Rows, work: () => T): Promise<T> =>
  rows.isLarge ? interruptible(work) : work();
