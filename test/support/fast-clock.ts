import { afterAll, beforeAll } from 'vitest';
import type { Clock } from '../../src/core/lib/waiting.ts';

const tickMs = 4;
export const stepMs = 400;

/** Client and server share `time`, so that an answer is not late if the event loop stalls. */
const time = { now: 0, timers: new Set<{ due: number; callback: () => void }>() };

function tick(): void {
  time.now += stepMs;
  for (const timer of [...time.timers]) {
    if (timer.due <= time.now && time.timers.delete(timer)) timer.callback();
  }
}

export interface FastClock extends Clock {
  elapsed(): number;
}

export function fastClock(): FastClock {
  const start = time.now;
  const base = Date.now();
  let firstWait: number | undefined;
  return {
    now: () => base + time.now - start,
    elapsed: () => time.now - (firstWait ?? time.now),
    after(ms, callback) {
      firstWait ??= time.now;
      const timer = { due: time.now + ms, callback };
      time.timers.add(timer);
      return () => void time.timers.delete(timer);
    },
  };
}

/** Each file of tests that needs the fast clock calls this function, because files share a process and this module. */
export function runFastClock(): void {
  let ticking: NodeJS.Timeout;
  beforeAll(() => {
    ticking = setInterval(tick, tickMs);
  });
  afterAll(() => {
    clearInterval(ticking);
    time.timers.clear();
  });
}
