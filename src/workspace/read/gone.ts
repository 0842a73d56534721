// Vals of the service whose files were deleted here.

import { existsBelow } from '../../core/files/files.ts';
import { isTakenFromFolder } from '../../core/files/walk.ts';
import { forEach } from '../../core/http/request/limiter.ts';
import { idsOf } from '../code.ts';
import type { GitLimit } from '../compare/types.ts';
import { type Finding, valOf } from '../findings.ts';
import { type PastFiles, readPastFiles } from '../git/gone-files.ts';
import type { Repository } from '../git/repository.ts';
import { nameOfFile } from './local.ts';
import type { Look } from './look.ts';
import type { RemoteVal } from './remotes.ts';

export interface Gone {
  /** Vals whose files were deleted, and whose code the histories of these files have. */
  missing: readonly MissingFile[];
  /** Vals whose files were deleted, and that a prune leaves. */
  left: readonly LeftVal[];
  /** Why git may not know all deleted files. */
  limit: GitLimit | undefined;
}

/** The file of a val was deleted here. */
export interface MissingFile extends Finding {
  remote: RemoteVal;
}

interface LeftVal {
  name: string;
  file: string;
  /** The file of HEAD that has the code. Undefined if git does not have the code that the val has now. */
  movedTo: string | undefined;
}

export const noneGone: Gone = { missing: [], left: [], limit: undefined };

/** `most` is how many commits are searched. Undefined means all. */
export async function findGone(
  look: Look,
  findings: readonly Finding[],
  { most }: { most: number | undefined },
): Promise<Gone> {
  const { repository, remotes } = look;
  const ids = await valsWithoutFile(look, findings);
  if (ids.size === 0 || repository === undefined) return noneGone;
  const past = await readPastFiles(repository, most);
  const missing: MissingFile[] = [];
  const left: LeftVal[] = [];
  await forEach([...deletedFiles(look, repository, past, ids)], 'auto', async ([name, file]) => {
    const remote = await remotes.withId(ids.get(name) ?? '');
    if (remote === undefined) return;
    const codes = idsOf(remote.code);
    const [movedTo] = codes.flatMap((id) => past.inHead.get(id) ?? []);
    const isInGit = codes.some((id) => past.codes.get(file)?.has(id));
    if (isInGit && (movedTo === undefined || movedTo === file))
      missing.push({ state: 'missing here', file, name, local: undefined, remote, comparison: undefined });
    else left.push({ name, file, movedTo });
  });
  const limit = past.failure ?? (repository.isShallow ? 'shallow' : undefined);
  return { missing: missing.sort(byFile), left: left.sort(byFile), limit };
}

const byFile = (a: { file: string }, b: { file: string }): number => (a.file < b.file ? -1 : 1);

/** Their ids by their names. Without a list, the last syncs and vals.json tell which vals there are. */
async function valsWithoutFile(look: Look, findings: readonly Finding[]): Promise<Map<string, string>> {
  const { valList, remotes, lastSyncs, written } = look;
  const names = new Set(look.names.values());
  const taken = new Set(findings.flatMap((finding) => valOf(finding)?.id ?? []));
  const open = new Map<string, string>();
  const add = (name: string, id: string) => {
    if (!names.has(name) && !taken.has(id)) open.set(name, id);
  };
  const listed = await valList.all();
  for (const { id, name = '' } of listed ?? []) add(name, id);
  if (listed !== undefined) return open;
  const synced = lastSyncs.names().map((name) => [name, lastSyncs.of(name)?.id ?? ''] as const);
  await forEach([...synced, ...written], 'auto', async ([name, id]) => {
    // The present name of a val decides its file.
    const remote = names.has(name) ? undefined : await remotes.withId(id);
    if (remote !== undefined) add(remote.name, id);
  });
  return open;
}

/** By the names of their vals. A file that is there, but that a push of the folder leaves out, is not deleted. */
function deletedFiles(
  { workspace: { root, manifest } }: Look,
  { isSparse }: Repository,
  { codes, inHead }: PastFiles,
  wanted: ReadonlyMap<string, string>,
): Map<string, string> {
  const files = new Map<string, string>();
  const here = new Set<string>();
  const paths = new Set(inHead.values());
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
