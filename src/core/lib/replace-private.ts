import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMissing, replaceFile } from './system.ts';

export interface WriteOptions {
  /** After a power failure, the content is there as soon as what is written later is there. */
  flush?: boolean;
}

/** Writes a file of the data directory, for its owner alone. A crash leaves the old file or the new one. */
export function replacePrivate(path: string, content: string, options: WriteOptions = {}): void {
  // Not from node:crypto, because `vals run` does without that module to start sooner.
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeNew(temporary, content, options);
    replaceFile(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeNew(path: string, content: string, options: WriteOptions): void {
  const write = () => writeFileSync(path, content, { ...options, flag: 'wx', mode: 0o600 });
  try {
    write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    write();
  }
}
