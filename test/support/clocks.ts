import { type Clock, systemClock } from '../../src/lib/clock.ts';

export const quickRetries: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 5_000 ? ms / 50 : ms, callback),
};

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
