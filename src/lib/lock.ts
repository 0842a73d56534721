// A lock file. It exists while a process works on the file that the lock guards.
import { randomUUID } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { LocalError } from '../errors.ts';
import { type Clock, wait } from './clock.ts';
import { readPlainFile, UnusableFile } from './plain-file.ts';
import { errnoOf, isMissing, retryWhileBusy } from './system.ts';

export interface Lock {
  /** False after another process has removed the lock as stale. */
  isMine(): boolean;
  release(): void;
}

/** How to wait for the lock. A free lock is taken even after an interrupt, so that finished work can be saved. */
export interface Waiting {
  signal: AbortSignal;
  clock: Clock;
  deadlineMs: number;
  /** The name of the lock in messages. The default is the path of the lock. */
  name?: string;
  say: { warn(message: string): void };
}

const staleAfterMs = 10_000;
const warnAfterMs = 1_000;
/** The clock of a file server may be this much ahead of this machine's clock. */
const aheadMs = 1_000;
const mostBytes = 1_024;

export async function lock(path: string, waiting: Waiting): Promise<Lock> {
  const { signal, clock, deadlineMs, name = path, say } = waiting;
  const mine = `${hostname()} ${process.pid} ${randomUUID()}`;
  const isMine = () => read(path, name) === mine;
  const release = () => {
    if (isMine()) remove(path);
  };
  const began = clock.now();
  let hasWarned = false;

  function keepWaiting(): void {
    signal.throwIfAborted();
    const waitedMs = clock.now() - began;
    if (waitedMs >= deadlineMs) throw heldTooLong(name, deadlineMs);
    if (hasWarned || waitedMs < warnAfterMs) return;
    hasWarned = true;
    say.warn(`Waiting for another process that holds the lock ${name}.`);
  }

  for (;;) {
    try {
      retryWhileBusy(() => writeFileSync(path, mine, { flag: 'wx', mode: 0o600 }));
      return { isMine, release };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    if (isStale(path, name)) remove(path);
    else keepWaiting();
    await wait(clock, 10 + Math.random() * 20, signal);
  }
}

const remove = (path: string): void => retryWhileBusy(() => rmSync(path, { force: true }));

const heldTooLong = (name: string, deadlineMs: number): LocalError =>
  new LocalError(`Another process has held the lock ${name} for more than ${deadlineMs / 1_000} s.`, {
    hint: 'Run the command again when that process has ended. If no such process is running, remove the lock file.',
  });

/**
 * A lock is stale if its process has ended, if the lock is very old, or if its time is in the future. A lock of another user
 * is never stale, unless that user is root.
 */
function isStale(path: string, name: string): boolean {
  const content = read(path, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (content === undefined || !stats?.isFile() || !isOursOrRoots(stats.uid)) return false;
  const [host, owner] = content.split(' ');
  if (host === hostname() && owner !== undefined && !isRunning(Number(owner))) return true;
  const ageMs = Date.now() - stats.mtimeMs;
  return ageMs > staleAfterMs || ageMs < -aheadMs;
}

/** A lock of root counts too, because a command under sudo may have left a lock of root in this user's folder. */
function isOursOrRoots(uid: number): boolean {
  // Windows has no user ids.
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

/**
 * Returns the content of the lock file; undefined if there is no file, empty if this user may not read the file. Throws if
 * the path is not a regular file, because such a lock would never be released.
 */
function read(path: string, name: string): string | undefined {
  try {
    return retryWhileBusy(() => readPlainFile(path, { mostBytes })).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (errnoOf(error) === 'EACCES') return '';
    if (!(error instanceof UnusableFile)) throw error;
    throw new LocalError(`${name} ${error.problem}, so it cannot be used as a lock.`, {
      hint: 'Move it away, then run the command again.',
      cause: error,
    });
  }
}
