// Windows cannot replace or remove a file that another program has open. Most programs close it within moments.
import { renameSync } from 'node:fs';
import { platform as systemPlatform } from 'node:os';
import { errnoOf } from './errno.ts';

const busy = new Set(['EPERM', 'EBUSY', 'EACCES']);
const mostMs = 1_000;
const pauseMs = 20;

/** Tries again for up to a second. On other systems these errors do not pass, and are thrown at once. */
export function retryWhileBusy<Result>(act: () => Result, platform = systemPlatform()): Result {
  const deadline = Date.now() + mostMs;
  for (;;) {
    try {
      return act();
    } catch (error) {
      const isBusy = platform === 'win32' && busy.has(`${errnoOf(error)}`);
      if (!isBusy || Date.now() >= deadline) throw error;
      pause();
    }
  }
}

/** Puts one file in the place of another, in one step. */
export const replaceFile = (from: string, to: string): void => retryWhileBusy(() => renameSync(from, to));

/** Waits without letting anything else happen in between. */
const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
