export type Pace = (caller: string) => Promise<void>;

const mostTurns = 50;

/**
 * Makes a caller with many requests pause, so that other callers can connect. Node accepts only one new
 * connection per turn of the event loop.
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
    const measure = () => {
      const end = performance.now();
      rest(caller, { turns: Math.min(mostTurns, end - start), until: end + (end - start) });
    };
    // Measures two turns of the event loop, because SQLite commits a write one turn after the parsing.
    setImmediate(setImmediate, measure);
  };
  const rest = (caller: string, { turns, until }: { turns: number; until: number }) => {
    if (turns > 1 && performance.now() < until) setImmediate(rest, caller, { turns: turns - 1, until });
    else beginNext(caller);
  };

  return async (caller) => {
    const queue = waiting.get(caller);
    if (queue) return new Promise((resolve) => queue.push(resolve));
    waiting.set(caller, []);
    restFrom(caller);
  };
}
