import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { LocalError, UsageError } from '../../errors.ts';
import { foldersAbove } from '../../lib/paths.ts';
import type { Settings } from '../../settings/settings.ts';

export const manifestFile = 'vals.json';
export const dotValsFolder = '.vals';
export const projectMarks = ['.git', manifestFile];

export const isProject = (folder: string): boolean => projectMarks.some((name) => exists(join(folder, name)));

export function findRoot(settings: Settings): string | undefined {
  const root = nearestRootOfAnyUser(settings.cwd);
  if (root !== undefined) refuseOthers(settings, root);
  return root;
}

/** A vals.json above a git repository may belong to somebody else, so it does not apply to the repository. */
export function nearestRootOfAnyUser(from: string): string | undefined {
  const project = nearestProject(from);
  return project !== undefined && exists(join(project, manifestFile)) ? project : undefined;
}

const nearestProject = (from: string): string | undefined => [from, ...foldersAbove(from)].find(isProject);

export function refuseOthers(settings: Settings, root: string): void {
  const place = foreignPath(settings, root);
  if (place === undefined) return;
  const ownWay =
    process.geteuid?.() === 0
      ? 'Run the command as the owner, without sudo.'
      : 'To make your own workspace, run `vals init` in another folder.';
  throw new LocalError(`The workspace ${root} is not used: ${place} belongs to another user.`, {
    hint: `${ownWay} If you trust that user, add "${root}" to the list "safeDirectories" in ${settings.configFile}.`,
  });
}

export function refuseNested(settings: Settings, folder: string): void {
  const root = nearestRootOfAnyUser(folder);
  if (root === undefined || root === folder || foreignPath(settings, root) !== undefined) return;
  throw new UsageError(`This folder is already in a workspace: ${root}.`, {
    hint: 'Run the command outside of that workspace, or run `vals pull --all` in that workspace.',
  });
}

export function foreignPath(settings: Settings, root: string): string | undefined {
  const me = process.geteuid?.();
  if (me === undefined) return undefined;
  const isTrusted = ({ uid }: Stats) => uid === me || uid === 0;
  const foreign = [root, join(root, manifestFile), join(root, dotValsFolder)].find((path) => {
    const stats = lookAt(path);
    return stats !== undefined && !isTrusted(stats);
  });
  return foreign !== undefined && settings.safeDirectories.includes(root) ? undefined : foreign;
}

const exists = (path: string): boolean => lookAt(path) !== undefined;

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
