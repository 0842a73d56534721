import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { LocalError } from '../errors.ts';
import { type Clock, wait } from '../lib/clock.ts';
import type { Say } from '../lib/say.ts';
import { errnoOf, isMissing, isRunning, retryWhileBusy } from '../lib/system.ts';

export interface Lock {
  /** Returns false if another process has removed this lock as stale. */
  isMine(): boolean;
  release(): void;
}

export interface Waiting {
  signal: AbortSignal;
  clock: Clock;
  deadlineMs: number;
  say: Say;
}

const staleAfterMs = 10_000;
const warnAfterMs = 1_000;
const mostClockSkewMs = 1_000;

/** Takes a free lock even after an interrupt, so that finished work can be saved. */
export async function lock(path: string, waiting: Waiting): Promise<Lock> {
  const { signal, clock, deadlineMs, say } = waiting;
  const mine = `${hostname()} ${process.pid} ${randomUUID()}`;
  const isMine = () => read(path) === mine;
  const release = () => {
    if (isMine()) remove(path);
  };
  const began = clock.now();
  let hasWarned = false;
  const checkWait = (waitedMs: number) => {
    signal.throwIfAborted();
    if (waitedMs >= deadlineMs) throw heldTooLong(path, deadlineMs);
    if (waitedMs < warnAfterMs || hasWarned) return;
    say({ kind: 'warning', text: `Waiting for another process that holds the lock ${path}.` });
    hasWarned = true;
  };
  while (!createUnlessExists(path, mine)) {
    if (isStale(path)) remove(path);
    else checkWait(clock.now() - began);
    const pauseMs = 10 + Math.random() * 20;
    await wait(clock, pauseMs, signal);
  }
  return { isMine, release };
}

function createUnlessExists(path: string, content: string): boolean {
  try {
    retryWhileBusy(() => writeFileSync(path, content, { flag: 'wx', mode: 0o600 }));
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

const remove = (path: string): void => retryWhileBusy(() => rmSync(path, { force: true }));

const heldTooLong = (path: string, deadlineMs: number): LocalError =>
  new LocalError(`Another process has held the lock ${path} for more than ${deadlineMs / 1_000} s.`, {
    hint: 'Wait until the other process has ended, then run the command again. If there is no other process, remove the lock file.',
  });

function isStale(path: string): boolean {
  const content = read(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (content === undefined || stats === undefined) return false;
  const [host, owner] = content.split(' ');
  if (host === hostname() && owner !== undefined && !isRunning(Number(owner))) return true;
  const ageMs = Date.now() - stats.mtimeMs;
  return ageMs > staleAfterMs || ageMs < -mostClockSkewMs;
}

function read(path: string): string | undefined {
  try {
    return retryWhileBusy(() => readFileSync(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
