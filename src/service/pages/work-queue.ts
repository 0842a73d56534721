import { createRateLimit } from '../http/rate-limit.ts';
import { Problem } from '../problem.ts';

const mostOfOneCaller = 6;
const mostOfAll = 60;
const quickMs = { burst: 100, perSecond: 50, inFlight: Number.POSITIVE_INFINITY };

/**
 * After each page, the queue rests as long as the page took, so that other requests are answered. A caller whose pages
 * took little time does not wait for that rest. Otherwise, two callers with slow pages would make everybody wait.
 */
export function createWorkQueue(now = () => performance.now()) {
  const waiting = new Map<string, (() => void)[]>();
  const timeLimit = createRateLimit(quickMs, now);
  let count = 0;
  let rest: NodeJS.Timeout | undefined;
  let restEnd = 0;
  /** Only one page begins during a rest, because many callers with a slow page each would otherwise block the service. */
  let hasBegunInRest = false;

  const begin = (caller: string) => {
    const [first, ...later] = waiting.get(caller) ?? [];
    // The caller goes to the end of the Map, so that others do not wait for all pages of the caller.
    waiting.delete(caller);
    if (later.length > 0) waiting.set(caller, later);
    count -= 1;
    const start = now();
    first?.();
    const end = now();
    timeLimit.spendAhead(caller, end - start, Number.POSITIVE_INFINITY);
    clearTimeout(rest);
    restEnd = Math.max(restEnd, start) + 2 * (end - start);
    rest = setTimeout(next, restEnd - end).unref();
  };

  const next = () => {
    const callers = [...waiting.keys()];
    const caller = callers.find((each) => !timeLimit.isSpent(each)) ?? callers[0];
    rest = undefined;
    hasBegunInRest = false;
    if (caller !== undefined) begin(caller);
  };

  const expectRoom = (caller: string) => {
    const ofCaller = waiting.get(caller)?.length ?? 0;
    if (ofCaller < mostOfOneCaller && count < mostOfAll) return;
    throw new Problem(429, 'The service is preparing too many pages. Try again in a few seconds.', {
      headers: { 'Retry-After': '2' },
    });
  };

  return {
    expectRoom,
    run<Result>(caller: string, work: () => Result): Promise<Result> {
      expectRoom(caller);
      return new Promise((resolve, reject) => {
        const beginWork = () => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        };
        waiting.set(caller, [...(waiting.get(caller) ?? []), beginWork]);
        count += 1;
        if (!rest) next();
        else if (!hasBegunInRest && !timeLimit.isSpent(caller)) {
          hasBegunInRest = true;
          begin(caller);
        }
      });
    },
  };
}
