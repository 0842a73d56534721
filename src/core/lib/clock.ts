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
