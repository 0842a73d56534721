// One page of a list.
import type { JsonObject } from './json.ts';
import { interruptible } from './signals.ts';

export interface Page {
  readonly records: readonly JsonObject[];
  /** Whether work on the records may take long. A signal must then be able to end the work. */
  readonly isLarge?: boolean;
}

/** An answer of this many bytes takes a noticeable part of a second to read and write. */
export const isLarge = (bytes: number): boolean => bytes > 262_144;

/** Runs work on the records of a page. On a large page, a signal ends the work at once. */
export const interruptibleIfLarge = async <T>(page: Page, work: () => T): Promise<T> =>
  page.isLarge ? interruptible(work) : work();
