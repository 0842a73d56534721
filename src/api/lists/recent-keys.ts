// Remembers the keys of the latest records of a list.

/** At least this many keys are remembered. A record that appears twice appears again soon, so the latest keys are enough. */
export const leastRemembered = 10_000;

/** Keeps two sets of keys. When the younger set is full, the older set is dropped. */
export class RecentKeys {
  #younger = new Set<string>();
  #older = new Set<string>();

  has(key: string): boolean {
    return this.#younger.has(key) || this.#older.has(key);
  }

  /** Returns false if the key is known. */
  add(key: string): boolean {
    if (this.has(key)) return false;
    this.#younger.add(key);
    if (this.#younger.size === leastRemembered) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    return true;
  }
}
