// Finds vals for completion: those of the workspace, by name or file, and those seen before, by name.
import { join, relative } from 'node:path';
import { createSeenVals } from '../../names/seen-vals.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Manifest } from '../../workspace/disk/manifest.ts';
import { readManifest } from '../../workspace/disk/manifest-file.ts';
import { findRoot } from '../../workspace/disk/root.ts';

/** A shell may act on any other character, and a leading dash makes an option. */
const harmless = /^[\w.][\w./-]*$/;

/** Names of vals; if none fits, files of vals. */
export async function valsThatFit(typed: string, settings: Settings): Promise<string[]> {
  const workspace = readWorkspace(settings);
  const matching = (words: readonly string[]) =>
    words.filter((word) => word.startsWith(typed) && harmless.test(word));
  const names = matching([...new Set([...valNames(workspace), ...(await seenNames(settings))])]);
  if (names.length > 0) return names;
  const files = valFiles(workspace, settings);
  return matching(typed.startsWith('./') ? files.map((file) => `./${file}`) : files);
}

type Workspace = { root: string; vals: Manifest['vals'] } | undefined;

const valNames = (workspace: Workspace): string[] =>
  [...(workspace?.vals.values() ?? [])].map(({ name }) => name);

/** Empty if the settings are broken. */
async function seenNames(settings: Settings): Promise<string[]> {
  try {
    const { mine } = await createSeenVals(settings).recall();
    return mine.map(({ name }) => name);
  } catch {
    return [];
  }
}

const valFiles = (workspace: Workspace, { cwd }: Settings): string[] =>
  workspace === undefined
    ? []
    : [...workspace.vals.keys()].map((file) => relative(cwd, join(workspace.root, file)));

/** Undefined also if it is another user's or cannot be read: completion cannot show errors. */
function readWorkspace(settings: Settings): Workspace {
  try {
    const root = findRoot(settings);
    return root === undefined ? undefined : { root, vals: readManifest(root).vals };
  } catch {
    return undefined;
  }
}
