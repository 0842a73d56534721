// Compares files with their vals: first by what the list and the records tell, then by git, then by the versions of the
// val. Most vals end at the first.

import { readBelow } from '../core/files/files.ts';
import { type Code, type CodeWithText, codeOf, isSameCode } from './code.ts';
import { type CodeStatus, compareCodes, type GitPast, type Past } from './compare.ts';
import type { GitHistory, GitLimit } from './git-history.ts';
import type { Look } from './look.ts';
import { codeOfRecord, countingRecord, type ValRecord } from './records.ts';
import type { RemoteVal } from './remote-vals.ts';
import type { LocalVal } from './select.ts';
import { versionWith } from './versions.ts';
import { pathTo } from './workspace.ts';

/** A file without a val on the service. */
export interface WithoutVal extends LocalVal {
  status: 'new' | 'unmerged' | 'deleted there';
  code: undefined;
  here: CodeWithText;
  there: undefined;
  /** Only if it counts: of this val, and of this branch. */
  record: ValRecord | undefined;
  /** The service has no list, so nobody knows whether it has a val of this name. */
  isNameUnknown: boolean;
}

/** A file and its val. */
export interface ComparedVal extends BothSides {
  status: CodeStatus | 'unmerged' | 'renamed here';
  /** How the codes compare. */
  code: CodeStatus;
  /** The version that the file has, where it is known. */
  fileVersion: number | undefined;
  /** Why git could not tell which side is newer. */
  gitLimit: GitLimit | undefined;
}

/** A val whose file is missing. */
export interface MissingVal extends LocalVal {
  status: 'missing here';
  code: undefined;
  here: undefined;
  there: RemoteVal;
  record: ValRecord | undefined;
  /** Git or the record has the code that the val has on the service. */
  isCodeKnown: boolean;
}

export type Examined = WithoutVal | ComparedVal | MissingVal;

/** The name that the val of a renamed file still has on the service. */
export const nameBeforeOf = (val: Examined): string | undefined =>
  val.code !== undefined && val.renamed === 'here' ? val.there.name : undefined;

/** The new name of a val that somebody renamed on the service. */
export const nameThereOf = (val: Examined): string | undefined =>
  val.code !== undefined && val.renamed === 'there' ? val.there.name : undefined;

/** A file and its record, as they are now. */
export interface LocalSide extends LocalVal {
  /** Undefined if there is no file. */
  here: CodeWithText | undefined;
  /** The record of the name, whether it counts or not. */
  recorded: ValRecord | undefined;
}

/**
 * The record must be read before the file. Other commands change the file first and the record later, so old code with a
 * new record would look like an edit, and a push would overwrite newer code on the service.
 */
export function readLocalSide({ workspace }: Look, { file, name }: LocalVal): LocalSide {
  const recorded = workspace.records.of(name);
  const text = readBelow(workspace.root, file, pathTo(workspace, file));
  return { file, name, recorded, here: text === undefined ? undefined : codeOf(text) };
}

/** A file that is there, and its record. */
export interface FileToExamine extends LocalSide {
  here: CodeWithText;
}

export async function examineFile(look: Look, local: FileToExamine): Promise<Examined> {
  const { remotes, head } = look;
  const { file, name, here, recorded } = local;
  const counting = countingRecord(recorded, head);
  const found = await remotes.named(name, recorded);
  const val = { file, name, here, record: counting };
  const isNameUnknown = found === 'unknown';
  if (found !== undefined && found !== 'unknown') {
    const record = countingRecord(recorded, head, found);
    return examineVal(look, { ...val, there: found, record, renamed: undefined });
  }
  if (counting?.id === undefined) return withoutVal(val, { isNameUnknown });
  const there = await remotes.mineWithId(counting.id, counting);
  if (there === undefined) return withoutVal(val, { status: 'deleted there', isNameUnknown });
  const unknown = { fileVersion: undefined, gitLimit: undefined };
  return { ...val, ...unknown, status: 'conflict', code: 'conflict', there, renamed: 'there' };
}

export const withoutVal = (
  { file, name, here, record }: Pick<WithoutVal, 'file' | 'name' | 'here' | 'record'>,
  {
    status = 'new',
    isNameUnknown = false,
  }: { status?: 'new' | 'deleted there'; isNameUnknown?: boolean } = {},
): WithoutVal => ({
  file,
  name,
  here,
  record,
  isNameUnknown,
  code: undefined,
  there: undefined,
  status: here.hasMarks ? 'unmerged' : status,
});

export interface BothSides extends LocalVal {
  here: CodeWithText;
  there: RemoteVal;
  record: ValRecord | undefined;
  /** The side that renamed the val. `there` has the name that the val has on the service. */
  renamed: 'here' | 'there' | undefined;
}

export async function examineVal(look: Look, val: BothSides): Promise<ComparedVal> {
  const { code, there, fileVersion } = await compareSides(look, val);
  const isUnmerged = code !== 'unchanged' && val.here.hasMarks;
  const gitLimit = code === 'conflict' && !isUnmerged ? await look.history?.limit() : undefined;
  const compared = { ...val, there, code, fileVersion, gitLimit };
  if (isUnmerged) return { ...compared, status: 'unmerged' };
  const isRenamed = val.renamed === 'here' && code !== 'conflict';
  return { ...compared, status: isRenamed ? 'renamed here' : code };
}

async function compareSides(
  look: Look,
  val: BothSides,
): Promise<Pick<ComparedVal, 'code' | 'there' | 'fileVersion'>> {
  const { here, record } = val;
  let { there } = val;
  let fileVersion: number | undefined;
  const past: Past = {};
  for (;;) {
    const recorded = record && codeOfRecord(record, there.code);
    const verdict = compareCodes({ here, there: there.code, record: recorded }, past);
    if (typeof verdict === 'string') return { code: verdict, there, fileVersion };
    if (verdict.needs === 'git') {
      const found = await placeInGit(look, there);
      there = found.there;
      past.git = await askGit(look.history, found.place, { here, record: recorded });
    } else {
      fileVersion =
        there.id === undefined ? undefined : await versionWith(look.api, { ...there, id: there.id }, here);
      past.isEarlierVersion = fileVersion !== undefined;
    }
  }
}

/**
 * The newest place of the service's code in git's history. A val that was only seen in the list is read before git is
 * said not to have it, because git may have the code with other line ends.
 */
export async function placeInGit(
  { history, remotes }: Look,
  there: RemoteVal,
): Promise<{ there: RemoteVal; place: number | undefined }> {
  const place = await history?.newestPlaceOf(there.code);
  if (place !== undefined || there.isRead || there.id === undefined) return { there, place };
  const read = await remotes.read(there.id);
  // If the val is gone by now, the write will notice it.
  return read === undefined
    ? { there, place }
    : { there: read, place: await history?.newestPlaceOf(read.code) };
}

async function askGit(
  history: GitHistory | undefined,
  place: number | undefined,
  { here, record }: { here: Code; record: Code | undefined },
): Promise<GitPast> {
  if (history === undefined || place === undefined) return 'absent';
  if (record === undefined) return 'present';
  // What is newer than the service's code has been read by now. If the record's code is not there, reading on matters only
  // to a file that still has that code.
  const soFar = await history.placeSoFar(record);
  if ((soFar === undefined || soFar >= place) && !isSameCode(here, record)) return 'present';
  const recorded = await history.newestPlaceOf(record);
  if (recorded === undefined) return 'without the record';
  const isOlder = recorded < place && ((await history.oldestPlaceOf(record)) ?? place) < place;
  return isOlder ? 'older than the record' : 'present';
}
