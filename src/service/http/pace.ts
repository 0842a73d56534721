// Spreads the reads of one caller over several turns of the event loop, so that the requests of others come between them.

/** Resolves when the next read of the caller may begin. */
export type Pace = (caller: string) => Promise<void>;

/** A pause of the process, which takes long too, is not the caller's work. */
const mostTurns = 50;

/**
 * One read of a caller begins in each turn of the event loop. The event loop accepts one connection in each turn, so after
 * a long read it turns once for each millisecond of that read before the caller's next one.
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
