// The repository that a workspace is in: what one command asks of it more than once, and questions about blobs.
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { gitFolderOf } from '../../core/files/root.ts';
import { existingStats, foldersAbove, readableNames, realPath, withSlashes } from '../../core/lib/paths.ts';
import { type Clock, once } from '../../core/lib/waiting.ts';
import { type GitFailure, type GitPlace, runGit } from './start-git.ts';

/** The repository that a workspace is in, as one command sees it. */
export interface Repository extends GitPlace {
  /** The workspace's folder, relative to the top. Empty, or with a slash at its end. */
  prefix: string;
  isShallow: boolean;
  isPartial: boolean;
  isSparse: boolean;
  /** `git pull` may bring commits of others. Asked once. */
  hasUpstream(): Promise<boolean>;
  /** Asked once. Undefined before the first commit, and where git fails. */
  head(): Promise<{ commit: string | undefined; failure: GitFailure | undefined }>;
  /** Whether the history of HEAD has the commit. Each is asked once. */
  hasCommit(commit: string): Promise<boolean>;
}

export interface GitSurroundings {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
}

export const repositoryOf = (folder: string): string | undefined =>
  [folder, ...foldersAbove(folder)].find((each) => existingStats(join(each, '.git')) !== undefined);

/** git holds this lock while it writes the files of another branch. */
export function isGitWriting(root: string): boolean {
  const top = repositoryOf(realPath(root));
  const folder = top === undefined ? undefined : gitFolderOf(top)?.own;
  return folder !== undefined && existsSync(join(folder, 'index.lock'));
}

/** Undefined if the folder is in no repository. Starts nothing. */
export function openRepository(
  root: string,
  { env, signal, clock }: GitSurroundings,
): Repository | undefined {
  const folder = realPath(root);
  const top = repositoryOf(folder);
  if (top === undefined) return undefined;
  const place = { top, env, signal, clock };
  const path = withSlashes(relative(top, folder));
  const { own, common } = gitFolderOf(top) ?? { own: top, common: top };
  const commits = new Map<string, Promise<boolean>>();
  async function isInHistory(commit: string): Promise<boolean> {
    const { failure } = await runGit(place, ['merge-base', '--is-ancestor', commit, 'HEAD']);
    return failure === undefined;
  }
  const head = once(async () => {
    const { printed, failure } = await runGit(place, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}']);
    const commit = printed.trim() || undefined;
    return { commit, failure: commit === undefined ? failureOf(failure, printed) : undefined };
  });
  return {
    ...place,
    head,
    prefix: path === '' ? '' : `${path}/`,
    isShallow: existsSync(join(common, 'shallow')),
    isPartial: readableNames(join(common, 'objects/pack')).some((name) => name.endsWith('.promisor')),
    isSparse: existsSync(join(own, 'info/sparse-checkout')),
    hasUpstream: once(async () => {
      const { failure } = await runGit(place, ['rev-parse', '--quiet', '--verify', '@{upstream}']);
      return failure === undefined;
    }),
    async hasCommit(commit) {
      if ((await head()).commit === commit) return true;
      const answer = commits.get(commit) ?? isInHistory(commit);
      commits.set(commit, answer);
      return answer;
    },
  };
}

/** Before the first commit, git fails without a word. */
const failureOf = (failure: GitFailure | undefined, printed: string): GitFailure | undefined =>
  failure === 'failed' && printed === '' ? undefined : failure;

/** Whether the index or the history of HEAD has the path, which is absolute or below the workspace's folder. */
export async function isKnownToGit(repository: Repository, file: string): Promise<boolean> {
  const { top, prefix } = repository;
  const path = withSlashes(relative(top, resolve(top, prefix, file)));
  const prints = async (...args: string[]) =>
    (await runGit(repository, ['--literal-pathspecs', ...args, '--', path])).printed !== '';
  return (await prints('ls-files', '-z')) || (await prints('rev-list', '-1', '--full-history', 'HEAD'));
}

/**
 * Those of the blobs that the repository has. Undefined if git does not tell, or lacks some that its history has (a partial
 * clone).
 */
export async function findBlobs(
  repository: Repository,
  ids: ReadonlySet<string>,
): Promise<ReadonlySet<string> | undefined> {
  if (repository.isPartial) return undefined;
  if (ids.size === 0) return ids;
  const asked = [...ids].map((id) => `${id}\n`).join('');
  const { printed, failure } = await runGit(repository, ['cat-file', '--batch-check=%(objectname)'], asked);
  return failure === undefined ? new Set(printed.split('\n')) : undefined;
}

/** The ids of the blobs that files had at commits, in their order. Something else where there was no file. */
export async function filesAtCommits(
  repository: Repository,
  files: readonly { file: string; commit: string }[],
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const asked = files.map(({ file, commit }) => `${commit}:${repository.prefix}${file}\n`).join('');
  const { printed } = await runGit(repository, ['cat-file', '--batch-check=%(objectname)'], asked);
  const answers = printed.split('\n').slice(0, -1);
  // A path with a line end is two questions.
  return answers.length === files.length ? answers : [];
}
