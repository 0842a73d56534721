// The vals that can be named where completion is asked for: those of the workspace.
import { readManifest } from '../../workspace/disk/manifest.ts';
import { findRoot } from '../../workspace/disk/root.ts';

/** None outside of a workspace, nor where vals.json cannot be read: nobody is there to be told why. */
export function valNames(): string[] {
  const root = findRoot();
  if (root === undefined) return [];
  try {
    return [...readManifest(root).vals.values()].map(({ name }) => name);
  } catch {
    return [];
  }
}
