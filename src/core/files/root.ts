import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { foldersAbove } from '../lib/paths.ts';

export const manifestFile = 'vals.json';
const repositoryMark = '.git';
export const projectMarks = [repositoryMark, manifestFile];

export const isProject = (folder: string): boolean => projectMarks.some((name) => exists(join(folder, name)));

const isRepository = (folder: string): boolean => exists(join(folder, repositoryMark));

export const repositoryOf = (folder: string): string | undefined =>
  [folder, ...foldersAbove(folder)].find(isRepository);

/** A vals.json ends at the next .git or vals.json below it. */
export function findRoot(from: string): string | undefined {
  const project = nearestProject(from);
  return project !== undefined && exists(join(project, manifestFile)) ? project : undefined;
}

const nearestProject = (from: string): string | undefined => [from, ...foldersAbove(from)].find(isProject);

export function refuseNested(folder: string): void {
  const root = findRoot(folder);
  if (root === undefined || root === folder) return;
  throw new UsageError(`This folder is already in a workspace: ${root}.`, {
    hint: [
      'Run the command outside of that workspace.',
      sh`To add all your vals to that workspace, run ${['pull', '--all']}.`,
    ],
  });
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
