// The keys of the records given last, in place.
import type { Digest } from '../../lib/digest.ts';

/** While a list moves, what was given comes again near the place where it was, so a window will do. */
export const leastRemembered = 10_000;
const slots = 32_768;

/** Two generations: the older one goes when the younger is full. */
export class RecentKeys {
  #younger = new Int32Array(2 * slots);
  #older = new Int32Array(2 * slots);
  #size = 0;

  has(key: Digest | undefined): boolean {
    return key !== undefined && (isIn(this.#younger, key) || isIn(this.#older, key));
  }

  /** Whether the key is new. A record without one cannot be told from its twin, so it always is. */
  add(key: Digest | undefined): boolean {
    if (key === undefined) return true;
    if (this.has(key)) return false;
    if (this.#size === leastRemembered) {
      [this.#older, this.#younger] = [this.#younger, this.#older.fill(0)];
      this.#size = 0;
    }
    const slot = slotOf(this.#younger, key);
    this.#younger[slot] = key.low;
    this.#younger[slot + 1] = key.high;
    this.#size++;
    return true;
  }
}

const isIn = (table: Int32Array, key: Digest): boolean => table[slotOf(table, key)] !== 0;

/** Where the key stands, or the free place where it belongs: two zeros. */
function slotOf(table: Int32Array, { low, high }: Digest): number {
  let slot = (low & (slots - 1)) * 2;
  while (table[slot] !== 0 && (table[slot] !== low || table[slot + 1] !== high)) {
    slot = (slot + 2) % (2 * slots);
  }
  return slot;
}
