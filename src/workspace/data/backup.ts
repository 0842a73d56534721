// Keeps the old content of files that a pull overwrites or merges: one folder for each command, in the data folder.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';

export interface Backup {
  /** Throws if the copy could not be written. Then the file must not be overwritten. */
  keep(file: string, content: string): void;
  readonly files: readonly string[];
  readonly folder: string;
}

export function createBackup(dataFolder: DataFolder): Backup {
  const time = new Date().toISOString().replaceAll(':', '-');
  // Two commands may begin at the same time.
  const folder = `backup/${time}-${randomUUID().slice(0, 8)}`;
  const files: string[] = [];
  return {
    files,
    folder: join(dataFolder.path ?? '', folder),
    keep(file, content) {
      dataFolder.write(`${folder}/${file}`, content, { flush: true });
      files.push(file);
    },
  };
}
