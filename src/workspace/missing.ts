// Vals of the service without a file here: which of them had one, and which new file is a renamed one.
import { join } from 'node:path';
import { isFile } from '../lib/paths.ts';
import type { ValInList } from '../names/listed-vals.ts';
import { readIfPossible } from './disk/files.ts';
import { type Examined, examineVal, placeInGit } from './examine.ts';
import type { GoneFile } from './git-history.ts';
import { type Look, nameIn } from './look.ts';
import { codeOfRecord, countingRecord, type ValRecord } from './records.ts';
import type { RemoteVal } from './remote-vals.ts';
import { isTakenFromFolder } from './sources/walk.ts';
import { type Code, codeOf, isSameCode } from './text/code.ts';

export interface MissingVals {
  /** Their files are missing here. */
  missing: Examined[];
  /** Vals that git knows by name, but that a prune leaves. */
  left: LeftVal[];
}

export interface LeftVal {
  name: string;
  file: string;
  reason: { kind: 'unknown code' } | { kind: 'moved'; to: string };
}

/** Of the vals without a file, those that had one, except those that belong to a renamed file. */
export async function examineMissing(look: Look, files: readonly Examined[]): Promise<MissingVals> {
  const { missing, left } = await findMissing(look);
  const renamed = new Set(files.map(({ nameBefore }) => nameBefore));
  const isGone = ({ name }: { name: string }) => !renamed.has(name);
  return { missing: missing.filter(isGone), left: left.filter(isGone) };
}

async function findMissing(look: Look): Promise<MissingVals> {
  const records = recordsWithoutFile(look);
  const vals = await valsWithoutFile(look);
  if (vals === undefined) return { missing: await missingByRecord(look, records.values()), left: [] };
  const recorded = vals.flatMap(({ id, name = '' }) => {
    const record = records.get(name);
    return record?.id === id ? [record] : [];
  });
  const found: MissingVals = { missing: await missingByRecord(look, recorded), left: [] };
  const known = new Set(recorded.map(({ name }) => name));
  const others = vals.filter(({ name = '' }) => !known.has(name));
  const gone = others.length === 0 ? new Map() : await goneVals(look);
  for (const val of others) {
    const file = gone.get(val.name ?? '');
    if (file === undefined) continue;
    const result = await missingByGit(look, val, file);
    if ('reason' in result) found.left.push(result);
    else found.missing.push(result);
  }
  found.missing.sort((one, other) => (one.file < other.file ? -1 : 1));
  return found;
}

/** The vals of the service that no file of the workspace has the name of. Undefined if the service has no list. */
async function valsWithoutFile(look: Look): Promise<readonly ValInList[] | undefined> {
  const all = await look.remotes.all();
  const names = new Set(look.names.values());
  return all?.filter(({ name }) => name !== undefined && !names.has(name));
}

/** The file of a record, too, may have been moved out of the workspace. Then a prune leaves its val. */
export async function withMovedLeft({ history }: Look, { missing, left }: MissingVals): Promise<MissingVals> {
  if (missing.length === 0 || history === undefined) return { missing, left };
  const gone = await history.goneFiles();
  const moved = missing.flatMap(({ name, file }): LeftVal[] => {
    const fate = gone.get(file);
    const isMoved = fate?.kind === 'renamed' && fate.to.startsWith('../');
    return isMoved ? [{ name, file, reason: { kind: 'moved', to: fate.to } }] : [];
  });
  const names = new Set(moved.map(({ name }) => name));
  return { missing: missing.filter(({ name }) => !names.has(name)), left: [...left, ...moved] };
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

async function missingByRecord(look: Look, records: Iterable<ValRecord>): Promise<Examined[]> {
  const missing: Examined[] = [];
  for (const record of records) {
    const { name } = record;
    const there = await look.remotes.named(name, record);
    if (there === undefined || there === 'unknown') continue;
    if (countingRecord(record, look.head, there) === undefined) continue;
    // Without an id, the val can be neither read nor deleted.
    if (there.id === undefined) continue;
    const isOfRecord = isSameCode(there.code, codeOfRecord(record, there.code));
    const found = isOfRecord ? { there, place: undefined } : await placeInGit(look, there);
    const isCodeKnown = isOfRecord || found.place !== undefined;
    missing.push(missingVal({ name, file: fileOf(look, record), there: found.there, record, isCodeKnown }));
  }
  return missing;
}

const missingVal = (val: Pick<Examined, 'name' | 'file' | 'there' | 'record' | 'isCodeKnown'>): Examined => ({
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

interface GonePath {
  file: string;
  fate: GoneFile;
}

/** The files of this workspace that git deleted or renamed, by the names of their vals. */
async function goneVals(look: Look): Promise<Map<string, GonePath>> {
  const gone = new Map<string, GonePath>();
  for (const [file, fate] of (await look.history?.goneFiles()) ?? []) {
    if (file.startsWith('../') || !isTakenFromFolder(file)) continue;
    const name = nameIn(look, file);
    if (name !== undefined && !gone.has(name)) gone.set(name, { file, fate });
  }
  return gone;
}

async function missingByGit(
  look: Look,
  val: ValInList,
  { file, fate }: GonePath,
): Promise<Examined | LeftVal> {
  const { id, name = '' } = val;
  if (fate.kind === 'renamed' && fate.to.startsWith('../'))
    return { name, file, reason: { kind: 'moved', to: fate.to } };
  const listed = await look.remotes.mineWithId(id, undefined);
  const found = listed && (await placeInGit(look, listed));
  if (found?.place === undefined) return { name, file, reason: { kind: 'unknown code' } };
  return missingVal({ name, file, there: found.there, record: undefined, isCodeKnown: true });
}

/** A new file may be the renamed file of a val: git says so, or it has the code of a missing val, and no other file has. */
export async function followRenames(look: Look, vals: readonly Examined[]): Promise<Examined[]> {
  const isNew = ({ status, there, isNameUnknown }: Examined) =>
    there === undefined && !isNameUnknown && (status === 'new' || status === 'unmerged');
  const candidates = vals.some(isNew) ? await valsWithoutFile(look) : undefined;
  if (candidates === undefined || candidates.length === 0) return [...vals];
  const byName = new Map(candidates.map((val) => [val.name ?? '', val]));
  const followed: Examined[] = [];
  for (const val of vals) {
    const origin = isNew(val) ? await originOf(look, val, byName) : undefined;
    if (origin !== undefined) byName.delete(origin.name);
    followed.push(origin === undefined ? val : await examineRenamed(look, val, origin));
  }
  return followed;
}

async function originOf(
  look: Look,
  { file, here }: Examined,
  withoutFile: ReadonlyMap<string, ValInList>,
): Promise<RemoteVal | undefined> {
  const valOf = (path: string) => withoutFile.get(nameIn(look, path) ?? '');
  const path = await look.history?.renamedFrom(file, (each) => valOf(each) !== undefined);
  const renamed = path === undefined ? undefined : valOf(path);
  if (renamed !== undefined) {
    const record = look.workspace.records.of(renamed.name ?? '');
    return look.remotes.mineWithId(renamed.id, record?.id === renamed.id ? record : undefined);
  }
  const mayBeSame = ({ name = '', codeHash }: ValInList) =>
    codeHash === here?.blob ||
    codeHash === here?.lines ||
    isSameCode(look.workspace.records.of(name)?.code, here);
  if (![...withoutFile.values()].some(mayBeSame)) return undefined;
  const { missing } = await findMissing(look);
  const [same, another] = missing.filter(
    ({ name, there }) => withoutFile.has(name) && isSameCode(there?.code, here),
  );
  return another === undefined && same !== undefined && !isCopied(look, file, here) ? same.there : undefined;
}

/** Another file of the workspace has the same code. */
function isCopied({ workspace, names }: Look, file: string, here: Code | undefined): boolean {
  const others = [...names.keys()].filter((other) => other !== file);
  return others.some((other) => {
    const text = readIfPossible(workspace.root, other);
    return text !== undefined && isSameCode(codeOf(text), here);
  });
}

function examineRenamed(look: Look, val: Examined, there: RemoteVal): Promise<Examined> | Examined {
  if (val.here === undefined) return val;
  const nameBefore = there.name;
  const record = countingRecord(look.workspace.records.of(nameBefore), look.head, there);
  return examineVal(look, { file: val.file, name: val.name, here: val.here, there, record, nameBefore });
}
