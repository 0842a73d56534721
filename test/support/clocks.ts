// Clocks that save tests from waiting. None of them makes a deadline shorter than a second.
import { type Clock, systemClock } from '../../src/lib/clock.ts';

/** The waits between attempts, which are less than five seconds, pass fifty times as fast. */
export const quickRetries: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 5_000 ? ms / 50 : ms, callback),
};

/** Whoever looks again and again, as for a lock that is held, has the impression that a second passes each time. */
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
