export type Pace = (caller: string) => Promise<void>;

const mostTurns = 50;

/**
 * The event loop accepts one new connection per turn. After a read of n milliseconds, the next read of the same caller
 * waits for n turns, so that n other callers can connect.
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
    // If the machine sleeps during a read, the read seems to take hours. `mostTurns` keeps the wait short.
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
