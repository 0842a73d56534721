import { statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderAboveForAll, letsOthersReplace } from './paths.ts';
import type { System } from './system.ts';

/** Refuses a place in which another user could replace the new folder. */
export async function makeTemporaryFolder(prefix: string, { platform, uid }: System): Promise<string> {
  const parent = tmpdir();
  if (platform !== 'win32') {
    const stats = statSync(parent);
    if (stats.uid !== uid && stats.uid !== 0) throw new Error(`${parent} belongs to another user`);
    if (letsOthersReplace(stats, 0o022)) throw new Error(`other users can write to ${parent}`);
    const above = folderAboveForAll(parent);
    if (above !== undefined) throw new Error(`all users can write to ${above}`);
  }
  return mkdtemp(join(parent, prefix));
}
