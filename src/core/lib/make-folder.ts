import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { existingStats } from './paths.ts';
import { errnoOf } from './system.ts';

/** Makes the folders above it, too. With `recursive`, `mkdirSync` of Node 20 never returns below /proc. */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile. A link to nothing brings the same error.
    const isMade = errnoOf(error) === 'EEXIST' && existingStats(path)?.isDirectory();
    if (!isMade) throw error;
  }
}
