import { rmSync, statSync, writeFileSync } from 'node:fs';
import { errnoOf, pause, retryWhileBusy } from '../lib/system.ts';

/** Work under a lock takes milliseconds, so an older lock was left by a process that was killed. */
const staleAfterMs = 5_000;

/** Two processes that change a file at the same time would otherwise lose one of the changes. */
export function withLock(path: string, work: () => void): void {
  while (!createUnlessExists(path)) {
    if (isStale(path)) remove(path);
    else pause();
  }
  try {
    work();
  } finally {
    remove(path);
  }
}

function createUnlessExists(path: string): boolean {
  try {
    retryWhileBusy(() => writeFileSync(path, '', { flag: 'wx', mode: 0o600 }));
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

function isStale(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > staleAfterMs;
}

const remove = (path: string): void => retryWhileBusy(() => rmSync(path, { force: true }));
