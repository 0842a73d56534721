// One process at a time: a file that exists only while somebody is at work.
import { randomUUID } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { LocalError } from '../errors.ts';
import { type Clock, wait } from './clock.ts';
import { errnoOf, isMissing } from './errno.ts';
import { NotPlainFile, readPlainFile } from './plain-file.ts';

export interface Lock {
  /** False once another process took it for left behind. */
  isMine(): boolean;
  release(): void;
}

/** What is said while waiting, and what ends it. A lock that is free is had even after an interrupt: what was done must be noted. */
export interface Waiting {
  signal: AbortSignal;
  clock: Clock;
  deadlineMs: number;
  /** What the user calls it. */
  name?: string;
  say: { warn(message: string): void };
}

const isStaleAfterMs = 10_000;
const isSaidAfterMs = 1_000;
/** Times on a file server's disk may be a little ahead of ours. */
const aheadMs = 1_000;
const mostBytes = 1_024;

export async function lock(path: string, waiting: Waiting): Promise<Lock> {
  const { signal, clock, deadlineMs, name = path, say } = waiting;
  const mine = `${hostname()} ${process.pid} ${randomUUID()}`;
  const isMine = () => read(path, name) === mine;
  const began = clock.now();
  let isSaid = false;

  function keepWaiting(): void {
    signal.throwIfAborted();
    const waitedMs = clock.now() - began;
    if (waitedMs >= deadlineMs) throw heldTooLong(name, deadlineMs);
    if (isSaid || waitedMs < isSaidAfterMs) return;
    isSaid = true;
    say.warn(`Waiting for another process, which holds ${name}.`);
  }

  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return { isMine, release: () => void (isMine() && rmSync(path, { force: true })) };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    if (isLeftBehind(path, name)) rmSync(path, { force: true });
    else keepWaiting();
    await wait(clock, 10 + Math.random() * 20, signal);
  }
}

const heldTooLong = (name: string, deadlineMs: number): LocalError =>
  new LocalError(`Another process has held ${name} for more than ${deadlineMs / 1_000} s.`, {
    hint: 'Run it again when that process has ended. Where no other vals is at work, remove that file.',
  });

/** Its owner is gone for sure, or has held it for longer than anybody should. A lock of another user is left to them. */
function isLeftBehind(path: string, name: string): boolean {
  const content = read(path, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (content === undefined || !stats?.isFile() || !isOurs(stats.uid)) return false;
  const [host, owner] = content.split(' ');
  if (host === hostname() && owner !== undefined && !isRunning(Number(owner))) return true;
  const ageMs = Date.now() - stats.mtimeMs;
  return ageMs > isStaleAfterMs || ageMs < -aheadMs;
}

const isOurs = (uid: number): boolean =>
  uid === 0 || process.getuid === undefined || uid === process.getuid();

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

/** Undefined where there is none, empty where it is not ours to read. What cannot be a lock was not made by us, and would be waited for in vain. */
function read(path: string, name: string): string | undefined {
  try {
    return readPlainFile(path, { mostBytes }).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (errnoOf(error) === 'EACCES') return '';
    if (!(error instanceof NotPlainFile)) throw error;
    throw new LocalError(`${name} ${error.problem}, and vals keeps its lock there.`, {
      hint: 'Move it away, then run it again.',
      cause: error,
    });
  }
}
