// Which files HEAD's history deleted or renamed, and where they are now.
import { posix } from 'node:path';
import { type Commit, readLog } from './commits.ts';
import type { Repository } from './repository.ts';
import { type GitFailure, runGit } from './start-git.ts';

export interface GoneFiles {
  /**
   * By their paths below the workspace, those that HEAD has no more: where they are now, or undefined if they were deleted.
   * A path outside of the workspace begins with ../
   */
  paths: ReadonlyMap<string, string | undefined>;
  /** The files that HEAD has, of those that the commits changed. */
  present: readonly string[];
  failure: GitFailure | undefined;
}

/** `most` is how many commits are read. Undefined means all. */
export async function readGoneFiles(repository: Repository, most: number | undefined): Promise<GoneFiles> {
  const options = most === undefined ? [] : [`--max-count=${most}`];
  const { reading, failure } = await readLog(repository, options, (renames) =>
    createReading(repository.prefix, { mayHideRenames: renames === '-M100%' }),
  );
  return { paths: reading.paths(), present: reading.present(), failure };
}

/** Below the workspace's folder. */
export async function filesOfHead(repository: Repository): Promise<string[]> {
  const { printed } = await runGit(repository, ['ls-tree', '-r', '-z', '--name-only', 'HEAD']);
  return printed.split('\0').slice(0, -1);
}

function createReading(prefix: string, { mayHideRenames }: { mayHideRenames: boolean }) {
  const fromRoot = (path: string) => posix.relative(`/${prefix}`, `/${path}`);
  const gone = new Map<string, string | undefined>();
  /** Where the files of the next older commit are now, and those that are there. */
  const now = new Map<string, string | undefined>();
  const met = new Set<string>();
  const present = new Set<string>();

  /** Newest first, so the first that is said of a path says how HEAD has it. */
  function note(path: string, place: string | undefined): void {
    if (!met.has(path)) gone.set(path, place);
    met.add(path);
    now.set(path, place);
  }

  return {
    isDone: () => false,
    add({ isMerge, changes }: Commit): void {
      // A merge repeats what its branches did.
      if (isMerge) return;
      const isDoubtful = mayHideRenames && changes.some(({ kind }) => kind === 'A');
      const notes = changes.flatMap(({ kind, path, from }): [string, string | undefined][] => {
        if (from !== undefined) return [[from, now.has(path) ? now.get(path) : path]];
        return kind === 'D' && !isDoubtful ? [[path, undefined]] : [];
      });
      for (const { kind, path } of changes) {
        if (kind === 'A') now.delete(path);
        if (kind !== 'D' && !met.has(path)) present.add(path);
        if (kind !== 'D') met.add(path);
      }
      for (const [path, place] of notes) note(path, place);
      for (const { path } of changes) met.add(path);
    },
    present: () =>
      [...present].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)),
    paths(): Map<string, string | undefined> {
      const below = [...gone].filter(([path]) => path.startsWith(prefix));
      return new Map(
        below.map(([path, place]) => [
          path.slice(prefix.length),
          place === undefined ? undefined : fromRoot(place),
        ]),
      );
    },
  };
}
