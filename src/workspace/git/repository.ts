import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gitFolderOf } from '../../core/files/git-folder.ts';
import { repositoryOf } from '../../core/files/root.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { once } from '../../core/lib/once.ts';
import { realPath, withSlashes } from '../../core/lib/paths.ts';
import { type GitFailure, type GitPlace, runGit } from './start-git.ts';

/** The repository that a workspace is in, as one command sees it. */
export interface Repository extends GitPlace {
  /** The workspace's folder, relative to the top. Empty, or with a slash at its end. */
  prefix: string;
  isShallow: boolean;
  /** Asked once. Undefined before the first commit, and where git fails. */
  head(): Promise<{ commit: string | undefined; failure: GitFailure | undefined }>;
}

export interface GitSurroundings {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
}

/** Undefined if the folder is in no repository. Starts nothing. */
export function openRepository(
  root: string,
  { env, signal, clock }: GitSurroundings,
): Repository | undefined {
  const folder = realPath(root);
  const top = repositoryOf(folder);
  if (top === undefined) return undefined;
  const place = { folder, top, env, signal, clock };
  const path = withSlashes(relative(top, folder));
  const common = gitFolderOf(top)?.common ?? top;
  return {
    ...place,
    prefix: path === '' ? '' : `${path}/`,
    isShallow: existsSync(join(common, 'shallow')),
    head: once(async () => {
      const { printed, failure } = await runGit(place, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}']);
      const commit = printed.trim() || undefined;
      return { commit, failure: commit === undefined ? failureOf(failure, printed) : undefined };
    }),
  };
}

/** Before the first commit, git fails without a word. */
const failureOf = (failure: GitFailure | undefined, printed: string): GitFailure | undefined =>
  failure === 'failed' && printed === '' ? undefined : failure;

/** Whether the index or the history of HEAD has the path. */
export async function isKnownToGit(place: GitPlace, file: string): Promise<boolean> {
  const prints = async (...args: string[]) =>
    (await runGit(place, ['--literal-pathspecs', ...args, '--', file])).printed !== '';
  return (await prints('ls-files', '-z')) || (await prints('rev-list', '-1', '--full-history', 'HEAD'));
}

/** Whether the history of HEAD has the commit. */
export async function isInHistory(place: GitPlace, commit: string): Promise<boolean> {
  const { failure } = await runGit(place, ['merge-base', '--is-ancestor', commit, 'HEAD']);
  return failure === undefined;
}
