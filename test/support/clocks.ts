import { type Clock, systemClock } from '../../src/lib/clock.ts';

/** Waits below five seconds, as between attempts, pass fifty times as fast. */
export const quickRetries: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 5_000 ? ms / 50 : ms, callback),
};

/** In a loop that polls, as for a lock, each poll takes a second of this clock. */
export function quickLooks(): Clock {
  let skippedMs = 0;
  return {
    now: () => systemClock.now() + skippedMs,
    after(ms, callback) {
      if (ms < 100) skippedMs += 1_000;
      return systemClock.after(ms, callback);
    },
  };
}
