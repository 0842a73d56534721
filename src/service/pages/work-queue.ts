import { Problem } from '../problem.ts';

const mostOfOneCaller = 6;
const mostOfAll = 60;

export function createWorkQueue() {
  const waiting: { caller: string; begin(): void }[] = [];
  let isBusy = false;

  const next = () => {
    const first = waiting.shift();
    isBusy = first !== undefined;
    if (!first) return;
    const start = performance.now();
    first.begin();
    setTimeout(next, performance.now() - start).unref();
  };

  return <Result>(caller: string, work: () => Result): Promise<Result> => {
    const ofCaller = waiting.filter((other) => other.caller === caller).length;
    if (ofCaller >= mostOfOneCaller || waiting.length >= mostOfAll) {
      throw new Problem(429, 'The service is preparing too many pages. Try again in a few seconds.', {
        headers: { 'Retry-After': '2' },
      });
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      waiting.push({ caller, begin });
      if (!isBusy) next();
    });
  };
}
