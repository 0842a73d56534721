// Copies of files that a pull overwrote or merged.
import { join } from 'node:path';
import type { OwnFolder } from './own-folder.ts';

export interface Backup {
  /** Throws if the copy could not be written. Then the file must not be overwritten. */
  keep(file: string, content: string): void;
  readonly files: readonly string[];
  readonly folder: string;
}

/** How many commands of a workspace are remembered. */
const mostBackups = 100;

export function createBackup(own: OwnFolder): Backup {
  const before = own.names('backup').sort();
  const time = new Date().toISOString().replaceAll(':', '-');
  const sameTime = before.filter((name) => name.startsWith(time)).length;
  const folder = `backup/${time}${sameTime === 0 ? '' : `-${sameTime}`}`;
  const files: string[] = [];
  return {
    files,
    folder: join(own.path ?? '', folder),
    keep(file, content) {
      if (files.length === 0)
        for (const name of before.slice(0, 1 - mostBackups)) own.remove(`backup/${name}`);
      own.write(`${folder}/${file}`, content, { flush: true });
      files.push(file);
    },
  };
}
