// Clocks that shorten waits in tests. No deadline becomes shorter than a second.
import { type Clock, systemClock } from '../../src/lib/clock.ts';

/** Waits of less than five seconds, as those between attempts, pass fifty times as fast. */
export const quickRetries: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 5_000 ? ms / 50 : ms, callback),
};

/** A loop that polls, as for a lock, sees a second pass at each poll. */
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
