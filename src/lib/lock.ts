import { randomUUID } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { LocalError } from '../errors.ts';
import { type Clock, wait } from './clock.ts';
import { readPlainFile, UnusableFile } from './plain-file.ts';
import { errnoOf, isMissing, retryWhileBusy } from './system.ts';

export interface Lock {
  /** Returns false if another process has removed this lock as stale. */
  isMine(): boolean;
  release(): void;
}

export interface Waiting {
  signal: AbortSignal;
  clock: Clock;
  deadlineMs: number;
  name?: string;
  say: { warn(message: string): void };
}

const staleAfterMs = 10_000;
const warnAfterMs = 1_000;
const mostClockSkewMs = 1_000;
const mostBytes = 1_024;

/** Takes a free lock even after an interrupt, so that finished work can be saved. */
export async function lock(path: string, waiting: Waiting): Promise<Lock> {
  const { signal, clock, deadlineMs, name = path, say } = waiting;
  const mine = `${hostname()} ${process.pid} ${randomUUID()}`;
  const isMine = () => read(path, name) === mine;
  const release = () => {
    if (isMine()) remove(path);
  };
  const began = clock.now();
  let hasWarned = false;
  const checkWait = (waitedMs: number) => {
    signal.throwIfAborted();
    if (waitedMs >= deadlineMs) throw heldTooLong(name, deadlineMs);
    if (waitedMs < warnAfterMs || hasWarned) return;
    say.warn(`Waiting for another process that holds the lock ${name}.`);
    hasWarned = true;
  };
  while (!createUnlessExists(path, mine)) {
    if (isStale(path, name)) remove(path);
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

const heldTooLong = (name: string, deadlineMs: number): LocalError =>
  new LocalError(`Another process has held the lock ${name} for more than ${deadlineMs / 1_000} s.`, {
    hint: 'Wait until the other process has ended, then run the command again. If there is no other process, remove the lock file.',
  });

function isStale(path: string, name: string): boolean {
  const content = read(path, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (content === undefined || !stats?.isFile() || !isOursOrRoots(stats.uid)) return false;
  const [host, owner] = content.split(' ');
  if (host === hostname() && owner !== undefined && !isRunning(Number(owner))) return true;
  const ageMs = Date.now() - stats.mtimeMs;
  return ageMs > staleAfterMs || ageMs < -mostClockSkewMs;
}

/** A command under sudo may have left a lock that belongs to root. */
function isOursOrRoots(uid: number): boolean {
  if (process.getuid === undefined) return true;
  return uid === process.getuid() || uid === 0;
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

function read(path: string, name: string): string | undefined {
  try {
    return retryWhileBusy(() => readPlainFile(path, { mostBytes })).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    // The lock of another user exists, but cannot be read.
    if (errnoOf(error) === 'EACCES') return '';
    if (!(error instanceof UnusableFile)) throw error;
    throw new LocalError(`${name} ${error.problem}, so it cannot be used as a lock.`, {
      hint: `Move ${name} away, then run the command again.`,
      cause: error,
    });
  }
}
