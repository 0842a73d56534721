import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { existingStats, realPath } from '../lib/paths.ts';
import { repositoryOf } from './root.ts';

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

/**
 * Returns a function that reads the text of git's HEAD, which names the branch, or a commit. It returns undefined if the
 * folder is in no repository. A push asks for each val, so the repository is looked for once.
 */
export function createHeadReader(root: string): () => string | undefined {
  const top = repositoryOf(realPath(root));
  const folder = top === undefined ? undefined : gitFolderOf(top);
  return () => (folder === undefined ? undefined : textIn(join(folder.own, 'HEAD')).trim());
}
