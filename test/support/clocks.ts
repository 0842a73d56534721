import { type Clock, systemClock } from '../../src/core/lib/waiting.ts';

/** Waits that are shorter than `below` milliseconds are over so many times as soon. */
export const fasterBy = (times: number, below = Number.POSITIVE_INFINITY): Clock => ({
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < below ? ms / times : ms, callback),
});

/**
 * A time that the test sets. Pauses are over at once. The limit of an attempt is over when the test lets so much time pass: it
 * is longer than each pause if `--timeout` is 100.
 */
export function settableClock() {
  let time = 1_000_000_000;
  const limits = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => time,
    after(ms: number, callback: () => void) {
      if (ms < 9_000) return systemClock.after(0, callback);
      const limit = { at: time + ms, callback };
      limits.add(limit);
      return () => void limits.delete(limit);
    },
    pass(ms: number) {
      time += ms;
      for (const limit of limits) if (limit.at <= time) limit.callback();
    },
  };
}

export const quickRetries = fasterBy(50, 5_000);

/** No limit of the program is reached, also on a busy machine. */
export const patient = fasterBy(1 / 60);
