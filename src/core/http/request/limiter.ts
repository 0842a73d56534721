export const mostRequests = 32;
const requestsAtFirst = 8;
const roundsToGrow = 8;
/** A service that refuses a call that is alone counts requests a second, so more at a time are of no use. */
const roundsAfterRate = 16;

/**
 * How many calls are sent at a time. Until the first refusal, it is one more after each call that went well. Then it is one
 * fewer with each refusal, and one more after eight rounds that went well.
 */
export interface Limiter {
  /** Waits for a place, which the call keeps until `leave`. */
  enter(): Promise<void>;
  leave(): void;
  wentWell(): void;
  refused(): void;
  /**
   * For a call that was refused: the others have its place meanwhile. Afterwards it enters before the calls that were
   * never sent. A call that is alone keeps its place, so that a service with a rate is not asked by each call in turn.
   */
  pause(wait: () => Promise<void>): Promise<void>;
  /** The others have the place of a call while it waits for calls of its own. */
  aside<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createLimiter(concurrency: number | 'auto', signal: AbortSignal): Limiter {
  let limit = concurrency === 'auto' ? requestsAtFirst : concurrency;
  let underWay = 0;
  let wasRefused = false;
  let rounds = roundsToGrow;
  let wellInARow = 0;
  const returning: (() => void)[] = [];
  const waiting: (() => void)[] = [];

  /** After an abort, all waiting calls get a place, so that they end. They are not sent. */
  function admit(): void {
    while (underWay < limit || signal.aborted) {
      const next = returning.shift() ?? waiting.shift();
      if (next === undefined) return;
      underWay += 1;
      next();
    }
  }

  const enter = (queue: (() => void)[]): Promise<void> =>
    new Promise((resolve) => {
      queue.push(resolve);
      admit();
    });

  function leave(): void {
    underWay -= 1;
    admit();
  }

  async function aside<Result>(work: () => Promise<Result>): Promise<Result> {
    leave();
    try {
      return await work();
    } finally {
      await enter(returning);
    }
  }

  signal.addEventListener('abort', admit);
  return {
    enter: () => enter(waiting),
    leave,
    wentWell() {
      if (concurrency !== 'auto') return;
      wellInARow += 1;
      if (wasRefused && wellInARow < rounds * limit) return;
      wellInARow = 0;
      rounds = roundsToGrow;
      limit = Math.min(mostRequests, limit + 1);
      admit();
    },
    refused() {
      if (concurrency !== 'auto') return;
      wasRefused = true;
      wellInARow = 0;
      rounds = underWay === 1 ? roundsAfterRate : roundsToGrow;
      limit = Math.max(1, Math.min(limit, underWay) - 1);
    },
    aside,
    pause: (wait) => (underWay === 1 ? wait() : aside(wait)),
  };
}

/** With `auto`, as many at a time as the limiter ever lets requests through. */
export async function forEach<Item>(
  items: readonly Item[],
  concurrency: number | 'auto',
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const workers = concurrency === 'auto' ? mostRequests : concurrency;
  const worker = async () => {
    for (const [index, item] of queue) {
      await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, worker));
}
