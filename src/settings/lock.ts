import { rmSync, statSync, writeFileSync } from 'node:fs';
import { type Clock, wait } from '../lib/clock.ts';
import { errnoOf, retryWhileBusy } from '../lib/system.ts';

/** Work under a lock takes milliseconds, so an older lock was left by a process that was killed. */
const staleAfterMs = 5_000;

/** Two processes that change a file at the same time would otherwise lose one of the changes. */
export async function withLock(
  path: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  work: () => void,
): Promise<void> {
  while (!createUnlessExists(path)) {
    if (isStale(path)) remove(path);
    // A free lock is taken even after an interrupt, so that finished work can be saved.
    signal.throwIfAborted();
    await wait(clock, 10 + Math.random() * 20, signal);
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
