// The workspace's own folder, .vals, and the changes of vals.json that need its lock.
import { ConflictError, LocalError, ValsError } from '../../errors.ts';
import { messageOf } from '../../lib/errno.ts';
import { largest } from '../../lib/file-sizes.ts';
import { stringifyJson } from '../../lib/json.ts';
import type { Surroundings } from '../workspace.ts';
import { dotValsFolder, lockBelow, readBelow, removeLeftovers, replaceBelow } from './files.ts';
import { emptyManifest, formatManifest, type Manifest, parseManifest } from './manifest.ts';
import { manifestSchema } from './manifest-schema.ts';
import { manifestFile } from './root.ts';

/** What makes the folder ignore itself, and what editors read. */
const ownFiles: Record<string, string> = {
  '.gitignore': '*\n',
  'schema.json': `${stringifyJson(manifestSchema, 2)}\n`,
};

export function prepareDotVals(root: string): void {
  for (const [name, content] of Object.entries(ownFiles)) {
    const file = `${dotValsFolder}/${name}`;
    if (readBelow(root, file) !== content) replaceBelow(root, file, content, 'anything');
  }
}

/** Reads, changes and replaces vals.json under a lock, so that two processes lose nothing. */
export async function updateManifest(
  root: string,
  surroundings: Surroundings,
  change: (manifest: Manifest) => void,
): Promise<'created' | 'updated' | 'unchanged'> {
  prepareDotVals(root);
  for (;;) {
    const { isMine, release } = await lockDotVals(root, surroundings);
    try {
      const text = readBelow(root, manifestFile, largest.manifest);
      const manifest = text === undefined ? emptyManifest() : parseManifest(text);
      const before = formatManifest(manifest);
      change(manifest);
      const after = formatManifest(manifest);
      if (text !== undefined && before === after) return 'unchanged';
      // Whoever finds that its lock was taken for left behind has read what may be old, and begins again.
      if (!isMine()) continue;
      parseManifest(after);
      replaceBelow(root, manifestFile, after, { content: text });
      return text === undefined ? 'created' : 'updated';
    } catch (error) {
      // Somebody saved it while we had it in hand: theirs is the one to change.
      if (!(error instanceof ConflictError)) throw error;
    } finally {
      release();
    }
  }
}

async function lockDotVals(root: string, { settings, ...waiting }: Surroundings) {
  try {
    removeLeftovers(root);
    return await lockBelow(root, { ...waiting, deadlineMs: settings.timeout.value * 1_000 });
  } catch (error) {
    if (error instanceof ValsError) throw error;
    throw new LocalError(`${dotValsFolder} in ${root} could not be written: ${messageOf(error)}`, {
      hint: 'See that it can be written and has space left.',
      cause: error,
    });
  }
}
