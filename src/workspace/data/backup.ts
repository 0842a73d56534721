// Keeps the old content of files that a pull overwrites or merges: one folder for each command, in the data folder.
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';

export interface Backup {
  /** Throws if the copy could not be written. Then the file must not be overwritten. */
  keep(file: string, content: string): void;
  readonly files: readonly string[];
  readonly folder: string;
}

/** How many commands of a workspace are remembered. */
const mostBackups = 100;

export function createBackup(dataFolder: DataFolder): Backup {
  const before = dataFolder.names('backup').sort();
  const time = new Date().toISOString().replaceAll(':', '-');
  const sameTime = before.filter((name) => name.startsWith(time)).length;
  const folder = `backup/${time}${sameTime === 0 ? '' : `-${sameTime}`}`;
  const files: string[] = [];
  return {
    files,
    folder: join(dataFolder.path ?? '', folder),
    keep(file, content) {
      if (files.length === 0)
        for (const name of before.slice(0, 1 - mostBackups)) dataFolder.remove(`backup/${name}`);
      dataFolder.write(`${folder}/${file}`, content, { flush: true });
      files.push(file);
    },
  };
}
