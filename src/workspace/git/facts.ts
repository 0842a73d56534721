// What the commits that were read tell: where codes were, and what became of files. Commits come newest first.
import type { LoggedChange, LoggedCommit } from './log.ts';

export type GoneFile = { kind: 'deleted' } | { kind: 'renamed'; to: string };

interface Origin {
  place: number;
  /** Undefined if the file was made at this place. */
  from: string | undefined;
}

export interface GitFacts {
  learn(commit: LoggedCommit): void;
  /** The number of commits that were read. */
  count(): number;
  newestPlace(blob: string): number | undefined;
  oldestPlace(blob: string): number | undefined;
  /** The newest commit after a place that made a file, or renamed another one to it. */
  originAfter(place: number, path: string): Origin | undefined;
  /** What became of the paths that were deleted or renamed, some of which may be there again. */
  fates(): ReadonlyMap<string, GoneFile>;
}

/** `head` has the files of HEAD with their codes. */
export function createGitFacts(head: ReadonlyMap<string, string>): GitFacts {
  const newest = new Map([...head.values()].map((blob) => [blob, 0]));
  const oldest = new Map<string, number>();
  const lastSeenIn = new Map<string, string[]>();
  const origins = new Map<string, Origin[]>();
  const newestFates = new Map<string, GoneFile>();
  const fates = new Map<string, GoneFile>();
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
    if (from !== undefined) learnFate(from, fates.get(path) ?? { kind: 'renamed', to: path });
    else if (status === 'D') learnFate(path, fates.get(path) ?? fateOfDeleted(path));
  }

  /** A file that is there again counts as the same file. */
  const fateOfDeleted = (path: string): GoneFile =>
    head.has(path) ? { kind: 'renamed', to: path } : { kind: 'deleted' };

  /** `fates` are those of the files that the next older commit has. An older file may have had the same path. */
  function learnFate(path: string, fate: GoneFile): void {
    fates.set(path, fate);
    if (!newestFates.has(path)) newestFates.set(path, fate);
  }

  return {
    learn(commit) {
      learnCodes(commit, count);
      // A merge repeats what its branches did.
      if (commit.parents.length < 2) for (const change of commit.changes) learnPath(change, count);
      count += 1;
    },
    count: () => count,
    newestPlace: (blob) => newest.get(blob),
    oldestPlace: (blob) => oldest.get(blob) ?? newest.get(blob),
    originAfter: (after, path) => origins.get(path)?.find(({ place }) => place > after),
    fates: () => newestFates,
  };
}

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
