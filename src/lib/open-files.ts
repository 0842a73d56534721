// The limit on open files. Sockets count as open files too.
import { closeSync, openSync } from 'node:fs';
import { LocalError } from '../errors.ts';
import { errnoOf } from './system.ts';

/**
 * Throws if this process cannot open so many more files. Databases and servers that reach the limit later fail with errors
 * that do not name it. A native library even ends the process.
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
