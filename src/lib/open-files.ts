import { closeSync, openSync } from 'node:fs';
import { LocalError } from '../errors.ts';
import { errnoOf } from './system.ts';

export const raiseFileLimit = 'Raise the limit with `ulimit -n 1024`.';

/** Call this before opening a database. A database that cannot open a file crashes or reports a misleading error. */
export function requireOpenFiles(count: number, purpose: string): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(process.execPath, 'r'));
  } catch (error) {
    if (errnoOf(error) !== 'EMFILE') return;
    throw tooFewFiles(purpose, error);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

const tooFewFiles = (purpose: string, cause?: unknown): LocalError =>
  new LocalError(`The limit on open files is too low for ${purpose}.`, { hint: raiseFileLimit, cause });
