// Files that changed since this folder and the service last had the same code are newer, if the val still has that version.
// No older version is read for them.
import { idsOf } from '../code.ts';
import { filesAtCommits, type Repository } from '../git/repository.ts';
import type { FileAndCode, LastSync } from './types.ts';

/** A file whose last sync is of the version that the val has now. */
export interface SyncedFile extends Pick<FileAndCode, 'file' | 'here'> {
  lastSync: LastSync;
}

interface SinceLastSync<Each> {
  /** The commit of the last sync is in the history of HEAD, and the file is not in `asCommitted`. */
  changedSince: Set<Each>;
  /** The file is as that commit has it, as after `git stash`. */
  asCommitted: Set<Each>;
}

export async function compareWithLastSyncs<Each extends SyncedFile>(
  files: readonly Each[],
  repository: Repository | undefined,
): Promise<SinceLastSync<Each>> {
  if (repository === undefined) return { changedSince: new Set(files), asCommitted: new Set() };
  const changedSince = new Set(files.filter(({ lastSync }) => lastSync.commit === undefined));
  const asCommitted = new Set<Each>();
  const committed: { each: Each; file: string; commit: string }[] = [];
  for (const each of files) {
    const { commit } = each.lastSync;
    if (commit !== undefined && (await repository.hasCommit(commit)))
      committed.push({ each, file: each.file, commit });
  }
  const blobs = await filesAtCommits(repository, committed);
  for (const [index, { each }] of committed.entries()) {
    const isAsThen = idsOf(each.here).includes(blobs[index] ?? '');
    (isAsThen ? asCommitted : changedSince).add(each);
  }
  return { changedSince, asCommitted };
}
