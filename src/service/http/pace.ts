import { nextTick } from 'node:process';

export type Pace = (caller: string) => Promise<void>;

const mostTurns = 50;
const longWorkMs = 10;

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
    const measure = () => {
      const end = performance.now();
      const ms = end - start;
      const until = ms > longWorkMs ? Number.POSITIVE_INFINITY : end + ms;
      setImmediate(rest, caller, { turns: Math.min(mostTurns, ms), until });
    };
    // The work for this caller runs in microtasks, and this line runs `measure` right after them. A later `measure`
    // would also count the work for other callers, and the next read of this caller would wait too long.
    queueMicrotask(() => nextTick(measure));
  };
  // `until` ends the rest early if the work for other callers makes each turn long. After long work, `until` is
  // infinite, because two callers with long work would end each other's rest.
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
