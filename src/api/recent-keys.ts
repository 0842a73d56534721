// The keys of the records given last. As numbers in place, because a million texts that live for a while are what
// makes a heap grow.

/** While a list moves, what was given comes again near the place where it was, so a window will do. */
export const leastRemembered = 10_000;
const slots = 32_768;

/** Two generations: the older one goes when the younger is full. */
export class RecentKeys {
  #younger = new Uint32Array(2 * slots);
  #older = new Uint32Array(2 * slots);
  #size = 0;
  /** Of its own in each run, so that no service can make two keys look alike. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  has(key: string | undefined): boolean {
    if (key === undefined) return false;
    const [low, high] = this.#digest(key);
    return isIn(this.#younger, low, high) || isIn(this.#older, low, high);
  }

  /** Whether the key is new. A record without one cannot be told from its twin, so it always is. */
  add(key: string | undefined): boolean {
    if (key === undefined) return true;
    const [low, high] = this.#digest(key);
    if (isIn(this.#older, low, high) || isIn(this.#younger, low, high)) return false;
    if (this.#size === leastRemembered) {
      [this.#older, this.#younger] = [this.#younger, this.#older.fill(0)];
      this.#size = 0;
    }
    put(this.#younger, low, high);
    this.#size++;
    return true;
  }

  /** 64 bits: two of a million keys are alike once in ten million runs. */
  #digest(key: string): [low: number, high: number] {
    let low = this.#seed;
    let high = ~this.#seed;
    for (let index = 0; index < key.length; index++) {
      const code = key.charCodeAt(index);
      low = Math.imul(low ^ code, 2_654_435_761);
      high = Math.imul(high ^ code, 1_597_334_677);
    }
    low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
    high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
    // A slot of zeros is a free one.
    return [low >>> 0 || 1, high >>> 0];
  }
}

/** Where the digest stands, or the free slot where it belongs. */
function slotOf(table: Uint32Array, low: number, high: number): number {
  let slot = low % slots;
  while (table[2 * slot] !== 0 && (table[2 * slot] !== low || table[2 * slot + 1] !== high)) {
    slot = (slot + 1) % slots;
  }
  return slot;
}

const isIn = (table: Uint32Array, low: number, high: number): boolean =>
  table[2 * slotOf(table, low, high)] !== 0;

function put(table: Uint32Array, low: number, high: number): void {
  const slot = slotOf(table, low, high);
  table[2 * slot] = low;
  table[2 * slot + 1] = high;
}
