import type { Clock } from '../../lib/clock.ts';

export interface SaveQueue {
  /** Pushes all files, then those that were added meanwhile. Returns after the first attempt. */
  start(): Promise<void>;
  /** If the file is being pushed, it is pushed again afterwards. */
  add(file: string): void;
  isBusy(file: string): boolean;
  /** Waits for the push that is under way. */
  close(): Promise<void>;
}

export type SavedFiles = readonly string[] | 'all';

/** What became of the files of one push. */
export interface PushedSaves {
  /** The service could not be reached for them. They are tried again. */
  unreachable: SavedFiles;
  isAnswered: boolean;
  /** Why the service could not be reached. */
  reason?: string | undefined;
}

interface SaveQueueOptions {
  clock: Clock;
  /** Throws only errors that end the watch. `isRetry` is true during an outage. */
  push(files: SavedFiles, options: { isRetry: boolean }): Promise<PushedSaves>;
  onOutage(change: 'began' | 'over', reason?: string): void;
  endWatch(error: unknown): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Pushes saved files, all that wait at once, and keeps them while the service cannot be reached. */
export function createSaveQueue({ clock, push, onOutage, endWatch }: SaveQueueOptions): SaveQueue {
  const waiting = new Set<string>();
  let waitsForAll = true;
  let running: { files: SavedFiles; finished: Promise<void> } | undefined;
  let isOpen = false;
  /** How often the service could not be reached in a row. */
  let attempts = 0;
  let cancelRetry: (() => void) | undefined;

  function pushWaiting(): void {
    if (!isOpen || running !== undefined || (waiting.size === 0 && !waitsForAll)) return;
    if (attempts === 0) begin();
    else retryLater();
  }

  /** While the service cannot be reached, each further attempt waits longer. */
  function retryLater(): void {
    if (cancelRetry !== undefined) return;
    const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
    cancelRetry = clock.after(longest * (0.5 + Math.random() / 2), () => {
      cancelRetry = undefined;
      begin();
    });
  }

  function begin(): void {
    const files: SavedFiles = waitsForAll ? 'all' : [...waiting];
    waiting.clear();
    waitsForAll = false;
    const finished = pushFiles(files)
      .catch(endWatch)
      .finally(() => {
        running = undefined;
        pushWaiting();
      });
    running = { files, finished };
  }

  async function pushFiles(files: SavedFiles): Promise<void> {
    const { unreachable, isAnswered, reason } = await push(files, { isRetry: attempts > 0 });
    if (unreachable === 'all') waitsForAll = true;
    else for (const file of unreachable) waiting.add(file);
    if (unreachable.length > 0) {
      attempts += 1;
      if (attempts === 1) onOutage('began', reason);
    } else if (isAnswered && attempts > 0) {
      attempts = 0;
      onOutage('over');
    }
  }

  return {
    async start() {
      isOpen = true;
      pushWaiting();
      await running?.finished;
    },
    add(file) {
      waiting.add(file);
      pushWaiting();
    },
    isBusy: (file) =>
      waitsForAll || waiting.has(file) || running?.files === 'all' || running?.files.includes(file) === true,
    async close() {
      isOpen = false;
      cancelRetry?.();
      await running?.finished;
    },
  };
}
