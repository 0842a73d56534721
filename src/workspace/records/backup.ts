import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnFolder } from './own-folder.ts';

export interface Backup {
  /** Throws if the copy could not be written. Then the file must not be overwritten. */
  keep(file: string, content: string): void;
  readonly files: readonly string[];
  readonly folder: string;
}

export function createBackup(own: OwnFolder): Backup {
  const folder = unusedFolder(own);
  const files: string[] = [];
  return {
    files,
    folder: join(own.path ?? '', folder),
    keep(file, content) {
      own.write(`${folder}/${file}`, content);
      files.push(file);
    },
  };
}

function unusedFolder({ path = '' }: OwnFolder): string {
  const time = new Date().toISOString().replaceAll(':', '-');
  for (let attempt = 0; ; attempt++) {
    const folder = `backup/${time}${attempt === 0 ? '' : `-${attempt}`}`;
    if (!existsSync(join(path, folder))) return folder;
  }
}
