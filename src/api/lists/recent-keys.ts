import { createHash } from 'node:crypto';
import { isTooLong } from '../records.ts';

export const leastRemembered = 10_000;

export class RecentKeys {
  #younger = new Set<string>();
  #older = new Set<string>();

  has(key: string): boolean {
    return this.#hasShort(shorten(key));
  }

  addIfNew(key: string): boolean {
    const short = shorten(key);
    if (this.#hasShort(short)) return false;
    this.#younger.add(short);
    if (this.#younger.size === leastRemembered) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    return true;
  }

  #hasShort(key: string): boolean {
    return this.#younger.has(key) || this.#older.has(key);
  }
}

/** Long keys are hashed, because thousands of them could fill the memory. */
const shorten = (key: string): string =>
  isTooLong(key) ? createHash('sha256').update(key).digest('base64') : key;
