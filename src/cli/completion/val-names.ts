// Finds vals for completion. A val of the workspace is found by its name or file. A val that this machine has seen
// before is found by its name.
import { join, relative } from 'node:path';
import { createSeenVals } from '../../names/seen-vals.ts';
import type { Settings } from '../../settings/settings.ts';
import { readManifest } from '../../workspace/disk/manifest-file.ts';
import { findRoot } from '../../workspace/disk/root.ts';

/**
 * Completion offers only words that match this pattern. A shell may act on other characters, and a word with a leading
 * dash would be read as an option.
 */
const harmless = /^[\w.][\w./-]*$/;

/**
 * Returns the names of vals that begin with the unfinished word. If there is no such name, returns the files of vals
 * that begin with the unfinished word.
 */
export async function valsThatFit(unfinished: string, settings: Settings): Promise<string[]> {
  const matching = (words: readonly string[]) =>
    words.filter((word) => word.startsWith(unfinished) && harmless.test(word));
  const vals = workspaceVals(settings);
  const names = new Set([...vals.map(({ name }) => name), ...(await seenNames(settings))]);
  const fitting = matching([...names]);
  if (fitting.length > 0) return fitting;
  const prefix = unfinished.startsWith('./') ? './' : '';
  return matching(vals.map(({ file }) => prefix + file));
}

/** Returns an empty list if the settings are invalid, because completion cannot show errors. */
async function seenNames(settings: Settings): Promise<string[]> {
  try {
    const { mine } = await createSeenVals(settings).recall();
    return mine.map(({ name }) => name);
  } catch {
    return [];
  }
}

/**
 * Returns an empty list if the workspace belongs to another user or cannot be read, because completion cannot show
 * errors.
 */
function workspaceVals(settings: Settings): { name: string; file: string }[] {
  try {
    const root = findRoot(settings);
    if (root === undefined) return [];
    const vals = [...readManifest(root).vals];
    return vals.map(([file, { name }]) => ({ name, file: relative(settings.cwd, join(root, file)) }));
  } catch {
    return [];
  }
}
