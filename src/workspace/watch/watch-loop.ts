// What `push --watch` does, one thing at a time: it pushes saved files, and looks at the service from time to time.
import { type Clock, wait } from '../../core/lib/clock.ts';
import { aborted } from '../../core/lib/signals.ts';

export interface WatchLoop {
  /** If the file is being pushed, it is pushed again afterwards. */
  add(file: string): void;
  isWaiting(file: string): boolean;
  /** Pushes all files that wait. Those that the service could not be reached for go on waiting. */
  pushWaiting(options: { asks: boolean }): Promise<void>;
  /** Goes on until `ending`, and finishes what is under way then. */
  run(): Promise<void>;
}

/** What became of the files of one push. */
export interface PushedSaves {
  /** The service could not be reached for them. They are tried again. */
  unreachable: readonly string[];
  isAnswered: boolean;
  /** Why the service could not be reached. */
  reason?: string | undefined;
}

interface WatchLoopOptions {
  clock: Clock;
  ending: AbortSignal;
  /** Throws only errors that end the watch. `isRetry` is true during an outage. */
  push(files: readonly string[], options: { asks: boolean; isRetry: boolean }): Promise<PushedSaves>;
  onOutage(change: 'began' | 'over', reason?: string): void;
  /** Writes what changed on the service into the files. Undefined without --pull. */
  pull: (() => Promise<void>) | undefined;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
const pullPauseMs = 5_000;
/** At most a twentieth of the time goes into looking. */
const pausesPerLook = 19;

export function createWatchLoop({ clock, ending, push, onOutage, pull }: WatchLoopOptions): WatchLoop {
  const waiting = new Set<string>();
  /** How often the service could not be reached in a row. */
  let attempts = 0;
  let nextLook = clock.now() + pullPauseMs;
  let news = new AbortController();

  async function pushWaiting({ asks }: { asks: boolean }): Promise<void> {
    const files = [...waiting];
    waiting.clear();
    const { unreachable, isAnswered, reason } = await push(files, { asks, isRetry: attempts > 0 });
    for (const file of unreachable) waiting.add(file);
    if (unreachable.length > 0) {
      attempts += 1;
      if (attempts === 1) onOutage('began', reason);
    } else if (isAnswered && attempts > 0) {
      attempts = 0;
      onOutage('over');
    }
  }

  async function look(): Promise<void> {
    const began = clock.now();
    await pull?.();
    const tookMs = clock.now() - began;
    nextLook = clock.now() + Math.max(pullPauseMs, pausesPerLook * tookMs);
  }

  /** Waits until there is something to do. While the service cannot be reached, each further attempt waits longer. */
  async function pause(): Promise<void> {
    if (waiting.size > 0) {
      const longest = attempts === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
      return wait(clock, longest * (0.5 + Math.random() / 2), ending);
    }
    news = new AbortController();
    const woken = AbortSignal.any([ending, news.signal]);
    return pull === undefined ? aborted(woken) : wait(clock, nextLook - clock.now(), woken);
  }

  return {
    add(file) {
      waiting.add(file);
      news.abort();
    },
    isWaiting: (file) => waiting.has(file),
    pushWaiting,
    async run() {
      for (;;) {
        await pause();
        if (ending.aborted) return;
        await (waiting.size > 0 ? pushWaiting({ asks: false }) : look());
      }
    },
  };
}
