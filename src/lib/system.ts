// The operating system: its kind, its errors, and a retry for errors that are temporary on Windows.
import { renameSync } from 'node:fs';
import { platform as systemPlatform } from 'node:os';

export interface System {
  platform: NodeJS.Platform;
  /** The user's id; undefined on Windows. */
  uid?: number | undefined;
}

/** The code of the error, such as `ENOENT`; undefined if the error has no code. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

export const isMissing = (error: unknown): boolean => errnoOf(error) === 'ENOENT';

/** The message of a system error, without the name of the system call and without the path. */
export const errorMessageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, \w+(?: '.*)?$/s, '') : String(error);

/** Windows cannot replace or remove a file that another program has open. Most programs close the file soon. */
const busyCodes = new Set(['EPERM', 'EBUSY', 'EACCES']);
const retryForMs = 1_000;
const pauseMs = 20;

/** Tries again for up to a second on Windows. On other systems, errors such as EBUSY are permanent, and are thrown at once. */
export function retryWhileBusy<Result>(act: () => Result, platform = systemPlatform()): Result {
  const deadline = Date.now() + retryForMs;
  for (;;) {
    try {
      return act();
    } catch (error) {
      const isBusy = platform === 'win32' && busyCodes.has(`${errnoOf(error)}`);
      if (!isBusy || Date.now() >= deadline) throw error;
      pause();
    }
  }
}

/** Replaces the file `to` by the file `from`, in one step. */
export const replaceFile = (from: string, to: string): void => retryWhileBusy(() => renameSync(from, to));

/** Blocks the thread. */
const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
