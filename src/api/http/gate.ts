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
  /** A turn to send, which leave gives back: how many others are under way by then. Who was sent away comes first. */
  enter(isRepeated: boolean): Promise<number> | number;
  leave(how: PaceEvent['kind'], others: number): void;
  /** For so long nothing is sent for the first time: more would only be refused, and each may be refused so often. */
  pause(ms: number): void;
}

export function createGate(concurrency: number | 'auto', clock: Clock, signal: AbortSignal): Gate {
  let pace = concurrency === 'auto' ? startPace : { ...startPace, limit: concurrency };
  let underWay = 0;
  let begun = 0;
  const repeated: ((others: number) => void)[] = [];
  const first: ((others: number) => void)[] = [];
  const beginners: (() => void)[] = [];
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
      turn(underWay++);
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
    for (const turn of [...repeated, ...first]) turn(underWay++);
    for (const waiting of [repeated, first]) waiting.length = 0;
    letBegin();
  });

  return {
    enter(isRepeated) {
      if (signal.aborted || hasRoom(isRepeated)) return underWay++;
      return new Promise((turn) => (isRepeated ? repeated : first).push(turn));
    },
    leave(how, others) {
      underWay -= 1;
      if (concurrency === 'auto') pace = nextPace(pace, { kind: how, at: clock.now(), others });
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
      if (beginners.length > 0 || !mayBegin()) return new Promise((turn) => beginners.push(turn));
      begun += 1;
      return undefined;
    },
    end() {
      begun -= 1;
      letBeginSoon();
    },
  };
}
