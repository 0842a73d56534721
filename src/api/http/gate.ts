// The semaphore for requests. The user sets the number of requests at a time. With `auto`, pace.ts finds this number.
import type { Clock } from '../../lib/clock.ts';
import { nextPace, type PaceEvent, startPace } from './pace.ts';

export interface Gate {
  /** Waits until a request may be sent. Resolves to the number of other requests under way. Retries go before new requests. */
  enter(isRetry: boolean): Promise<number>;
  /** Called when the request has ended. The caller passes the number that `enter` resolved to as `othersUnderWay`. */
  leave(result: PaceEvent['kind'], othersUnderWay: number): void;
  /** Admits no new request for `ms`. Without the pause, each new request after a 429 would get a 429 and waste a retry. */
  pause(ms: number): void;
}

/** Resolves the promise of `enter`. */
type Admit = (othersUnderWay: number) => void;

export function createGate(concurrency: number | 'auto', clock: Clock, signal: AbortSignal): Gate {
  let pace = concurrency === 'auto' ? startPace : { ...startPace, limit: concurrency };
  let underWay = 0;
  const retries: Admit[] = [];
  const newRequests: Admit[] = [];
  let pausedUntil = 0;
  let cancelPause = () => {};

  function nextInLine(): Admit | undefined {
    if (retries.length > 0) return retries.shift();
    return clock.now() < pausedUntil ? undefined : newRequests.shift();
  }

  function admitAll(): void {
    while (signal.aborted || underWay < pace.limit) {
      const admit = nextInLine();
      if (admit === undefined) return;
      admit(underWay);
      underWay += 1;
    }
  }

  // After an abort, each request returns at once without being sent, so the gate admits all waiting requests.
  signal.addEventListener('abort', () => {
    pausedUntil = 0;
    cancelPause();
    admitAll();
  });

  return {
    enter: (isRetry) =>
      new Promise((resolve) => {
        (isRetry ? retries : newRequests).push(resolve);
        admitAll();
      }),
    leave(result, othersUnderWay) {
      underWay -= 1;
      if (concurrency === 'auto') {
        pace = nextPace(pace, { kind: result, at: clock.now(), othersUnderWay });
      }
      admitAll();
    },
    pause(ms) {
      const until = clock.now() + ms;
      if (signal.aborted || until <= pausedUntil) return;
      pausedUntil = until;
      cancelPause();
      cancelPause = clock.after(ms, admitAll);
    },
  };
}
