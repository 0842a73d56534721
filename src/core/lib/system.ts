import { renameSync } from 'node:fs';
import { homedir, platform as systemPlatform } from 'node:os';

export interface System {
  platform: NodeJS.Platform;
  uid?: number | undefined;
}

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

export const isMissing = (error: unknown): boolean => errnoOf(error) === 'ENOENT';

/** What a system calls the same thing. */
export const wordsOf = (platform = systemPlatform()) =>
  platform === 'win32'
    ? { home: 'USERPROFILE', temporary: 'TEMP', editor: 'notepad' }
    : { home: 'HOME', temporary: 'TMPDIR', editor: 'vi' };

/** Empty if the system does not know the user, for example in some containers. */
export function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Turns "EACCES: permission denied, open '/etc/hosts'" into "EACCES: permission denied". */
export const errorMessageOf = (error: unknown): string =>
  error instanceof Error ? oneLine(error.message.replace(/, \w+(?: '.*)?$/s, '')) : String(error);

/** The messages of Windows have several lines. */
export const oneLine = (message: string): string => withoutNamespace(message.replaceAll('\r\n', ' '));

/** Windows names a path in the form `\\?\C:\folder` or `\\?\UNC\server\folder`. */
export const withoutNamespace = (text: string): string =>
  text.replace(/\\\\\?\\(UNC\\)?/g, (_prefix, isShare) => (isShare ? '\\\\' : ''));

/** Windows cannot replace a file that another program has open. Most programs close the file soon, so a retry helps. */
const busyCodes = new Set(['EPERM', 'EBUSY', 'EACCES']);
const retryForMs = 1_000;

const isBusy = (error: unknown, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && busyCodes.has(`${errnoOf(error)}`);

/** For a file that could not be replaced. */
export const hintIfBusy = (error: unknown, platform = systemPlatform()): string | undefined =>
  isBusy(error, platform)
    ? 'Another program, such as an editor, may have the file open. Close the file there, then run the command again.'
    : undefined;

const pauseMs = 20;

export function retryWhileBusy<Result>(act: () => Result, platform = systemPlatform()): Result {
  const deadline = Date.now() + retryForMs;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error, platform) || Date.now() >= deadline) throw error;
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
