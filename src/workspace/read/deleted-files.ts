// Finds vals of the service whose files git deleted here: `missing here`, and what `push --prune` deletes.

import { existsBelow } from '../../core/files/files.ts';
import { isTakenFromFolder } from '../../core/files/walk.ts';
import { forEach } from '../../core/http/request/limiter.ts';
import { someOf } from '../../core/lib/hint.ts';
import type { Say } from '../../core/output/out.ts';
import { idsOf } from '../code.ts';
import type { GitLimit } from '../compare/types.ts';
import { type FileStatus, valOf } from '../file-status.ts';
import { type PastFiles, readPastFiles } from '../git/past-files.ts';
import type { Repository } from '../git/repository.ts';
import type { Session } from '../session.ts';
import { nameOfFile } from './local.ts';
import type { RemoteVal } from './remote-val.ts';
import { readOwnVal } from './remotes.ts';

export interface DeletedFiles {
  /** Vals whose files were deleted, and whose code the histories of these files have. */
  missing: readonly DeletedFile[];
  /** Vals whose files were deleted, but whose present code the histories of these files do not have. */
  otherCode: readonly { id: string; name: string; file: string }[];
  /** Why git may not know all deleted files. */
  limit: GitLimit | undefined;
}

/** The file of a val was deleted here. */
export interface DeletedFile extends FileStatus {
  state: 'missing here';
  remote: RemoteVal;
  /** The file of HEAD that has its code, as after a rename. A prune leaves the val then. */
  movedTo: string | undefined;
}

export const noDeletedFiles: DeletedFiles = {
  missing: [],
  otherCode: [],
  limit: undefined,
};

/** `most` is how many commits are searched. Undefined means all. */
export async function findDeletedFiles(
  session: Session,
  statuses: readonly FileStatus[],
  { most }: { most: number | undefined },
): Promise<DeletedFiles> {
  const { repository } = session;
  const ids = await valsWithoutFile(session, statuses);
  if (ids.size === 0 || repository === undefined) return noDeletedFiles;
  const pastFiles = await readPastFiles(repository, most);
  const missing: DeletedFile[] = [];
  const otherCode: DeletedFiles['otherCode'][number][] = [];
  const seen = new Set<string>();
  const deleted = pathsOfDeleted(session, repository, pastFiles, ids);
  await forEach([...deleted], 'auto', async ([entry, file]) => {
    const remote = await readOwnVal(session, ids.get(entry) ?? '');
    if (remote === undefined || seen.has(remote.id)) return;
    const { id, name, code } = remote;
    seen.add(id);
    const codes = idsOf(code);
    const isInHistory = codes.some((each) => pastFiles.codes.get(file)?.has(each));
    if (!isInHistory) return void otherCode.push({ id, name, file });
    const movedTo = codes.flatMap((each) => pastFiles.inHead.get(each) ?? []).find((other) => other !== file);
    const fields = { file, name, local: undefined, remote, comparison: undefined };
    missing.push({ ...fields, state: 'missing here', movedTo });
  });
  const limit = pastFiles.failure ?? (repository.isShallow ? 'shallow' : undefined);
  return { missing: missing.sort(byFile), otherCode: otherCode.sort(byFile), limit };
}

const byFile = (a: { file: string }, b: { file: string }): number => (a.file < b.file ? -1 : 1);

/** About entries in `ids` of vals.json whose vals have no file here, and had none that git deleted. */
export function noteIdsWithoutFile(
  say: Say,
  { names, manifestIds }: Session,
  statuses: readonly FileStatus[],
  { missing, otherCode }: DeletedFiles,
): void {
  const here = new Set(names.values());
  const found = new Set([...statuses, ...missing].map((each) => valOf(each)?.id));
  for (const { id } of otherCode) found.add(id);
  const without = [...manifestIds].filter(([name, id]) => !here.has(name) && !found.has(id));
  if (without.length === 0) return;
  const words = someOf(without.map(([name]) => name));
  const text = `"ids" of vals.json has ${words}, but no file here has that name. Bring the file back, or remove the entry.`;
  say({ kind: 'note', text });
}

/** Their ids by their names. Without a list, the last syncs and vals.json tell which vals there are. */
async function valsWithoutFile(
  session: Session,
  statuses: readonly FileStatus[],
): Promise<Map<string, string>> {
  const { valList, lastSyncs, manifestIds } = session;
  const names = new Set(session.names.values());
  const taken = new Set(statuses.flatMap((fileStatus) => valOf(fileStatus)?.id ?? []));
  const found = new Map<string, string>();
  const add = (name: string, id: string) => {
    if (!names.has(name) && !taken.has(id)) found.set(name, id);
  };
  const listed = await valList.all();
  for (const { id, name = '' } of listed ?? []) add(name, id);
  if (listed !== undefined) return found;
  const synced = lastSyncs.names().map((name) => [name, lastSyncs.of(name)?.id ?? ''] as const);
  await forEach([...synced, ...manifestIds], 'auto', async ([name, id]) => {
    // The present name of a val decides its file.
    const remote = names.has(name) ? undefined : await readOwnVal(session, id);
    if (remote === undefined) return;
    add(remote.name, id);
    // The file may have gone before the val was renamed.
    if (!names.has(remote.name)) add(name, id);
  });
  return found;
}

/** By the names of their vals. A file that is there, but that a push of the folder leaves out, is not deleted. */
function pathsOfDeleted(
  { workspace: { root, manifest } }: Session,
  { isSparse }: Repository,
  { codes, inHead }: PastFiles,
  wanted: ReadonlyMap<string, string>,
): Map<string, string> {
  const files = new Map<string, string>();
  const here = new Set<string>();
  const paths = new Set([...inHead.values()].flat());
  for (const file of codes.keys()) {
    const name = nameOfFile({ manifest }, file);
    if (name === undefined || !wanted.has(name)) continue;
    // A sparse checkout lacks files that nobody deleted.
    if (existsBelow(root, file) || (isSparse && paths.has(file))) here.add(name);
    else if (isTakenFromFolder(file) || manifest.names.has(file)) files.set(name, file);
  }
  for (const name of here) files.delete(name);
  return files;
}
