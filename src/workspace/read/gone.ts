// Vals of the service without a file here: which of them had one that was deleted, and which new file is the renamed one.

import { existsBelow, readIfPossible } from '../../core/files/files.ts';
import { isTakenFromFolder } from '../../core/files/walk.ts';
import { forEach } from '../../core/http/request/limiter.ts';
import { asCode } from '../code.ts';
import { numberCodes, readGit } from '../compare/git-knowledge.ts';
import type { GitLimit } from '../compare/types.ts';
import { type Finding, findingOf, valOf } from '../findings.ts';
import { filesOfHead, readGoneFiles } from '../git/gone-files.ts';
import type { Repository } from '../git/repository.ts';
import { type Local, nameOfFile } from './local.ts';
import type { Look } from './look.ts';
import type { RemoteVal } from './remotes.ts';

export interface Gone {
  /** New files that seem to be the renamed files of vals. */
  renamed: readonly Finding[];
  /** Vals whose files were deleted, and whose code the histories of these files have. */
  missing: readonly MissingFile[];
  /** Vals without a file that a prune leaves. */
  left: readonly LeftVal[];
  /** Names in `ids` of vals.json whose vals have no file here. */
  strays: readonly string[];
  /** Why git may not know all deleted files. */
  limit: GitLimit | undefined;
}

interface LeftVal {
  name: string;
  /** Undefined if git never had one. */
  file: string | undefined;
  /** Where git moved the file. Undefined if git does not have the code that the val has now. */
  movedTo: string | undefined;
}

/** The file of a val was deleted here. */
export interface MissingFile extends Finding {
  remote: RemoteVal;
}

export const noneGone: Gone = { renamed: [], missing: [], left: [], strays: [], limit: undefined };

interface WithoutFile {
  name: string;
  id: string;
  /** This folder or vals.json knew the val. */
  isKnown: boolean;
}

/** `most` is how many commits are searched. Undefined means all. */
export async function findGone(
  look: Look,
  findings: readonly Finding[],
  { most }: { most: number | undefined },
): Promise<Gone> {
  const { repository } = look;
  const vals = await valsWithoutFile(look, findings);
  if (vals.length === 0) return noneGone;
  if (repository === undefined) return { ...noneGone, strays: strayEntries(look, vals) };
  const { paths, present, failure } = await readGoneFiles(repository, most);
  const files = await filesByName(look, repository, vals, { gone: paths.keys(), present });
  const newFiles = new Map(
    findings.flatMap(({ state, local }) => (state === 'new' && local ? [[local.file, local]] : [])),
  );
  const neverHere = vals.filter(({ name, isKnown }) => isKnown && !files.get(name) && !files.isHere(name));
  const lost = await lostFiles(look, vals, files);

  // Where git moved a file tells most. A file outside of the workspace is no longer ours.
  const movedByGit = lost.flatMap((val) => {
    const local = newFiles.get(paths.get(val.file) ?? '');
    return local === undefined ? [] : [{ local, val }];
  });
  const movedOut = lost.filter(({ file }) => paths.get(file)?.startsWith('../'));
  const isMoved = new Set([...movedByGit.map(({ val }) => val), ...movedOut]);

  // Of a deleted file, the history must have the code that the val has now. It may be in a new file.
  const deleted = lost.filter((val) => !isMoved.has(val));
  const known = await withCodeInGit(look, repository, deleted);
  const movedByHand = movedByCode(look, [...newFiles.values()], [...known]);
  for (const { val } of movedByHand) isMoved.add(val);

  const renamed = [...movedByGit, ...movedByHand];
  const explained = new Set([...renamed.map(({ val }) => val), ...deleted].map(({ remote }) => remote.id));
  return {
    renamed: renamed.map(({ local, val }) => findingOf('renamed here', local, val.remote)),
    missing: [...known].filter((val) => !isMoved.has(val)).sort(byFile),
    left: [
      ...neverHere.map(({ name }) => ({ name, file: undefined, movedTo: undefined })),
      ...movedOut.map(({ name, file }) => ({ name, file, movedTo: paths.get(file) })),
      ...deleted
        .filter((val) => !known.has(val))
        .map(({ name, file }) => ({ name, file, movedTo: undefined })),
      ...renamed.map(({ local, val: { name, file } }) => ({ name, file, movedTo: local.file })),
    ].sort(byName),
    strays: strayEntries(
      look,
      vals.filter(({ id }) => !explained.has(id)),
    ),
    limit: failure ?? (repository.isShallow ? 'shallow' : undefined),
  };
}

/** The vals that the service has, and whose files were here. */
async function lostFiles(
  { remotes }: Look,
  vals: readonly WithoutFile[],
  files: Pick<FilesByName, 'get'>,
): Promise<MissingFile[]> {
  const lost: MissingFile[] = [];
  await forEach(vals, 'auto', async ({ name, id }) => {
    const file = files.get(name);
    const remote = file === undefined ? undefined : await remotes.withId(id);
    if (file !== undefined && remote !== undefined)
      lost.push({ state: 'missing here', file, name, local: undefined, remote, compared: undefined });
  });
  return lost;
}

/** The entries of `ids` in vals.json whose vals have no file here, and had none that git deleted. */
const strayEntries = ({ written }: Look, vals: readonly WithoutFile[]): string[] => {
  const ids = new Set(vals.map(({ id }) => id));
  return [...written].flatMap(([name, id]) => (ids.has(id) ? name : []));
};

const byName = (a: LeftVal, b: LeftVal): number => (a.name < b.name ? -1 : 1);

const byFile = (a: MissingFile, b: MissingFile): number => (a.file < b.file ? -1 : 1);

/** Without a list, the last syncs and vals.json tell which vals there are. */
async function valsWithoutFile(look: Look, findings: readonly Finding[]): Promise<WithoutFile[]> {
  const { valList, remotes, lastSyncs, written } = look;
  const names = new Set(look.names.values());
  const taken = new Set(findings.flatMap((finding) => valOf(finding)?.id ?? []));
  const isOpen = ({ name, id }: WithoutFile) => !names.has(name) && !taken.has(id);
  const listed = await valList.all();
  if (listed !== undefined) {
    return listed
      .map(({ id, name = '' }) => ({ id, name, isKnown: lastSyncs.of(name)?.id === id }))
      .filter(isOpen);
  }
  const synced = lastSyncs.names().map((name) => ({ name, id: lastSyncs.of(name)?.id ?? '' }));
  const all = [...synced, ...[...written].map(([name, id]) => ({ name, id }))];
  const open = new Map<string, WithoutFile>();
  await forEach(all, 'auto', async ({ name, id }) => {
    // The present name of a val decides its file.
    const remote = names.has(name) ? undefined : await remotes.withId(id);
    const val = remote && { name: remote.name, id, isKnown: true };
    if (val !== undefined && isOpen(val)) open.set(id, val);
  });
  return [...open.values()];
}

interface FilesByName {
  /** The file that is gone. */
  get(name: string): string | undefined;
  isHere(name: string): boolean;
}

/** The deleted file of each val, in the history of HEAD, in the index or in the working tree. */
async function filesByName(
  { workspace }: Look,
  repository: Repository,
  vals: readonly WithoutFile[],
  { gone, present }: { gone: Iterable<string>; present: readonly string[] },
): Promise<FilesByName> {
  const { root, manifest } = workspace;
  const wanted = new Set(vals.map(({ name }) => name));
  const files = new Map<string, string>();
  // A push of the folder leaves some files out, such as ignored ones, but they are there.
  const here = new Set<string>();
  const add = (file: string, isInHead: boolean) => {
    const name = nameOfFile({ manifest }, file);
    if (name === undefined || !wanted.has(name)) return;
    const isVal = isTakenFromFolder(file) || manifest.names.has(file);
    // A sparse checkout lacks files that nobody deleted.
    if (existsBelow(root, file) || (isInHead && repository.isSparse)) here.add(name);
    else if (isVal && !files.has(name)) files.set(name, file);
  };
  for (const file of gone) add(file, false);
  for (const file of present) add(file, true);
  const isMissed = vals.some(({ name, isKnown }) => isKnown && !files.has(name));
  if (isMissed) for (const file of await filesOfHead(repository)) add(file, true);
  return { get: (name) => files.get(name), isHere: (name) => here.has(name) };
}

/** Those whose code on the service the history of their file has. */
async function withCodeInGit(
  { remotes }: Look,
  repository: Repository,
  vals: readonly MissingFile[],
): Promise<Set<MissingFile>> {
  const git = await readGit(
    vals.map((val) => ({
      ...{ val, file: val.file, here: val.remote.code, lastSync: undefined },
      known: [{ version: val.remote.version, code: val.remote.code }],
      read: async () => (await remotes.read(val.remote.id))?.code,
    })),
    repository,
  );
  const found = git.files.filter((each) => {
    const numbers = numberCodes(
      each.known.map(({ code }) => code),
      git,
    );
    return git.broughtTo(each).some(({ blob }) => numbers.ofBlob(blob) !== undefined);
  });
  return new Set(found.map(({ val }) => val));
}

/** A new file that has the code of a missing val, if no other file has it. */
function movedByCode(
  { workspace, names }: Look,
  newFiles: readonly Local[],
  missing: readonly MissingFile[],
): { local: Local; val: MissingFile }[] {
  if (newFiles.length === 0 || missing.length === 0) return [];
  const codes = [...names.keys()].flatMap((file) => {
    const text = readIfPossible(workspace.root, file);
    return text === undefined ? [] : asCode(text);
  });
  const numbers = numberCodes([...codes, ...missing.map(({ remote }) => remote.code)], { isLong: false });
  const files = grouped(codes, (code) => numbers.of(code));
  const vals = grouped(missing, ({ remote }) => numbers.of(remote.code));
  return newFiles.flatMap((local) => {
    const number = numbers.of(local.code);
    const [val, another] = vals.get(number) ?? [];
    const isOnly = val !== undefined && another === undefined && files.get(number)?.length === 1;
    return isOnly ? [{ local, val }] : [];
  });
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
