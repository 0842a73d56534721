import { ConflictError } from '../../errors.ts';
import { largest } from '../../lib/plain-file.ts';
import { embeddedService } from '../../settings/settings.ts';
import { lockDotVals, prepareDotVals, type WorkspaceContext } from './dot-vals.ts';
import { readBelow } from './files.ts';
import { readJournal, removeJournal } from './journal.ts';
import { addLocalIds, readLocalIds, writeLocalIds } from './local-ids.ts';
import { broken, emptyManifest, formatManifest, type Manifest, parseManifest } from './manifest.ts';
import { applyNotes } from './notes.ts';
import { manifestFile } from './root.ts';
import { replaceBelow } from './write-files.ts';

export function readManifest(root: string): Manifest {
  const text = readBelow(root, manifestFile, largest.manifest);
  if (text === undefined) throw broken('is gone', 'To make a new vals.json, run `vals init`.');
  const manifest = parseManifest(text);
  addLocalIds(manifest.vals, readLocalIds(root));
  applyNotes(manifest, readJournal(root).notes, { mayRename: false, warn() {} });
  return manifest;
}

export async function updateManifest(
  root: string,
  context: WorkspaceContext,
  change: (manifest: Manifest) => void,
): Promise<'created' | 'updated' | 'unchanged'> {
  prepareDotVals(root);
  for (;;) {
    const { isMine, release } = await lockDotVals(root, context);
    try {
      const text = readBelow(root, manifestFile, largest.manifest);
      const manifest = text === undefined ? emptyManifest() : parseManifest(text);
      const hasLocalIds = [...manifest.vals.values()].some(({ ids }) => ids.has(embeddedService));
      const before = formatManifest(manifest);
      const localIds = readLocalIds(root);
      const journal = readJournal(root);
      addLocalIds(manifest.vals, localIds);
      applyNotes(manifest, journal.notes, { mayRename: false, warn() {} });
      change(manifest);
      const after = formatManifest(manifest);
      if (!isMine()) continue;
      // `writeLocalIds` must run before `replaceBelow`, because otherwise a crash could lose an id.
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
      if (!(error instanceof ConflictError)) throw error;
    } finally {
      release();
    }
  }
}
