export const isLong = process.env.VALS_TEST_LONG === '1';

export const budget = (usual: number): number => (isLong ? 20 * usual : usual);

export interface Chance {
  fraction(): number;
  between(least: number, most: number): number;
  oneOf<Item>(items: readonly Item[]): Item;
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    between,
    oneOf: (items) => items[between(0, items.length - 1)] as (typeof items)[number],
  };
}
