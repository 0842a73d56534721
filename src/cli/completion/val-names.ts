// The vals that can be named where completion is asked for: those of the workspace.
import type { Settings } from '../../settings/settings.ts';
import { readManifest } from '../../workspace/disk/manifest.ts';
import { findRoot } from '../../workspace/disk/root.ts';

/** None outside of a workspace, nor where it is another user's or cannot be read: nobody is there to be told why. */
export function valNames(settings: Settings): string[] {
  try {
    const root = findRoot(settings);
    return root === undefined ? [] : [...readManifest(root).vals.values()].map(({ name }) => name);
  } catch {
    return [];
  }
}
