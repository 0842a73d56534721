// The limit on open files. Sockets count as open files too.
import { closeSync, openSync } from 'node:fs';
import { LocalError } from '../errors.ts';
import { errnoOf } from './system.ts';

/**
 * Throws if this process cannot open `count` more files. A database or server that reaches the limit later fails with an
 * error that does not mention the limit. A native library may even end the process.
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
