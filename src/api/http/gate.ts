// Where requests wait for their turn: so many at a time as were asked for, or as the pace of the service allows.
import type { Clock } from '../../lib/clock.ts';
import { nextPace, type PaceEvent, startPace } from './pace.ts';

/** When work may begin that is going to send something: hardly more at a time than requests may be, so that none waits long. */
export interface Turns {
  /** Undefined where that is now. */
  begin(): Promise<void> | undefined;
  /** Whether or not it sent anything. */
  end(): void;
}

export interface Gate extends Turns {
  /** A turn to send, which leave gives back; undefined where there is no need to wait. Who was sent away comes first. */
  enter(isRepeated: boolean): Promise<void> | undefined;
  leave(how: PaceEvent['kind']): void;
  /** For so long nothing is sent for the first time: more would only be refused, and each may be refused so often. */
  pause(ms: number): void;
}

export function createGate(concurrency: number | 'auto', clock: Clock, signal: AbortSignal): Gate {
  let pace = concurrency === 'auto' ? startPace : { ...startPace, limit: concurrency };
  let underWay = 0;
  let begun = 0;
  const repeated: (() => void)[] = [];
  const first: (() => void)[] = [];
  const beginners: (() => void)[] = [];
  const queue = (waiting: (() => void)[]) => new Promise<void>((turn) => waiting.push(turn));
  let pausedUntil = 0;
  let cancelPause = () => {};
  const isPaused = () => clock.now() < pausedUntil;
  const hasRoom = (isRepeated: boolean) =>
    underWay < pace.limit && repeated.length === 0 && (isRepeated || (first.length === 0 && !isPaused()));
  // One more than may be sent, so that it is ready when an answer comes.
  const mayBegin = () => signal.aborted || (begun <= pace.limit && !isPaused());

  function letIn(): void {
    while (underWay < pace.limit) {
      const turn = repeated.shift() ?? (isPaused() ? undefined : first.shift());
      if (turn === undefined) break;
      underWay += 1;
      turn();
    }
    letBeginSoon();
  }

  /** Not before what this answer means for the others is known. */
  function letBeginSoon(): void {
    if (beginners.length > 0) setImmediate(letBegin);
  }

  function letBegin(): void {
    while (beginners.length > 0 && mayBegin()) {
      begun += 1;
      beginners.shift()?.();
    }
  }

  // Nothing is sent any more, so nothing has to wait either.
  signal.addEventListener('abort', () => {
    cancelPause();
    for (const turn of [...repeated, ...first]) {
      underWay += 1;
      turn();
    }
    for (const waiting of [repeated, first]) waiting.length = 0;
    letBegin();
  });

  return {
    enter(isRepeated) {
      if (signal.aborted || hasRoom(isRepeated)) {
        underWay += 1;
        return undefined;
      }
      return queue(isRepeated ? repeated : first);
    },
    leave(how) {
      underWay -= 1;
      if (concurrency === 'auto') {
        const at = clock.now();
        pace = nextPace(pace, how === 'refused' ? { kind: how, at, others: underWay } : { kind: how, at });
      }
      letIn();
    },
    pause(ms) {
      const until = clock.now() + ms;
      if (signal.aborted || until <= pausedUntil) return;
      pausedUntil = until;
      cancelPause();
      cancelPause = clock.after(ms, letIn);
    },
    begin() {
      if (beginners.length > 0 || !mayBegin()) return queue(beginners);
      begun += 1;
      return undefined;
    },
    end() {
      begun -= 1;
      letBeginSoon();
    },
  };
}
