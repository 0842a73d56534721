export type Pace = (caller: string) => Promise<void>;

const mostTurns = 50;

/**
 * Node accepts only one new connection per turn of the event loop. So a caller with many reads must pause, to let
 * other callers connect.
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
