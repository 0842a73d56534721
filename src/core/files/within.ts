import { join, relative } from 'node:path';
import { LocalError } from '../errors.ts';
import { existingRealPath, foldersAbove, isFile, isWithin, realPath, withSlashes } from '../lib/paths.ts';
import { createIgnoreCheck } from './ignoring.ts';
import { isProject } from './root.ts';

export interface FileLimits {
  filesBelow: readonly string[];
  forbiddenFolders: readonly string[];
}

/** For an agent, a file that it may not use is as one that does not exist. */
export const isUsableFile = (path: string, limits: FileLimits | undefined): boolean =>
  isFile(path) && (limits === undefined || folderOf(limits, path) !== undefined);

function folderOf({ filesBelow, forbiddenFolders }: FileLimits, path: string): string | undefined {
  const real = realPath(path);
  if (forbiddenFolders.some((folder) => isWithin(realPath(folder), real))) return undefined;
  return filesBelow.find((each) => isWithin(each, path) && isWithin(realPath(each), real));
}

export function placeWithin(
  { filesBelow, forbiddenFolders }: FileLimits,
  path: string,
  shownPath: string,
): { folder: string; below: string } {
  if (filesBelow.length === 0) {
    throw new LocalError(`${shownPath} cannot be used: this server was started without a project folder.`, {
      hint: 'Ask a person to start it in a project folder, not in / or in the home folder.',
    });
  }
  const folder = folderOf({ filesBelow, forbiddenFolders }, path);
  if (folder === undefined) {
    throw new LocalError(
      `${shownPath} cannot be used: only the project's files below ${filesBelow.join(' and ')} may be used.`,
      { hint: 'Use a file of the project, or ask a person to copy the file into the project.' },
    );
  }
  return { folder, below: withSlashes(relative(folder, path)) };
}

/** A link in a cloned repository may lead to a secret: outside of the project, hidden, or ignored. */
export function refuseLinkToSecret(path: string, shownPath: string, cwd: string): void {
  const project = foldersAbove(path).findLast(isProject) ?? (isWithin(cwd, path) ? cwd : undefined);
  if (project === undefined) return;
  const realProject = realPath(project);
  const target = existingRealPath(path);
  if (target === undefined || target === join(realProject, relative(project, path))) return;
  const problem = problemOf(realProject, target);
  if (problem === undefined) return;
  throw new LocalError(`${shownPath} is or contains a link to ${target}, which is ${problem}.`, {
    hint: `To use that file, give its own path: ${target}.`,
  });
}

function problemOf(project: string, target: string): string | undefined {
  if (!isWithin(project, target)) return 'outside this project';
  const below = withSlashes(relative(project, target));
  if (below.split('/').some((name) => name.startsWith('.'))) return 'hidden';
  const isIgnored = createIgnoreCheck(project);
  return isIgnored(isFile(target) ? below : `${below}/any`) ? 'listed in an ignore file' : undefined;
}
