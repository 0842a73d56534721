// The semaphore for requests. The user sets the number of requests at a time, or the pace of the answers does.
import type { Clock } from '../../lib/clock.ts';
import { nextPace, type PaceEvent, startPace } from './pace.ts';

export interface Gate {
  /** Waits until a request may be sent. Resolves to the number of other requests under way. Retries go before new requests. */
  enter(isRetry: boolean): Promise<number>;
  /** Ends the request. `others` is the number that `enter` gave. */
  leave(how: PaceEvent['kind'], others: number): void;
  /** Admits no new request for this time. After a 429, each one would use up its own retries. */
  pause(ms: number): void;
}

type Admit = (others: number) => void;

export function createGate(concurrency: number | 'auto', clock: Clock, signal: AbortSignal): Gate {
  let pace = concurrency === 'auto' ? startPace : { ...startPace, limit: concurrency };
  let underWay = 0;
  const retries: Admit[] = [];
  const newRequests: Admit[] = [];
  let pausedUntil = 0;
  let cancelPause = () => {};

  const nextInLine = (): Admit | undefined =>
    retries.shift() ?? (clock.now() < pausedUntil ? undefined : newRequests.shift());

  function admit(): void {
    while (signal.aborted || underWay < pace.limit) {
      const admitted = nextInLine();
      if (admitted === undefined) return;
      admitted(underWay++);
    }
  }

  // An aborted request returns at once, so nobody has to wait any longer.
  signal.addEventListener('abort', () => {
    pausedUntil = 0;
    cancelPause();
    admit();
  });

  return {
    enter: (isRetry) =>
      new Promise((resolve) => {
        (isRetry ? retries : newRequests).push(resolve);
        admit();
      }),
    leave(how, others) {
      underWay -= 1;
      if (concurrency === 'auto') pace = nextPace(pace, { kind: how, at: clock.now(), others });
      admit();
    },
    pause(ms) {
      const until = clock.now() + ms;
      if (signal.aborted || until <= pausedUntil) return;
      pausedUntil = until;
      cancelPause();
      cancelPause = clock.after(ms, admit);
    },
  };
}
