import type { Clock } from '../../lib/clock.ts';

export interface SaveQueue {
  /** If a push of the file is under way, the file is pushed again afterwards. */
  add(file: string): void;
  isBusy(file: string): boolean;
  /** Waits for the running pushes. */
  close(): Promise<void>;
}

/** Whether the service answered while a file was pushed. */
export type Answered = 'answered' | 'unreachable' | 'not asked';

interface SaveQueueOptions {
  clock: Clock;
  maxRunning: number;
  /** Throws only errors that end the watch. `isRetry` is true during an outage. */
  push(file: string, isRetry: boolean): Promise<Answered>;
  onOutage(isOver: boolean): void;
  /** Called when no push is running. */
  onIdle(): Promise<void>;
  endWatch(error: unknown): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Pushes saved files, each one at a time, and keeps them while the service cannot be reached. */
export function createSaveQueue(options: SaveQueueOptions): SaveQueue {
  const { clock, maxRunning, push, onOutage, onIdle, endWatch } = options;
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let isOutage = false;
  let retries = 0;
  let cancelRetry: (() => void) | undefined;
  let isClosed = false;

  function startWaiting() {
    if (isClosed) return;
    if (isOutage) return planRetry();
    for (const file of waiting) {
      if (running.size >= maxRunning) return;
      if (!running.has(file)) start(file);
    }
  }

  /** Tries only one file. If the service answers, the outage ends, and all other files follow. */
  function planRetry(): void {
    if (cancelRetry !== undefined || waiting.size === 0) return;
    const maxPauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** retries);
    const pauseMs = maxPauseMs * (0.5 + Math.random() / 2);
    retries += 1;
    cancelRetry = clock.after(pauseMs, () => {
      cancelRetry = undefined;
      const file = [...waiting].find((each) => !running.has(each));
      if (file !== undefined) start(file);
    });
  }

  function start(file: string): void {
    waiting.delete(file);
    const finished = pushOne(file)
      .catch(endWatch)
      .finally(() => {
        running.delete(file);
        startWaiting();
        if (running.size === 0) onIdle().catch(endWatch);
      });
    running.set(file, finished);
  }

  async function pushOne(file: string): Promise<void> {
    const answered = await push(file, isOutage);
    if (answered === 'unreachable') waiting.add(file);
    if (answered === 'unreachable' && !isOutage) {
      isOutage = true;
      onOutage(false);
    }
    if (answered === 'answered' && isOutage) {
      isOutage = false;
      retries = 0;
      cancelRetry?.();
      cancelRetry = undefined;
      onOutage(true);
    }
  }

  return {
    add(file) {
      waiting.add(file);
      startWaiting();
    },
    isBusy: (file) => waiting.has(file) || running.has(file),
    async close() {
      isClosed = true;
      cancelRetry?.();
      await Promise.all(running.values());
      await onIdle();
    },
  };
}
