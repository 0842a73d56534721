// Which codes git brought to files: at their own paths, and at those that they were renamed from.
import { type Commit, readCommits } from './commits.ts';
import type { Repository } from './repository.ts';
import type { GitFailure } from './start-git.ts';

interface BroughtCode {
  blob: string;
  commit: string;
  /** Milliseconds. Undefined for a merge, which repeats what its branches did. */
  writtenAt: number | undefined;
}

export interface WantedHistory {
  /** Below the workspace's folder. */
  file: string;
  /** The history is read until it has these codes in this order, each given by all ids that it may have in git. */
  codes: readonly ReadonlySet<string>[];
}

interface FileHistory {
  /** In the order of HEAD's history, oldest first. */
  brought: readonly BroughtCode[];
  /** It has the wanted codes in their order, so what is older may not have been read. */
  hasAll: boolean;
}

export interface FileHistories {
  of(file: string): FileHistory;
  /** 0 is HEAD, and larger is older. Undefined for a commit that was not read. */
  placeOf(commit: string): number | undefined;
  failure: GitFailure | undefined;
}

/** One `git log` for all files. It names all commits and files, since that is no slower than to look for several paths. */
export async function readFileHistories(
  repository: Repository,
  wanted: readonly WantedHistory[],
): Promise<FileHistories> {
  const place = { ...repository, until: repository.clock.now() + mostMs };
  for (const renames of ['-M', '-M100%'] as const) {
    const reading = createReading(repository.prefix, wanted);
    const failure = await readInto(reading, readCommits(place, { renames }));
    if (failure !== 'failed' || renames === '-M100%') return { ...reading, failure };
  }
  throw new Error('git was asked in no way.');
}

const mostMs = 5_000;

async function readInto(reading: Reading, commits: ReturnType<typeof readCommits>) {
  while (!reading.isDone()) {
    const { done, value } = await commits.next();
    if (done) return value;
    reading.add(value);
  }
  await commits.return(undefined);
  return undefined;
}

interface Reading extends Omit<FileHistories, 'failure'> {
  add(commit: Commit): void;
  isDone(): boolean;
}

interface Unfinished {
  newestFirst: BroughtCode[];
  codes: readonly ReadonlySet<string>[];
  /** How many of the wanted codes were not met yet. Met last one first. */
  left: number;
  /** The wanted code that was met last. A merge brings it once more. */
  last: ReadonlySet<string> | undefined;
}

function createReading(prefix: string, wanted: readonly WantedHistory[]): Reading {
  const files = new Map<string, Unfinished>();
  const byPath = new Map<string, Set<Unfinished>>();
  const places = new Map<string, number>();
  const follow = (path: string, file: Unfinished) =>
    byPath.set(path, (byPath.get(path) ?? new Set()).add(file));
  for (const { file, codes } of wanted) {
    const unfinished = { newestFirst: [], codes, left: codes.length, last: undefined };
    files.set(file, unfinished);
    follow(`${prefix}${file}`, unfinished);
  }
  let open = [...files.values()].filter(({ left }) => left > 0).length;

  function bring(file: Unfinished, brought: BroughtCode): void {
    file.newestFirst.push(brought);
    const code = file.codes.find((ids) => ids.has(brought.blob));
    if (code === undefined || code === file.last) return;
    file.last = code;
    if (file.left === 0 || code !== file.codes[file.left - 1]) return;
    file.left -= 1;
    if (file.left === 0) open -= 1;
  }

  return {
    add({ id, isMerge, writtenAt, changes }) {
      places.set(id, places.size);
      const renamed: [string, Unfinished][] = [];
      for (const { kind, path, blob, from } of changes) {
        if (kind === 'D') continue;
        for (const file of byPath.get(path) ?? []) {
          bring(file, { blob, commit: id, writtenAt: isMerge ? undefined : writtenAt });
          if (from !== undefined && !isMerge) renamed.push([from, file]);
        }
      }
      for (const [from, file] of renamed) follow(from, file);
    },
    isDone: () => open === 0,
    of(file) {
      const { newestFirst = [], left = 0 } = files.get(file) ?? {};
      return { brought: [...newestFirst].reverse(), hasAll: left === 0 };
    },
    placeOf: (commit) => places.get(commit),
  };
}
