// Which codes git brought to files: at their own paths, and at those that they were renamed from.
import { type Commit, type LogRange, readCommits } from './commits.ts';
import type { Repository } from './repository.ts';
import { type GitFailure, mostMs, startGit } from './start-git.ts';

export interface BroughtCode {
  blob: string;
  commit: string;
  /** Milliseconds. Undefined for a merge, which repeats what its branches did. */
  writtenAt: number | undefined;
}

export interface WantedHistory {
  file: string;
  /** The history is read until it has these codes in this order, each given by all ids that it may have in git. */
  codes: readonly ReadonlySet<string>[];
}

export interface FileHistory {
  /** In the order of HEAD's history, oldest first. */
  brought: readonly BroughtCode[];
  /** It has the wanted codes in their order, so what is older was not read. */
  hasAll: boolean;
}

export interface FileHistories {
  of(file: string): FileHistory;
  failure: GitFailure | undefined;
}

/** Comparing each file of each commit with so many paths takes longer than reading all changes of the folder. */
const mostPaths = 20;

/** One `git log` for all files, and another one if a file was renamed. All have 5 seconds together. */
export async function readFileHistories(
  repository: Repository,
  wanted: readonly WantedHistory[],
): Promise<FileHistories> {
  const place = { ...repository, until: repository.clock.now() + mostMs };
  const paths = new Set(wanted.map(({ file }) => file));
  let renames: LogRange['renames'] = '-M';
  for (;;) {
    const reading = createReading(wanted);
    const options = paths.size > mostPaths ? ['--relative'] : ['--relative', '--full-diff'];
    const limited = paths.size > mostPaths ? [] : [...paths];
    const failure = await readInto(reading, readCommits(place, { renames, options, paths: limited }));
    if (failure === 'failed' && renames === '-M') {
      renames = '-M100%';
      continue;
    }
    const earlier = reading.earlierPaths().filter((path) => !paths.has(path));
    if (failure !== undefined || limited.length === 0 || earlier.length === 0) {
      return { of: reading.historyOf, failure };
    }
    for (const path of earlier) paths.add(path);
  }
}

async function readInto(reading: Reading, commits: ReturnType<typeof readCommits>) {
  for (;;) {
    if (reading.isDone()) {
      await commits.return(undefined);
      return undefined;
    }
    const { done, value } = await commits.next();
    if (done) return value;
    reading.add(value);
  }
}

interface Reading {
  add(commit: Commit): void;
  isDone(): boolean;
  /** What the files with an unfinished history were renamed from. */
  earlierPaths(): string[];
  historyOf(file: string): FileHistory;
}

interface Unfinished {
  newestFirst: BroughtCode[];
  codes: readonly ReadonlySet<string>[];
  /** How many of the wanted codes were not met yet. Met last one first. */
  left: number;
  earlierPaths: string[];
}

function createReading(wanted: readonly WantedHistory[]): Reading {
  const files = new Map<string, Unfinished>();
  const byPath = new Map<string, Set<Unfinished>>();
  const follow = (path: string, file: Unfinished) =>
    byPath.set(path, (byPath.get(path) ?? new Set()).add(file));
  for (const { file, codes } of wanted) {
    const state = { newestFirst: [], codes, left: codes.length, earlierPaths: [] };
    files.set(file, state);
    follow(file, state);
  }
  let open = [...files.values()].filter(({ left }) => left > 0).length;

  function bring(file: Unfinished, code: BroughtCode): void {
    file.newestFirst.push(code);
    if (file.left === 0 || !file.codes[file.left - 1]?.has(code.blob)) return;
    file.left -= 1;
    if (file.left === 0) open -= 1;
  }

  return {
    add({ id, isMerge, writtenAt, changes }) {
      const renamed: [string, Unfinished][] = [];
      for (const { kind, path, blob, from } of changes) {
        if (kind === 'D') continue;
        for (const file of byPath.get(path) ?? []) {
          bring(file, { blob, commit: id, writtenAt: isMerge ? undefined : writtenAt });
          if (from !== undefined && !isMerge) renamed.push([from, file]);
        }
      }
      for (const [from, file] of renamed) {
        file.earlierPaths.push(from);
        follow(from, file);
      }
    },
    isDone: () => open === 0,
    earlierPaths: () =>
      [...files.values()].flatMap(({ left, earlierPaths }) => (left > 0 ? earlierPaths : [])),
    historyOf(file) {
      const { newestFirst = [], left = 0 } = files.get(file) ?? {};
      return { brought: [...newestFirst].reverse(), hasAll: left === 0 };
    },
  };
}

export interface CommitOrder {
  /** 0 is HEAD, and larger is older. Undefined for a commit that HEAD's history does not have, or that was not read. */
  placeOf(commit: string): number | undefined;
  failure: GitFailure | undefined;
}

/** Reads HEAD's history until it has these commits. */
export async function readOrder(repository: Repository, commits: readonly string[]): Promise<CommitOrder> {
  const { commit: head, failure: noHead } = await repository.head();
  const places = new Map<string, number>(head === undefined ? [] : [[head, 0]]);
  const left = new Set(commits.filter((commit) => commit !== head));
  const order = { placeOf: (commit: string) => places.get(commit) };
  if (head === undefined || left.size === 0) return { ...order, failure: noHead };
  const output = startGit(repository, ['rev-list', 'HEAD']);
  let rest = '';
  for (;;) {
    const { done, value } = await output.next();
    if (done) return { ...order, failure: value };
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const id of lines) {
      if (!places.has(id)) places.set(id, places.size);
      left.delete(id);
    }
    if (left.size > 0) continue;
    await output.return(undefined);
    return { ...order, failure: undefined };
  }
}
