// Which codes git brought to files: at their own paths, and at those that they were renamed from.
import { type Commit, readCommits } from './commits.ts';
import type { Repository } from './repository.ts';
import type { GitFailure } from './start-git.ts';

export interface BroughtCode {
  blob: string;
  /** Milliseconds. Undefined for a merge, which repeats what its branches did, and for a last sync. */
  writtenAt: number | undefined;
  /** It is what this folder and the service had in common after a commit. */
  isLastSync?: boolean;
}

/** A code, given by all ids that it may have in git. */
export type Ids = ReadonlySet<string>;

export interface WantedHistory {
  /** Below the workspace's folder. */
  file: string;
  /** The history is read until it has these codes in this order. */
  codes: readonly Ids[];
  /** And until it has this one before the last sync. */
  before?: Ids | undefined;
  /** Stands in the history right after its commit. */
  lastSync?: { commit: string; blob: string } | undefined;
}

export interface FileHistories {
  /** In the order of HEAD's history, oldest first. What is older than all that was wanted may be missing. */
  of(file: string): readonly BroughtCode[];
  failure: GitFailure | undefined;
}

/** One `git log` for all files. It names all commits and files, since that is no slower than to look for several paths. */
export async function readFileHistories(
  repository: Repository,
  wanted: readonly WantedHistory[],
): Promise<FileHistories> {
  const place = { ...repository, until: repository.clock.now() + mostMs };
  const { of, add, isDone } = createReading(repository.prefix, wanted);
  if (isDone()) return { of, failure: undefined };
  // A blobless clone lacks the codes that would show whether a file was renamed and changed at once.
  const failure = await readCommits(place, ['-M100%'], (commit) => {
    add(commit);
    return !isDone();
  });
  return { of, failure };
}

const mostMs = 5_000;

/** The history of one file, as far as it was read. */
interface Unfinished {
  newestFirst: BroughtCode[];
  codes: readonly Ids[];
  /** How many of the codes were not met yet. Met last one first. */
  left: number;
  before: Ids | undefined;
  isSynced: boolean;
  /** The wanted code that was met last. A merge brings it once more. */
  last: Ids | undefined;
}

const isFinished = ({ left, before }: Unfinished): boolean => left === 0 && before === undefined;

interface Reading extends Pick<FileHistories, 'of'> {
  add(commit: Commit): void;
  isDone(): boolean;
}

function createReading(prefix: string, wanted: readonly WantedHistory[]): Reading {
  const files = new Map<string, Unfinished>();
  const byPath = new Map<string, Set<Unfinished>>();
  const syncs = new Map<string, { file: Unfinished; blob: string }[]>();
  const follow = (path: string, file: Unfinished) =>
    byPath.set(path, (byPath.get(path) ?? new Set()).add(file));
  for (const { file: path, codes, before, lastSync } of wanted) {
    const file = { newestFirst: [], codes, left: codes.length, before, isSynced: false, last: undefined };
    files.set(path, file);
    follow(`${prefix}${path}`, file);
    if (lastSync === undefined) continue;
    const { commit, blob } = lastSync;
    syncs.set(commit, [...(syncs.get(commit) ?? []), { file, blob }]);
  }
  let open = [...files.values()].filter((file) => !isFinished(file)).length;

  function bring(file: Unfinished, brought: BroughtCode): void {
    const wasFinished = isFinished(file);
    const newer = file.newestFirst.at(-1);
    file.newestFirst.push(brought);
    if (brought.isLastSync) file.isSynced = true;
    // A last sync of what its commit had is no work that somebody could have taken back.
    const isCommitted = newer?.isLastSync && newer.blob === brought.blob;
    if (isCommitted || (file.isSynced && file.before?.has(brought.blob))) file.before = undefined;
    const code = file.codes.find((ids) => ids.has(brought.blob));
    if (code !== undefined && code !== file.last) {
      if (code === file.codes[file.left - 1]) file.left -= 1;
      file.last = code;
    }
    if (!wasFinished && isFinished(file)) open -= 1;
  }

  return {
    add({ id, isMerge, writtenAt, changes }) {
      for (const { file, blob } of syncs.get(id) ?? [])
        bring(file, { blob, writtenAt: undefined, isLastSync: true });
      const renamed: [string, Unfinished][] = [];
      for (const { kind, path, blob, from } of changes) {
        if (kind === 'D') continue;
        for (const file of byPath.get(path) ?? []) {
          bring(file, { blob, writtenAt: isMerge ? undefined : writtenAt });
          if (from !== undefined && !isMerge) renamed.push([from, file]);
        }
      }
      for (const [from, file] of renamed) follow(from, file);
    },
    isDone: () => open === 0,
    of: (path) => files.get(path)?.newestFirst.toReversed() ?? [],
  };
}
