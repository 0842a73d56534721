// Durations, counted so that their quantiles can be told from little memory: exactly while few differ, then to 1%.

export interface Durations {
  /** In whole milliseconds. */
  add(ms: number): void;
  /** The shortest that at least this part of all does not exceed; undefined where there are none. */
  quantile(part: number): number | undefined;
}

/** While no more than so many differ, each is counted as it is. */
const mostDistinct = 2_048;
/** Up to here a millisecond is half a percent or more, so rounding would cost too much. */
const alwaysExact = 200;
/** Longer ones share a count with their neighbours; the middle is at most 0.75% from either end. */
const growth = 1.015;

export function createDurations(): Durations {
  let counts = new Map<number, number>();
  let total = 0;
  let isCoarse = false;
  const count = (ms: number, times: number) => void counts.set(ms, (counts.get(ms) ?? 0) + times);

  return {
    add(ms) {
      total++;
      count(isCoarse ? coarse(ms) : ms, 1);
      if (isCoarse || counts.size <= mostDistinct) return;
      const exact = counts;
      counts = new Map();
      isCoarse = true;
      for (const [each, times] of exact) count(coarse(each), times);
    },

    quantile(part) {
      const rank = Math.max(1, Math.ceil(part * total));
      let passed = 0;
      for (const [ms, times] of [...counts].sort(([a], [b]) => a - b)) {
        passed += times;
        if (passed >= rank) return Math.round(ms);
      }
      return undefined;
    },
  };
}

/** The middle of the neighbours that are counted together. */
function coarse(ms: number): number {
  if (ms <= alwaysExact) return ms;
  const upper = growth ** Math.ceil(Math.log(ms) / Math.log(growth));
  return (2 * upper) / (growth + 1);
}
