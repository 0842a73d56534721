import type { Clock } from '../../lib/clock.ts';

export interface SaveQueue {
  /** Files that are added before are kept. */
  start(): void;
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
  push(file: string, options: { isRetry: boolean }): Promise<Answered>;
  onOutage(change: 'began' | 'over'): void;
  /** Called when no push is running. */
  onIdle(): Promise<void>;
  endWatch(error: unknown): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Pushes saved files, each one at a time, and keeps them while the service cannot be reached. */
export function createSaveQueue(options: SaveQueueOptions): SaveQueue {
  const { maxRunning, push, onIdle, endWatch } = options;
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const outage = createOutage(options);
  let isOpen = false;

  function pushWaiting() {
    if (!isOpen || waiting.size === 0) return;
    if (outage.isOn()) return outage.retry(pushFirst);
    for (const file of waiting) {
      if (running.size >= maxRunning) return;
      if (!running.has(file)) begin(file);
    }
  }

  /** Tries only one file. If the service answers, the outage ends, and all other files follow. */
  function pushFirst(): void {
    const file = [...waiting].find((each) => !running.has(each));
    if (file !== undefined) begin(file);
  }

  function begin(file: string): void {
    waiting.delete(file);
    const finished = pushOne(file)
      .catch(endWatch)
      .finally(() => {
        running.delete(file);
        pushWaiting();
        if (running.size === 0) onIdle().catch(endWatch);
      });
    running.set(file, finished);
  }

  async function pushOne(file: string): Promise<void> {
    const answered = await push(file, { isRetry: outage.isOn() });
    if (answered === 'unreachable') waiting.add(file);
    outage.note(answered);
  }

  return {
    start() {
      isOpen = true;
      pushWaiting();
    },
    add(file) {
      waiting.add(file);
      pushWaiting();
    },
    isBusy: (file) => waiting.has(file) || running.has(file),
    async close() {
      isOpen = false;
      outage.cancelRetry();
      await Promise.all(running.values());
      await onIdle();
    },
  };
}

/** While the service cannot be reached, each further attempt waits longer. */
function createOutage({ clock, onOutage }: Pick<SaveQueueOptions, 'clock' | 'onOutage'>) {
  let isOn = false;
  let attempts = 0;
  let cancel: (() => void) | undefined;

  function cancelRetry(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    isOn: () => isOn,
    note(answered: Answered): void {
      if (answered === 'unreachable' && !isOn) {
        isOn = true;
        onOutage('began');
      }
      if (answered === 'answered' && isOn) {
        isOn = false;
        attempts = 0;
        cancelRetry();
        onOutage('over');
      }
    },
    retry(act: () => void): void {
      if (cancel !== undefined) return;
      const maxPauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** attempts);
      attempts += 1;
      cancel = clock.after(maxPauseMs * (0.5 + Math.random() / 2), () => {
        cancel = undefined;
        act();
      });
    },
    cancelRetry,
  };
}
