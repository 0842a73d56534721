import type { JsonObject } from './json.ts';
import { interruptible } from './signals.ts';

export interface Page {
  readonly records: readonly JsonObject[];
  readonly isLarge?: boolean;
}

/** Reading and writing this many bytes takes a noticeable part of a second. */
export const isLarge = (bytes: number): boolean => bytes > 262_144;

export const interruptibleIfLarge = async <T>(page: Page, work: () => T): Promise<T> =>
  page.isLarge ? interruptible(work) : work();
