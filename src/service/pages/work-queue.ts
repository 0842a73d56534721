import { Problem } from '../problem.ts';

const mostOfOneCaller = 6;
const mostOfAll = 60;

export function createWorkQueue() {
  const waiting = new Map<string, (() => void)[]>();
  let count = 0;
  let isBusy = false;

  const next = () => {
    const [first] = waiting;
    isBusy = first !== undefined;
    if (!first) return;
    const [caller, [begin, ...later]] = first;
    // The caller goes to the end of the Map, so that others do not wait for all pages of the caller.
    waiting.delete(caller);
    if (later.length > 0) waiting.set(caller, later);
    count -= 1;
    const start = performance.now();
    begin?.();
    setTimeout(next, performance.now() - start).unref();
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
        const begin = () => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        };
        waiting.set(caller, [...(waiting.get(caller) ?? []), begin]);
        count += 1;
        if (!isBusy) next();
      });
    },
  };
}
