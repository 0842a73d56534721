// Files that Git LFS keeps: git has only pointers to their codes.
import type { Repository } from './repository.ts';
import { runGit } from './start-git.ts';

/** Those of the files, which are paths below the workspace's folder, that .gitattributes gives to Git LFS. */
export async function filesOfLfs(
  repository: Repository,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const asked = files.map((file) => `${repository.prefix}${file}\0`).join('');
  const { printed } = await runGit(repository, ['check-attr', '--stdin', '-z', 'filter'], asked);
  // For each file its path, `filter` and the value.
  const words = printed.split('\0');
  return new Set(files.filter((_file, index) => words[3 * index + 2] === 'lfs'));
}
