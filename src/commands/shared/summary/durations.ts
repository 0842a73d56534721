// Computes quantiles of durations in little memory. The quantiles are exact for up to 2,048 different durations. For
// more durations, the error is below 1%.

export interface Durations {
  add(ms: number): void;
  /** For example, 95% of the durations are at most `quantile(0.95)`. */
  quantile(part: number): number | undefined;
}

/** With more different durations than this, similar durations are counted together. */
const mostDistinct = 2_048;
/**
 * Durations that differ by less than this factor form a group. The middle of a group differs from each of its durations
 * by at most 0.75%.
 */
const growth = 1.015;
/**
 * Durations up to this many milliseconds are not grouped. For them, the error of a group and the rounding to whole
 * milliseconds would add up to more than 1%.
 */
const alwaysExact = 200;

export function createDurations(): Durations {
  let counts = new Map<number, number>();
  let total = 0;
  let isGrouped = false;
  const count = (ms: number, times: number) => void counts.set(ms, (counts.get(ms) ?? 0) + times);

  return {
    add(ms) {
      total++;
      count(isGrouped ? middleOfGroup(ms) : ms, 1);
      if (isGrouped || counts.size <= mostDistinct) return;
      const exact = counts;
      counts = new Map();
      isGrouped = true;
      for (const [each, times] of exact) count(middleOfGroup(each), times);
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

function middleOfGroup(ms: number): number {
  if (ms <= alwaysExact) return ms;
  const upper = growth ** Math.ceil(Math.log(ms) / Math.log(growth));
  return (2 * upper) / (growth + 1);
}
