import { renameSync } from 'node:fs';
import { platform as systemPlatform } from 'node:os';

export interface System {
  platform: NodeJS.Platform;
  uid?: number | undefined;
}

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

export const isMissing = (error: unknown): boolean => errnoOf(error) === 'ENOENT';

/** Turns "EACCES: permission denied, open '/etc/hosts'" into "EACCES: permission denied". */
export const errorMessageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, \w+(?: '.*)?$/s, '') : String(error);

/** Windows cannot replace a file that another program has open. Most programs close the file soon, so a retry helps. */
const busyCodes = new Set(['EPERM', 'EBUSY', 'EACCES']);
const retryForMs = 1_000;
const pauseMs = 20;

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

export const replaceFile = (from: string, to: string): void => retryWhileBusy(() => renameSync(from, to));

const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);

export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}
