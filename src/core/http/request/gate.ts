import type { Clock } from '../../lib/clock.ts';

export const mostRequests = 32;

/** What was too many is tried again, but seldom: each try costs a refusal and half of the limit. */
const repliesUntilTriedAgain = 256;

/** How many requests are sent at a time: one more after each round that went well, half as many after a refusal. */
export interface LimitState {
  readonly limit: number;
  /** The limit at the last refusal. */
  readonly tooMany: number;
  readonly halvedAt: number;
  readonly round: { readonly beganAt: number; readonly replies: number };
}

export interface RequestEnd {
  /** `refused` means status 429, status 503 or a lost connection. */
  readonly kind: 'replied' | 'refused';
  readonly beganAt: number;
  readonly at: number;
}

export const initialLimit: LimitState = {
  limit: 8,
  tooMany: Number.POSITIVE_INFINITY,
  halvedAt: 0,
  round: { beganAt: 0, replies: 0 },
};

export function nextLimit(state: LimitState, { kind, beganAt, at }: RequestEnd): LimitState {
  const { limit, tooMany, halvedAt, round } = state;
  const newRound = { beganAt: at, replies: 0 };
  if (kind === 'refused') {
    if (beganAt < halvedAt) return state;
    const half = Math.max(1, Math.floor(limit / 2));
    return { limit: half, tooMany: limit, halvedAt: at, round: newRound };
  }
  // Requests of earlier rounds were sent with another limit.
  if (beganAt < round.beganAt) return state;
  const replies = round.replies + 1;
  const length = limit + 1 < tooMany ? limit : repliesUntilTriedAgain;
  if (replies < length) return { ...state, round: { ...round, replies } };
  return { ...state, limit: Math.min(mostRequests, limit + 1), round: newRound };
}

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
