// Who knows the version that is there, and went on from it, is newer. No older version is read for that.
import { idsOf } from '../code.ts';
import { type Ids, readFileHistories, type WantedHistory } from '../git/file-histories.ts';
import { filesAtCommits, findBlobs, type Repository } from '../git/repository.ts';
import type { FileAndVal, LastSync } from './types.ts';

/** A file whose last sync is of the version that the val has now. */
export interface SyncedFile extends Pick<FileAndVal, 'file' | 'here'> {
  lastSync: LastSync;
}

/**
 * Those whose last sync counts: its commit is in the history of HEAD, and the file is not as a commit up to that one has it, as
 * after `git stash`.
 */
export async function filesThatWentOn<Each extends SyncedFile>(
  files: readonly Each[],
  repository: Repository | undefined,
): Promise<Set<Each>> {
  const wentOn = new Set(files);
  if (repository === undefined) return wentOn;
  const { commit: head } = await repository.head();
  const isLong = head !== undefined && head.length > 40;
  const synced = new Map<Synced, Each>();
  for (const each of files) {
    const { file, here, lastSync } = each;
    const { commit, blob } = lastSync;
    if (commit === undefined) continue;
    const also = new Set([...idsOf(here), ...(isLong ? idsOf(here, 'sha256') : [])]);
    if (head === undefined || !(await repository.hasCommit(commit))) wentOn.delete(each);
    else synced.set({ file, codes: [], also, lastSync: { commit, blob } }, each);
  }
  for (const back of await filesThatWentBack([...synced.keys()], repository)) {
    const each = synced.get(back);
    if (each !== undefined) wentOn.delete(each);
  }
  return wentOn;
}

/** `also` is the code of the file. */
type Synced = WantedHistory & { also: Ids; lastSync: { commit: string; blob: string } };

async function filesThatWentBack(files: readonly Synced[], repository: Repository): Promise<Synced[]> {
  const inGit = await findBlobs(repository, new Set(files.flatMap(({ also }) => [...also])));
  const committed = files.filter(({ also }) => [...also].some((id) => inGit?.has(id) ?? true));
  const blobs = await filesAtCommits(
    repository,
    committed.map(({ file, lastSync: { commit } }) => ({ file, commit })),
  );
  const then = new Map(committed.map((each, index) => [each, blobs[index] ?? '']));
  // What the commit had itself is no work that somebody could have taken back.
  const doubtful = committed.filter((each) => then.get(each) !== each.lastSync.blob);
  const isAsThen = (each: Synced) => each.also.has(then.get(each) ?? '');
  const histories = await readFileHistories(
    repository,
    doubtful.filter((each) => !isAsThen(each)),
  );
  return doubtful.filter((each) => {
    if (isAsThen(each)) return true;
    const brought = histories.of(each.file);
    const newest = brought.findLastIndex(({ blob }) => each.also.has(blob));
    if (newest > brought.findIndex(({ isLastSync }) => isLastSync)) return false;
    return newest >= 0 || histories.failure !== undefined;
  });
}
