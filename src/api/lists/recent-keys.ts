export const leastRemembered = 10_000;

/** Remembers the keys of the last records, so that a list of any length needs little memory. */
export class RecentKeys {
  #younger = new Set<string>();
  #older = new Set<string>();

  has(key: string): boolean {
    return this.#younger.has(key) || this.#older.has(key);
  }

  add(key: string): void {
    this.#younger.add(key);
    if (this.#younger.size < leastRemembered) return;
    this.#older = this.#younger;
    this.#younger = new Set();
  }
}
