// Who knows the version that is there, and went on from it, is newer. No older version is read for that.
import { idsOf } from '../code.ts';
import { type Ids, readFileHistories, type WantedHistory } from '../git/file-histories.ts';
import { findBlobs, type Repository } from '../git/repository.ts';
import type { FileAndVal, LastSync } from './types.ts';

/** A file whose last sync is of the version that the val has now. */
export interface SyncedFile extends Pick<FileAndVal, 'file' | 'here'> {
  lastSync: LastSync;
}

/**
 * Those whose last sync counts: its commit is in the history of HEAD, and the file is not as it was before, as after `git
 * stash`.
 */
export async function filesThatWentOn<Each extends SyncedFile>(
  files: readonly Each[],
  repository: Repository | undefined,
): Promise<Set<Each>> {
  if (repository === undefined) return new Set(files);
  const { commit: head } = await repository.head();
  const counting: Each[] = [];
  for (const each of files) {
    const { commit } = each.lastSync;
    if (commit === undefined || (head !== undefined && (await repository.hasCommit(commit))))
      counting.push(each);
  }
  const isLong = head !== undefined && head.length > 40;
  const idsHere = (each: Each) =>
    new Set([...idsOf(each.here), ...(isLong ? idsOf(each.here, 'sha256') : [])]);
  const ids = new Map(counting.map((each) => [each, idsHere(each)]));
  const inGit = await findBlobs(repository, new Set([...ids.values()].flatMap((each) => [...each])));
  const isInGit = (each: Ids) => [...each].some((id) => inGit?.has(id) ?? true);
  const wanted = [...ids].flatMap(([{ file, lastSync }, also]): WantedHistory[] => {
    const { blob, commit } = lastSync;
    return commit === undefined || !isInGit(also)
      ? []
      : [{ file, codes: [], also, lastSync: { blob, commit } }];
  });
  const doubtful = new Set(wanted.map(({ file }) => file));
  const histories = await readFileHistories(repository, wanted);
  const isBack = (each: Each) => {
    const brought = histories.of(each.file);
    const syncedAt = brought.findIndex(({ isLastSync }) => isLastSync);
    const newest = brought.findLastIndex(({ blob }) => ids.get(each)?.has(blob));
    if (newest > syncedAt) return false;
    if (histories.failure !== undefined) return true;
    return newest >= 0 && brought[syncedAt - 1]?.blob !== each.lastSync.blob;
  };
  return new Set(counting.filter((each) => !doubtful.has(each.file) || !isBack(each)));
}
