export type Pace = (caller: string) => Promise<void>;

const mostTurns = 50;

/**
 * Node accepts only one new connection per turn of the event loop. So a caller with many requests must pause between
 * the requests, and other callers can connect during the pause.
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
    // Measures two event loop turns, because SQLite commits a write one turn after the body is parsed.
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
