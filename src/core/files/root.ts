import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { existingStats, foldersAbove } from '../lib/paths.ts';

export const manifestFile = 'vals.json';
const repositoryMark = '.git';
export const projectMarks = [repositoryMark, manifestFile];

export const isProject = (folder: string): boolean => projectMarks.some((name) => exists(join(folder, name)));

/** A vals.json ends at the next .git or vals.json below it. */
export function findRoot(from: string): string | undefined {
  const project = [from, ...foldersAbove(from)].find(isProject);
  return project !== undefined && exists(join(project, manifestFile)) ? project : undefined;
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

export interface GitFolder {
  /** Has HEAD. */
  own: string;
  /** Has what all worktrees of the repository share, such as the config. */
  common: string;
}

/** `top` is the folder with .git, which is a file in a worktree and in a submodule. */
export function gitFolderOf(top: string): GitFolder | undefined {
  const path = join(top, '.git');
  if (existingStats(path)?.isDirectory()) return { own: path, common: path };
  const [, named] = /^gitdir: (.+)/.exec(textIn(path)) ?? [];
  if (named === undefined) return undefined;
  const own = resolve(top, named);
  return { own, common: resolve(own, textIn(join(own, 'commondir')).trim()) };
}

/** Empty if the file cannot be read. */
function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
