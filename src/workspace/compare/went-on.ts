// Who knows the version that is there, and went on from it, is newer. No older version is read for that.
import { idsOf } from '../code.ts';
import { type Ids, readFileHistories } from '../git/file-histories.ts';
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
    const { commit, blob } = each.lastSync;
    if (commit === undefined) continue;
    const here = new Set(idsOf(each.here, { isLong }));
    if (head === undefined || !(await repository.hasCommit(commit))) wentOn.delete(each);
    else synced.set({ file: each.file, here, commit, blob }, each);
  }
  for (const back of await filesThatWentBack([...synced.keys()], repository)) {
    const each = synced.get(back);
    if (each !== undefined) wentOn.delete(each);
  }
  return wentOn;
}

interface Synced {
  file: string;
  here: Ids;
  /** Of the last sync. */
  commit: string;
  blob: string;
}

async function filesThatWentBack(files: readonly Synced[], repository: Repository): Promise<Synced[]> {
  const inGit = await findBlobs(repository, new Set(files.flatMap(({ here }) => [...here])));
  const committed = files.filter(({ here }) => [...here].some((id) => inGit?.has(id) ?? true));
  const blobs = await filesAtCommits(repository, committed);
  const then = new Map(committed.map((each, index) => [each, blobs[index] ?? '']));
  // What the commit had itself is no work that somebody could have taken back.
  const doubtful = committed.filter((each) => then.get(each) !== each.blob);
  const isAsThen = (each: Synced) => each.here.has(then.get(each) ?? '');
  const others = doubtful.filter((each) => !isAsThen(each));
  const histories = await readFileHistories(
    repository,
    others.map(({ file, here, commit, blob }) => ({ file, codes: [here], lastSync: { commit, blob } })),
  );
  return doubtful.filter((each) => {
    if (isAsThen(each)) return true;
    const brought = histories.of(each.file);
    const newest = brought.findLastIndex(({ blob }) => each.here.has(blob));
    if (newest > brought.findIndex(({ isLastSync }) => isLastSync)) return false;
    return newest >= 0 || histories.failure !== undefined;
  });
}
