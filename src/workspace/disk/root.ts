// Finds the root of the workspace: the nearest folder with a vals.json, from the current folder upwards.
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { LocalError, UsageError } from '../../errors.ts';
import { foldersAbove } from '../../lib/paths.ts';
import type { Settings } from '../../settings/settings.ts';

export const manifestFile = 'vals.json';
/** The program keeps its own files of a workspace in this folder. git ignores the folder. */
export const dotValsFolder = '.vals';

/** Throws if the workspace belongs to another user. */
export function findRoot(settings: Settings): string | undefined {
  const root = nearestRoot(settings.cwd);
  if (root !== undefined) refuseOthers(settings, root);
  return root;
}

/** Also finds a workspace of another user. The caller must not use the content of such a workspace. */
export const nearestRoot = (from: string): string | undefined =>
  [from, ...foldersAbove(from)].find((folder) => lookAt(join(folder, manifestFile)) !== undefined);

/**
 * Throws if the workspace belongs to another user, as git does. The owner of a workspace decides which file is sent to
 * which val. The check also applies to the user root, because the owner could not change the files that a command with
 * sudo leaves in .vals.
 */
export function refuseOthers(settings: Settings, root: string): void {
  const place = foreignPlace(settings, root);
  if (place === undefined) return;
  const ownWay =
    process.geteuid?.() === 0
      ? 'Run the command as the owner, without sudo.'
      : 'In a folder of your own, `vals init` makes a workspace that is yours.';
  throw new LocalError(`The workspace ${root} is not used: ${place} belongs to another user.`, {
    hint: `${ownWay} If you trust that user, add "${root}" to the list "safeDirectories" in ${settings.configFile}.`,
  });
}

export function refuseNested(settings: Settings, folder: string): void {
  const root = nearestRoot(folder);
  if (root === undefined || root === folder || foreignPlace(settings, root) !== undefined) return;
  throw new UsageError(`This folder is already in a workspace: ${root}.`, {
    hint: 'Run the command outside of that workspace, or run `vals pull --all` in it.',
  });
}

/**
 * Checks the root, vals.json and .vals. Returns the first of them that belongs to another user. Returns undefined if
 * the settings list the root as a safe directory.
 */
export function foreignPlace(settings: Settings, root: string): string | undefined {
  const me = process.geteuid?.();
  if (me === undefined) return undefined;
  const isTrusted = ({ uid }: Stats) => uid === me || uid === 0;
  const foreign = [root, join(root, manifestFile), join(root, dotValsFolder)].find((path) => {
    const stats = lookAt(path);
    return stats !== undefined && !isTrusted(stats);
  });
  return foreign !== undefined && settings.safeDirectories.includes(root) ? undefined : foreign;
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
