// Waiting: for a time, for a result that is made once, and for a free place.
type Cancel = () => void;

export interface Clock {
  now(): number;
  after(ms: number, callback: () => void): Cancel;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();

    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** Gives `late` if the work is not done within the time. */
export function within<Result, Late>(
  clock: Clock,
  ms: number,
  work: Promise<Result>,
  late: Late,
): Promise<Result | Late> {
  let cancel = () => {};
  const limit = new Promise<Late>((resolve) => {
    cancel = clock.after(ms, () => resolve(late));
  });
  return Promise.race([work, limit]).finally(() => cancel());
}

export interface Slots {
  run<Result>(work: () => Result | Promise<Result>): Promise<Result>;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}

/** Makes the value at the first call, and gives the same one to all calls. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
