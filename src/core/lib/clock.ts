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

/** The result of the work, or `late` if the work takes longer. */
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
