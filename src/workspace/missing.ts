// Vals of the service without a file here: which of them had one, and which new file is a renamed one.
import { join } from 'node:path';
import { readIfPossible } from '../core/files/files.ts';
import { isTakenFromFolder } from '../core/files/walk.ts';
import type { ValInList } from '../core/find-val/directory.ts';
import { once } from '../core/lib/once.ts';
import { isFile } from '../core/lib/paths.ts';
import { type Code, codeOf, isSameCode } from './code.ts';
import {
  type Examined,
  examineVal,
  type MissingVal,
  nameBeforeOf,
  placeInGit,
  type WithoutVal,
} from './examine.ts';
import type { GitLimit } from './git-history.ts';
import { type Look, nameIn } from './look.ts';
import { codeOfRecord, countingRecord, type ValRecord } from './records.ts';
import type { RemoteVal } from './remote-vals.ts';

export interface MissingVals {
  /** Their files are missing here. */
  missing: MissingVal[];
  /** Vals that git knows by name, but that a prune leaves. */
  left: LeftVal[];
}

export interface LeftVal {
  name: string;
  file: string;
  /** Where git moved the file, outside of the workspace. Undefined if git does not have the code of the val. */
  movedTo: string | undefined;
}

/**
 * Of the vals without a file, those that had one, except those that belong to a renamed file. A prune also leaves a val with
 * a record if git moved its file out of the workspace.
 */
export async function examineMissing(
  look: Look,
  files: readonly Examined[],
  { isPrune }: { isPrune: boolean },
): Promise<MissingVals> {
  const renamed = new Set(files.map(nameBeforeOf));
  const check = createMissingCheck(look, { isPrune });
  const found: MissingVals = { missing: [], left: [] };
  for (const val of await valsWithoutFile(look)) {
    const result = renamed.has(val.name) ? undefined : await check(val);
    if (result === undefined) continue;
    if ('status' in result) found.missing.push(result);
    else found.left.push(result);
  }
  found.missing.sort((one, other) => (one.file < other.file ? -1 : 1));
  return found;
}

/** If a val has no file and is not among `vals`: why git may not know that it had one. */
export async function limitOfMissing(look: Look, vals: readonly Examined[]): Promise<GitLimit | undefined> {
  const explained = new Set(vals.map((val) => nameBeforeOf(val) ?? val.name));
  const isUnexplained = ({ name = '' }: ValWithoutFile) => !explained.has(name);
  return (await valsWithoutFile(look)).some(isUnexplained) ? look.history?.limit() : undefined;
}

type ValWithoutFile = Pick<ValInList, 'name'> & Partial<Pick<ValInList, 'id' | 'codeHash'>>;

/** The vals that no file of the workspace has the name of. If the service has no list, the records tell. */
async function valsWithoutFile(look: Look): Promise<readonly ValWithoutFile[]> {
  const all = await look.remotes.all();
  if (all === undefined) return [...recordsWithoutFile(look).values()];
  const names = new Set(look.names.values());
  return all.filter(({ name }) => name !== undefined && !names.has(name));
}

/** Undefined if a val without a file never had one here. */
type MissingCheck = (val: ValWithoutFile) => Promise<MissingVal | LeftVal | undefined>;

function createMissingCheck(look: Look, { isPrune }: { isPrune: boolean }): MissingCheck {
  const records = recordsWithoutFile(look);
  const gone = once(() => goneVals(look));
  return async ({ id, name = '' }) => {
    const record = records.get(name);
    const isRecorded = record !== undefined && record.id === id;
    const path = isRecorded && !isPrune ? undefined : (await gone()).get(name);
    if (path?.movedTo !== undefined) return { name, ...path };
    if (isRecorded) return missingByRecord(look, record);
    return path === undefined || id === undefined ? undefined : missingByGit(look, id, { name, ...path });
  };
}

/** The records that count, by name. */
function recordsWithoutFile({ workspace, names, head }: Look): Map<string, ValRecord> {
  const present = new Set([...names.values()].flatMap((name) => name ?? []));
  // A push of the folder leaves some files out, such as ignored ones, but they are there.
  const isLeftOut = ({ file }: ValRecord) => !names.has(file) && isFile(join(workspace.root, file));
  const counting = workspace.records
    .except(present)
    .filter((record) => countingRecord(record, head) !== undefined && !isLeftOut(record));
  return new Map(counting.map((record) => [record.name, record]));
}

async function missingByRecord(look: Look, record: ValRecord): Promise<MissingVal | undefined> {
  const { name } = record;
  const there = await look.remotes.named(name, record);
  if (there === undefined || there === 'unknown') return undefined;
  // Without an id, the val can be neither read nor deleted.
  if (there.id === undefined || countingRecord(record, look.head, there) === undefined) return undefined;
  const isOfRecord = isSameCode(there.code, codeOfRecord(record, there.code));
  const found = isOfRecord ? { there, place: undefined } : await placeInGit(look, there);
  const isCodeKnown = isOfRecord || found.place !== undefined;
  return missingVal({ name, file: fileOf(look, record), there: found.there, record, isCodeKnown });
}

const missingVal = (val: Omit<MissingVal, 'status' | 'code' | 'here'>): MissingVal => ({
  ...val,
  status: 'missing here',
  code: undefined,
  here: undefined,
});

/** Where the file of the val was, unless another val has that file now. */
function fileOf({ workspace, names }: Look, { name, file }: ValRecord): string {
  const [entry] = [...workspace.manifest.names].find(([, other]) => other === name) ?? [];
  return entry ?? (names.has(file) ? `${name}.ts` : file);
}

type GonePath = Omit<LeftVal, 'name'>;

/** The files of this workspace that git deleted or renamed, by the names of their vals. */
async function goneVals(look: Look): Promise<Map<string, GonePath>> {
  const gone = new Map<string, GonePath>();
  for (const [file, movedTo] of (await look.history?.goneFiles()) ?? []) {
    const name = isTakenFromFolder(file) ? nameIn(look, file) : undefined;
    if (name !== undefined && !gone.has(name)) gone.set(name, { file, movedTo });
  }
  return gone;
}

async function missingByGit(look: Look, id: string, left: LeftVal): Promise<MissingVal | LeftVal> {
  const { name, file } = left;
  const listed = await look.remotes.mineWithId(id, undefined);
  const found = listed && (await placeInGit(look, listed));
  if (found?.place === undefined) return left;
  return missingVal({ name, file, there: found.there, record: undefined, isCodeKnown: true });
}

type ValsByName = ReadonlyMap<string, ValWithoutFile>;

/** A new file may be the renamed file of a val: git says so, or it has the code of a missing val, and no other file has. */
export async function followRenames(look: Look, vals: readonly Examined[]): Promise<Examined[]> {
  const candidates = vals.some(isNew) ? await valsWithoutFile(look) : [];
  if (candidates.length === 0) return [...vals];
  const byName = new Map(candidates.map((val) => [val.name ?? '', val]));
  const openCheck = once(async () => createMissingCheck(look, { isPrune: false }));
  const followed: Examined[] = [];
  for (const val of vals) {
    const origin = isNew(val)
      ? ((await renamedInGit(look, val, byName)) ?? (await withSameCode(look, val, byName, openCheck)))
      : undefined;
    if (origin !== undefined) byName.delete(origin.name);
    followed.push(origin === undefined || !isNew(val) ? val : await examineRenamed(look, val, origin));
  }
  return followed;
}

const isNew = (val: Examined): val is WithoutVal => val.there === undefined && val.status !== 'deleted there';

async function renamedInGit(
  look: Look,
  { file }: WithoutVal,
  withoutFile: ValsByName,
): Promise<RemoteVal | undefined> {
  const valOf = (path: string) => withoutFile.get(nameIn(look, path) ?? '');
  const path = await look.history?.renamedFrom(file, (each) => valOf(each)?.id !== undefined);
  const { id, name = '' } = (path === undefined ? undefined : valOf(path)) ?? {};
  if (id === undefined) return undefined;
  const record = look.workspace.records.of(name);
  return look.remotes.mineWithId(id, record?.id === id ? record : undefined);
}

async function withSameCode(
  look: Look,
  { file, here }: WithoutVal,
  withoutFile: ValsByName,
  openCheck: () => Promise<MissingCheck>,
): Promise<RemoteVal | undefined> {
  const mayBeSame = ({ name = '', codeHash }: ValWithoutFile) =>
    codeHash === here.blob ||
    codeHash === here.lines ||
    isSameCode(look.workspace.records.of(name)?.code, here);
  const same: RemoteVal[] = [];
  for (const val of [...withoutFile.values()].filter(mayBeSame)) {
    const missing = await (await openCheck())(val);
    if (missing !== undefined && 'status' in missing && isSameCode(missing.there.code, here))
      same.push(missing.there);
  }
  return same.length === 1 && !isCopied(look, file, here) ? same[0] : undefined;
}

/** Another file of the workspace has the same code. */
function isCopied({ workspace, names }: Look, file: string, here: Code): boolean {
  const others = [...names.keys()].filter((other) => other !== file);
  return others.some((other) => {
    const text = readIfPossible(workspace.root, other);
    return text !== undefined && isSameCode(codeOf(text), here);
  });
}

function examineRenamed(look: Look, { file, name, here }: WithoutVal, there: RemoteVal): Promise<Examined> {
  const record = countingRecord(look.workspace.records.of(there.name), look.head, there);
  return examineVal(look, { file, name, here, there, record, renamed: 'here' });
}
