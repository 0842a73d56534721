// Computes quantiles of durations in little memory. The quantiles are exact for up to 2,048 different durations. For
// more durations, the error is below 1%.

export interface Durations {
  /** Adds a duration in whole milliseconds. */
  add(ms: number): void;
  /**
   * For example, `quantile(0.95)` returns a duration that 95% of the durations do not exceed. Undefined if no duration
   * was added.
   */
  quantile(part: number): number | undefined;
}

/** If there are more different durations than this number, similar durations are counted together. */
const mostDistinct = 2_048;
/**
 * Durations up to this number of milliseconds are never counted together, because a difference of one millisecond is
 * already 0.5% of such a duration or more.
 */
const alwaysExact = 200;
/**
 * Durations that differ by less than this factor are counted together, as the middle of their group. The middle differs
 * from each duration of the group by at most 0.75%.
 */
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

/** Returns the middle of the group of durations that are counted together with this duration. */
function coarse(ms: number): number {
  if (ms <= alwaysExact) return ms;
  const upper = growth ** Math.ceil(Math.log(ms) / Math.log(growth));
  return (2 * upper) / (growth + 1);
}
