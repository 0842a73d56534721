export interface Durations {
  add(ms: number): void;
  quantile(part: number): number | undefined;
}

const mostExactDurations = 2_048;
const groupRatio = 1.015;
/** Shorter durations stay exact. If they were grouped, rounding to milliseconds could make the error larger than 1%. */
const longestExactMs = 200;

export function createDurations(): Durations {
  let counts = new Map<number, number>();
  let total = 0;
  let isGrouped = false;
  const count = (ms: number, times: number) => void counts.set(ms, (counts.get(ms) ?? 0) + times);

  return {
    add(ms) {
      total++;
      count(isGrouped ? middleOfGroup(ms) : ms, 1);
      if (isGrouped || counts.size <= mostExactDurations) return;
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
  if (ms <= longestExactMs) return ms;
  const upper = groupRatio ** Math.ceil(Math.log(ms) / Math.log(groupRatio));
  return (2 * upper) / (groupRatio + 1);
}
