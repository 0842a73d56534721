// The keys of the records that were given last.

/** A record that comes again comes soon after the first time, so the latest keys are enough. */
export const leastRemembered = 10_000;

/** Keeps two generations of keys. When the younger one is full, the older one is dropped. */
export class RecentKeys {
  #younger = new Set<string>();
  #older = new Set<string>();

  has(key: string): boolean {
    return this.#younger.has(key) || this.#older.has(key);
  }

  /** Whether the key is new. */
  add(key: string): boolean {
    if (this.#older.has(key)) return false;
    const { size } = this.#younger;
    const isNew = this.#younger.add(key).size > size;
    if (this.#younger.size === leastRemembered) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    return isNew;
  }
}
