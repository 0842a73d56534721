// Makes folders, and lists the folders above a file.
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, isMissing } from './errno.ts';

/** One by one: Node's `recursive` never returns if a parent cannot be made, as below /proc. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (isMissing(error) && dirname(folder) !== folder) {
      makeFolder(dirname(folder), mode);
      mkdirSync(folder, { mode });
    } else if (errnoOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) {
      throw error;
    }
  }
}

/** The folders that a file is in, from its own to the root. */
export function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}
