import { join } from 'node:path';
import { ConflictError } from '../../errors.ts';
import { lock, type Waiting } from '../../lib/lock.ts';
import type { Settings } from '../../settings/settings.ts';
import { openOwnFolder } from '../records/own-folder.ts';
import { readBelow } from './files.ts';
import { broken, emptyManifest, formatManifest, type Manifest, parseManifest } from './manifest.ts';
import { manifestFile } from './root.ts';
import { removeLeftovers, replaceBelow } from './write-files.ts';

export type WorkspaceContext = Omit<Waiting, 'deadlineMs'> & { settings: Settings };

export function readManifest(root: string): Manifest {
  const text = readBelow(root, manifestFile);
  if (text === undefined) throw broken('is gone', { text: 'To make a new vals.json', command: 'init' });
  return parseManifest(text);
}

export async function updateManifest(
  root: string,
  context: WorkspaceContext,
  change: (manifest: Manifest) => void,
): Promise<'created' | 'updated' | 'unchanged'> {
  for (;;) {
    const release = await lockManifest(root, context);
    try {
      const text = readBelow(root, manifestFile);
      const manifest = text === undefined ? emptyManifest() : parseManifest(text);
      const before = formatManifest(manifest);
      change(manifest);
      const after = formatManifest(manifest);
      if (text !== undefined && before === after) return 'unchanged';
      parseManifest(after);
      replaceBelow(root, manifestFile, after, text);
      removeLeftovers(root, '');
      return text === undefined ? 'created' : 'updated';
    } catch (error) {
      // Another program changed vals.json after it was read.
      if (!(error instanceof ConflictError)) throw error;
    } finally {
      release();
    }
  }
}

/** Without a data directory there is no lock. `replaceBelow` still notices most changes by other commands. */
async function lockManifest(root: string, { settings, ...waiting }: WorkspaceContext): Promise<() => void> {
  const own = openOwnFolder(settings, root);
  try {
    own.prepare();
  } catch {
    return () => {};
  }
  const deadlineMs = settings.timeout.value * 1_000;
  const { release } = await lock(join(own.path ?? '', 'lock'), { ...waiting, deadlineMs });
  return release;
}
