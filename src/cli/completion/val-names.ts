import { join, relative } from 'node:path';
import { createSeenVals } from '../../names/seen-vals.ts';
import type { Settings } from '../../settings/settings.ts';
import { readManifest } from '../../workspace/disk/manifest-file.ts';
import { findRoot } from '../../workspace/disk/root.ts';

/** Names that do not match are not completed, because a shell could interpret characters such as $. */
const safeInShell = /^[\w.][\w./-]*$/;

export async function valsThatFit(unfinished: string, settings: Settings): Promise<string[]> {
  const matching = (words: readonly string[]) =>
    words.filter((word) => word.startsWith(unfinished) && safeInShell.test(word));
  const vals = workspaceVals(settings);
  const names = new Set([...vals.map(({ name }) => name), ...(await seenNames(settings))]);
  const fitting = matching([...names]);
  if (fitting.length > 0) return fitting;
  const prefix = unfinished.startsWith('./') ? './' : '';
  return matching(vals.map(({ file }) => prefix + file));
}

async function seenNames(settings: Settings): Promise<string[]> {
  try {
    const { mine } = await createSeenVals(settings).recall();
    return mine.map(({ name }) => name);
  } catch {
    return [];
  }
}

function workspaceVals(settings: Settings): { name: string; file: string }[] {
  try {
    const root = findRoot(settings.cwd);
    if (root === undefined) return [];
    const vals = [...readManifest(root).vals];
    return vals.map(([file, { name }]) => ({ name, file: relative(settings.cwd, join(root, file)) }));
  } catch {
    return [];
  }
}
