import { closeSync, openSync } from 'node:fs';
import { LocalError } from '../errors.ts';
import { errnoOf } from './system.ts';

/**
 * A database that reaches the limit later fails with an error that does not mention the limit, or crashes the
 * process.
 */
export function requireOpenFiles(count: number, purpose: string): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(process.execPath, 'r'));
  } catch (error) {
    if (errnoOf(error) !== 'EMFILE') return;
    throw new LocalError(`The limit on open files is too low for ${purpose}.`, {
      hint: 'Raise the limit with `ulimit -n 1024`.',
      cause: error,
    });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
