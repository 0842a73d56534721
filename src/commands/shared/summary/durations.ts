// Counts durations so that quantiles need little memory: exact for few different durations, else within 1%.

export interface Durations {
  /** In whole milliseconds. */
  add(ms: number): void;
  /** The shortest duration that at least this share of all does not exceed; undefined if there are none. */
  quantile(part: number): number | undefined;
}

/** Up to so many different durations are counted exactly. */
const mostDistinct = 2_048;
/** Shorter durations are never rounded: a millisecond is half a percent or more of them. */
const alwaysExact = 200;
/** Longer durations share a count with their neighbours, whose middle is at most 0.75% away. */
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

/** The middle of the durations that share a count. */
function coarse(ms: number): number {
  if (ms <= alwaysExact) return ms;
  const upper = growth ** Math.ceil(Math.log(ms) / Math.log(growth));
  return (2 * upper) / (growth + 1);
}
