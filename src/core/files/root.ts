import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { foldersAbove } from '../lib/paths.ts';

export const manifestFile = 'vals.json';
const repositoryMark = '.git';
export const projectMarks = [repositoryMark, manifestFile];

export const isProject = (folder: string): boolean => projectMarks.some((name) => exists(join(folder, name)));

/** A vals.json ends at the next .git or vals.json below it. */
export function findRoot(from: string): string | undefined {
  const project = nearestProject(from);
  return project !== undefined && exists(join(project, manifestFile)) ? project : undefined;
}

const nearestProject = (from: string): string | undefined => [from, ...foldersAbove(from)].find(isProject);

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
