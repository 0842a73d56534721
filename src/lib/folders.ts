// Folders, made where they are missing.
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** One by one: Node's own `recursive` never returns where a parent cannot be made, as below /proc. */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(folder) !== folder) {
      makeFolder(dirname(folder), mode);
      mkdirSync(folder, { mode });
    } else if (code !== 'EEXIST' || !statSync(folder).isDirectory()) {
      throw error;
    }
  }
}
