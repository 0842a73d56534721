import type { JsonObject } from './json.ts';
import { interruptible } from './signals.ts';

export interface Page {
  readonly records: readonly JsonObject[];
  readonly isLarge?: boolean;
}

/** Parsing or printing a large page takes so long that the user must be able to interrupt it. */
export const isLarge = (bytes: number): boolean => bytes > 262_144;

export const interruptibleIfLarge = async <T>(page: Pick<Page, 'isLarge'>, work: () => T): Promise<T> =>
  page.isLarge ? interruptible(work) : work();
