import type { Clock } from '../../lib/clock.ts';
import { initialLimit, nextLimit, type RequestEnd } from './concurrency-limit.ts';

type Leave = (result: RequestEnd['kind']) => void;

export interface Gate {
  /** Waits until the request may be sent. Call the returned function when the request has ended. */
  enter(isRetry: boolean): Promise<Leave>;
  /** Holds back new requests for this time, but not retries. */
  pause(ms: number): void;
}

export function createGate(concurrency: number | 'auto', clock: Clock, signal: AbortSignal): Gate {
  let state = concurrency === 'auto' ? initialLimit : { ...initialLimit, limit: concurrency };
  let underWay = 0;
  const retries: (() => void)[] = [];
  const newRequests: (() => void)[] = [];
  let isPaused = false;
  let pausedUntil = 0;
  let cancelPause = () => {};

  function nextInLine(): (() => void) | undefined {
    if (retries.length > 0) return retries.shift();
    return isPaused ? undefined : newRequests.shift();
  }

  function admitWaiting(): void {
    while (signal.aborted || underWay < state.limit) {
      const admit = nextInLine();
      if (admit === undefined) return;
      admit();
    }
  }

  function startRequest(): Leave {
    const beganAt = clock.now();
    underWay += 1;
    return (kind) => {
      underWay -= 1;
      if (concurrency === 'auto') state = nextLimit(state, { kind, beganAt, at: clock.now() });
      admitWaiting();
    };
  }

  // After an abort, all waiting requests are admitted, so that they end. The client does not send them.
  signal.addEventListener('abort', endPause);

  /** The timer alone ends the pause. It may fire a moment before `pausedUntil`, and it never fires again. */
  function endPause(): void {
    cancelPause();
    isPaused = false;
    admitWaiting();
  }

  return {
    enter: (isRetry) =>
      new Promise((resolve) => {
        const queue = isRetry ? retries : newRequests;
        queue.push(() => resolve(startRequest()));
        admitWaiting();
      }),
    pause(ms) {
      const until = clock.now() + ms;
      if (signal.aborted || (isPaused && until <= pausedUntil)) return;
      isPaused = true;
      pausedUntil = until;
      cancelPause();
      cancelPause = clock.after(ms, endPause);
    },
  };
}
