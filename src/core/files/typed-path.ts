import { join, relative } from 'node:path';
import { LocalError } from '../errors.ts';
import { existingRealPath, foldersAbove, isFile, isWithin, realPath, withSlashes } from '../lib/paths.ts';
import { createIgnoreCheck } from './ignoring.ts';
import { isProject } from './root.ts';

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
