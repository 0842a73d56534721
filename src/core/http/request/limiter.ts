export const mostRequests = 32;
const requestsAtFirst = 8;

/** How many calls are sent at a time: one more after each round that went well, half as many after a refusal. */
export interface Limiter {
  /** Waits for a place. The call keeps it, also between its attempts, until it calls the returned function. */
  enter(): Promise<() => void>;
  /** Call this before an attempt, and the returned function after it. */
  beginAttempt(): (end: 'went well' | 'refused') => void;
}

export function createLimiter(concurrency: number | 'auto', signal: AbortSignal): Limiter {
  let limit = concurrency === 'auto' ? requestsAtFirst : concurrency;
  let taken = 0;
  let round = 0;
  let wentWell = 0;
  const waiting: (() => void)[] = [];

  /** After an abort, all waiting calls get a place, so that they end. They are not sent. */
  function admit(): void {
    while (waiting.length > 0 && (taken < limit || signal.aborted)) {
      taken += 1;
      waiting.shift()?.();
    }
  }

  function startRound(newLimit: number): void {
    limit = newLimit;
    round += 1;
    wentWell = 0;
    admit();
  }

  function leave(): void {
    taken -= 1;
    admit();
  }

  signal.addEventListener('abort', admit);
  return {
    enter: () =>
      new Promise((resolve) => {
        waiting.push(() => resolve(leave));
        admit();
      }),
    beginAttempt() {
      const roundOfAttempt = round;
      return (end) => {
        // Attempts of earlier rounds were sent with another limit.
        if (concurrency !== 'auto' || roundOfAttempt !== round) return;
        if (end === 'refused') return startRound(Math.max(1, Math.floor(limit / 2)));
        wentWell += 1;
        if (wentWell >= limit) startRound(Math.min(mostRequests, limit + 1));
      };
    },
  };
}
