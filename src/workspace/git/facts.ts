// What the commits that were read tell: where codes were, and what became of files. Commits come newest first.
import type { LoggedChange, LoggedCommit } from './log.ts';

interface Origin {
  place: number;
  /** Undefined if the file was made at this place. */
  from: string | undefined;
}

export interface GitFacts {
  learn(commit: LoggedCommit): void;
  newestPlace(blob: string): number | undefined;
  oldestPlace(blob: string): number | undefined;
  /** The newest commit after a place that made a file, or renamed another one to it. */
  originAfter(place: number, path: string): Origin | undefined;
  /** Where the files of deleted and renamed paths are now, some of which may be there again. Undefined if deleted. */
  newPaths(): ReadonlyMap<string, string | undefined>;
}

/** `head` has the files of HEAD with their codes. */
export function createGitFacts(head: ReadonlyMap<string, string>): GitFacts {
  const newest = new Map([...head.values()].map((blob) => [blob, 0]));
  const oldest = new Map<string, number>();
  const lastSeenIn = new Map<string, string[]>();
  const origins = new Map<string, Origin[]>();
  const newestPaths = new Map<string, string | undefined>();
  const pathsAfter = new Map<string, string | undefined>();
  let count = 0;

  /** The old code of a change is last seen in the commit's parent, whose place is known when it is read. */
  function learnCodes({ id, parents: [parent = ''], changes }: LoggedCommit, place: number): void {
    for (const blob of lastSeenIn.get(id) ?? []) if (!newest.has(blob)) newest.set(blob, place);
    lastSeenIn.delete(id);
    for (const { oldBlob, newBlob } of changes) {
      if (!newest.has(newBlob)) newest.set(newBlob, place);
      oldest.set(newBlob, place);
      if (!newest.has(oldBlob)) addTo(lastSeenIn, parent, oldBlob);
    }
  }

  function learnPath({ status, path, from }: LoggedChange, place: number): void {
    if (status === 'A' || from !== undefined) addTo(origins, path, { place, from });
    if (from !== undefined) learnNewPath(from, pathNow(path, path));
    // A file that is there again counts as the same file.
    else if (status === 'D') learnNewPath(path, pathNow(path, head.has(path) ? path : undefined));
  }

  const pathNow = (path: string, ifUnknown: string | undefined): string | undefined =>
    pathsAfter.has(path) ? pathsAfter.get(path) : ifUnknown;

  /** `pathsAfter` are those of the files that the next older commit has. An older file may have had the same path. */
  function learnNewPath(path: string, now: string | undefined): void {
    pathsAfter.set(path, now);
    if (!newestPaths.has(path)) newestPaths.set(path, now);
  }

  return {
    learn(commit) {
      learnCodes(commit, count);
      // A merge repeats what its branches did.
      if (commit.parents.length < 2) for (const change of commit.changes) learnPath(change, count);
      count += 1;
    },
    newestPlace: (blob) => newest.get(blob),
    oldestPlace: (blob) => oldest.get(blob) ?? newest.get(blob),
    originAfter: (after, path) => origins.get(path)?.find(({ place }) => place > after),
    newPaths: () => newestPaths,
  };
}

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
