import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { existingStats } from '../lib/paths.ts';

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
