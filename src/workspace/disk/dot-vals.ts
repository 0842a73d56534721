// The workspace's own folder, .vals, and the changes of vals.json that need its lock.
import { ConflictError, LocalError, ValsError } from '../../errors.ts';
import { messageOf } from '../../lib/errno.ts';
import { largest } from '../../lib/file-sizes.ts';
import { stringifyJson } from '../../lib/json.ts';
import type { Surroundings } from '../workspace.ts';
import { dotValsFolder, lockBelow, readBelow, removeLeftovers, replaceBelow } from './files.ts';
import { readJournal, removeJournal } from './journal.ts';
import { addLocalIds, embeddedService, readLocalIds, writeLocalIds } from './local-ids.ts';
import { emptyManifest, formatManifest, type Manifest, parseManifest } from './manifest.ts';
import { manifestSchema } from './manifest-schema.ts';
import { applyNotes } from './notes.ts';
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

/** Reads, changes and replaces vals.json under a lock, so that two processes lose nothing. It takes the journal in. */
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
      const hasLocalIds = [...manifest.vals.values()].some(({ ids }) => ids.has(embeddedService));
      const before = formatManifest(manifest);
      const localIds = readLocalIds(root);
      const journal = readJournal(root);
      addLocalIds(manifest.vals, localIds);
      applyNotes(manifest, journal.notes, { rename: false, warn() {} });
      change(manifest);
      const after = formatManifest(manifest);
      // Whoever finds that its lock was taken for left behind has read what may be old, and begins again.
      if (!isMine()) continue;
      // First, so that a crash leaves an id in both places rather than in none.
      writeLocalIds(root, manifest.vals, localIds);
      const isUnchanged = text !== undefined && before === after && !hasLocalIds;
      if (!isUnchanged) {
        parseManifest(after);
        replaceBelow(root, manifestFile, after, { content: text });
      }
      removeJournal(root, journal);
      if (isUnchanged) return 'unchanged';
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
