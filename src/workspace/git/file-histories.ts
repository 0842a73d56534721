// The codes that commits gave to files, at their present paths and at those that they were renamed from.
import { type Commit, readCommits } from './commits.ts';
import type { Repository } from './repository.ts';
import type { GitFailure } from './start-git.ts';

/** A code, given by all ids that it may have in git. */
export type Ids = ReadonlySet<string>;

export interface WantedHistory {
  /** Below the workspace's folder. */
  file: string;
  /** The history is read until it has these codes in this order. */
  codes: readonly Ids[];
}

/** A code that a commit brought to a file. */
export interface CommittedCode {
  blob: string;
  /** Milliseconds. Undefined for a merge, which repeats what its branches did. */
  writtenAt: number | undefined;
}

export interface FileHistories {
  /** In the order of HEAD's history, oldest first. What is older than all that was wanted may be missing. */
  of(file: string): readonly CommittedCode[];
  failure: GitFailure | undefined;
}

/** The history of one file, as far as it was read. */
interface FileHistory {
  newestFirst: CommittedCode[];
  codes: readonly Ids[];
  /** How many of the codes were not found yet. The last one is found first. */
  missingCodes: number;
}

/** One `git log` for all files. It names all commits and files, since that is no slower than to look for several paths. */
export async function readFileHistories(
  repository: Repository,
  wanted: readonly WantedHistory[],
): Promise<FileHistories> {
  const { prefix } = repository;
  const files = new Map<string, FileHistory>();
  const byPath = new Map<string, Set<FileHistory>>();
  const follow = (path: string, file: FileHistory) =>
    byPath.set(path, (byPath.get(path) ?? new Set()).add(file));
  for (const { file: path, codes } of wanted) {
    const file = { newestFirst: [], codes, missingCodes: codes.length };
    files.set(path, file);
    follow(`${prefix}${path}`, file);
  }
  const of = (path: string) => files.get(path)?.newestFirst.toReversed() ?? [];
  const isOpen = () => [...files.values()].some(({ missingCodes }) => missingCodes > 0);
  if (!isOpen()) return { of, failure: undefined };

  function add({ isMerge, writtenAt, changes }: Commit): void {
    const renamed: [string, FileHistory][] = [];
    for (const { kind, path, blob, from } of changes) {
      if (kind === 'D') continue;
      for (const file of byPath.get(path) ?? []) {
        file.newestFirst.push({ blob, writtenAt: isMerge ? undefined : writtenAt });
        if (file.codes[file.missingCodes - 1]?.has(blob)) file.missingCodes -= 1;
        if (from !== undefined && !isMerge) renamed.push([from, file]);
      }
    }
    for (const [from, file] of renamed) follow(from, file);
  }

  // A blobless clone lacks the codes that would show whether a file was renamed and changed at once.
  const renames = repository.isPartial ? '-M100%' : '-M';
  const failure = await readCommits(repository, [renames], (commit) => {
    add(commit);
    return isOpen();
  });
  return { of, failure };
}
