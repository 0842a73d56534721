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
