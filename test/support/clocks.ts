import { type Clock, systemClock } from '../../src/core/lib/clock.ts';

export const quickRetries: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 5_000 ? ms / 50 : ms, callback),
};
