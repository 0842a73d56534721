export const leastRemembered = 10_000;

export class RecentKeys {
  #younger = new Set<string>();
  #older = new Set<string>();

  has(key: string): boolean {
    return this.#younger.has(key) || this.#older.has(key);
  }

  addIfNew(key: string): boolean {
    if (this.has(key)) return false;
    this.#younger.add(key);
    if (this.#younger.size === leastRemembered) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    return true;
  }
}
