import { type Clock, systemClock } from '../../src/core/lib/waiting.ts';

/** Waits that are shorter than `below` milliseconds are over so many times as soon. */
export const fasterBy = (times: number, below = Number.POSITIVE_INFINITY): Clock => ({
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < below ? ms / times : ms, callback),
});

export const quickRetries = fasterBy(50, 5_000);
