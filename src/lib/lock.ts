// One process at a time: a file that exists only while somebody is at work.
import { randomUUID } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing } from './errno.ts';
import { readPlainFile } from './plain-file.ts';

export interface Lock {
  /** False once another process took it for left behind. */
  isMine(): boolean;
  release(): void;
}

const isStaleAfterMs = 10_000;

export async function lock(path: string): Promise<Lock> {
  const mine = `${hostname()} ${process.pid} ${randomUUID()}`;
  const isMine = () => readIfThere(path) === mine;
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return { isMine, release: () => void (isMine() && rmSync(path, { force: true })) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isLeftBehind(path)) rmSync(path, { force: true });
    await sleep(10 + Math.random() * 20);
  }
}

/** Its owner is gone for sure, or has held it for longer than anybody should. */
function isLeftBehind(path: string): boolean {
  const [host, owner] = readIfThere(path)?.split(' ') ?? [];
  if (host === hostname() && owner !== undefined && !isRunning(Number(owner))) return true;
  try {
    return Date.now() - lstatSync(path).mtimeMs > isStaleAfterMs;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readPlainFile(path, { mostBytes: 1_024 }).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
