// Spreads the reads of one caller over several turns of the event loop, so that requests of other callers run in between.

/** The promise resolves when the next read of the caller may begin. */
export type Pace = (caller: string) => Promise<void>;

/**
 * The most turns between two reads of a caller. Without this limit, a caller would wait very long after the whole
 * process was paused, because the pause counts as part of the read.
 */
const mostTurns = 50;

/**
 * In each turn of the event loop, at most one read of a caller begins. After a read of n milliseconds, the next read of
 * the same caller begins n turns later. In these turns, other callers can connect: the event loop accepts only one new
 * connection per turn.
 */
export function createPace(): Pace {
  const waiting = new Map<string, (() => void)[]>();

  const beginNext = (caller: string) => {
    const next = waiting.get(caller)?.shift();
    if (!next) {
      waiting.delete(caller);
      return;
    }
    next();
    restFrom(caller);
  };
  const restFrom = (caller: string) => {
    const start = performance.now();
    setImmediate(() => rest(caller, Math.min(mostTurns, performance.now() - start)));
  };
  const rest = (caller: string, turns: number) => {
    if (turns > 1) setImmediate(rest, caller, turns - 1);
    else beginNext(caller);
  };

  return async (caller) => {
    const queue = waiting.get(caller);
    if (queue) return new Promise((resolve) => queue.push(resolve));
    waiting.set(caller, []);
    restFrom(caller);
  };
}
