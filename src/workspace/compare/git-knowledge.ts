// What git knows of all files that differ from their vals: one look for the codes, and one into the history.
import { type Code, idsOf } from '../code.ts';
import { type BroughtCode, type Ids, readFileHistories, type WantedHistory } from '../git/file-histories.ts';
import { findBlobs, type Repository } from '../git/repository.ts';
import type { FileAndVal, GitLimit, ValVersion } from './types.ts';

/** What git is asked about. */
export interface Asked extends Omit<FileAndVal, 'here'> {
  here: Code;
}

export interface GitKnowledge<Each> {
  /** With the texts of the versions whose hash alone does not tell whether git has them. */
  files: readonly Each[];
  /** Ids of SHA-256. Then the ids that the service sends say nothing of git's. */
  isLong: boolean;
  limit: GitLimit | undefined;
  /** The codes that a file had, oldest first, the last sync among them. */
  broughtTo(file: Asked): readonly BroughtCode[];
}

export async function readGit<Each extends Asked>(
  files: readonly Each[],
  repository: Repository | undefined,
): Promise<GitKnowledge<Each>> {
  const lastSyncAlone = ({ lastSync }: Asked) => (lastSync === undefined ? [] : [asBrought(lastSync.blob)]);
  const none = { files, isLong: false, broughtTo: lastSyncAlone };
  if (repository === undefined || files.length === 0) return { ...none, limit: undefined };
  const { commit: head, failure } = await repository.head();
  const isBeforeAll = ({ lastSync }: Asked) => lastSync?.commit === undefined;
  if (head === undefined) {
    return {
      ...none,
      broughtTo: (file: Asked) => (isBeforeAll(file) ? lastSyncAlone(file) : []),
      limit: failure,
    };
  }
  const isLong = head.length > 40;
  const { told, hasBlob } = await tellCodes(files, repository, isLong);
  const wanted: WantedHistory[] = [];
  for (const each of told) wanted.push(await wantedHistory(each, repository, { isLong, hasBlob }));
  const histories = await readFileHistories(repository, wanted);
  return {
    files: told,
    isLong,
    limit: histories.failure ?? (repository.isShallow ? 'shallow' : undefined),
    broughtTo(each) {
      const brought = histories.of(each.file);
      return isBeforeAll(each) ? [...lastSyncAlone(each), ...brought] : brought;
    },
  };
}

const asBrought = (blob: string): BroughtCode => ({ blob, writtenAt: undefined, isLastSync: true });

type HasBlob = (id: string) => boolean;

/** Most codes that git never had need no search of the history. Their texts are read, because they may have other line ends. */
async function tellCodes<Each extends Asked>(
  files: readonly Each[],
  repository: Repository,
  isLong: boolean,
): Promise<{ told: Each[]; hasBlob: HasBlob }> {
  const idsOf = (all: readonly Asked[]) => new Set(all.flatMap((each) => codesOf(each, isLong).all));
  const asked = idsOf(files);
  const first = await findBlobs(repository, asked);
  const told = await Promise.all(
    files.map(async (each) => {
      const known = each.known.map(async (version) => {
        const { text, blob } = version.code;
        const isTold = text !== undefined || first?.has(blob) === true;
        return isTold ? version : { ...version, code: (await each.read(version)) ?? version.code };
      });
      return { ...each, known: await Promise.all(known) };
    }),
  );
  const more = await findBlobs(repository, new Set([...idsOf(told)].filter((id) => !asked.has(id))));
  const hasBlob = (id: string) => first === undefined || first.has(id) || more?.has(id) === true;
  return { told, hasBlob };
}

/** What no reading can bring is not waited for: codes that git does not have, except that of a last sync that counts. */
async function wantedHistory(
  each: Asked,
  repository: Repository,
  { isLong, hasBlob }: { isLong: boolean; hasBlob: HasBlob },
): Promise<WantedHistory> {
  const { file, lastSync } = each;
  const { codes, here } = codesOf(each, isLong);
  const isInGit = (ids: Ids) => [...ids].some(hasBlob);
  if (lastSync?.commit === undefined) return { file, codes: codes.filter(isInGit) };
  const { blob, commit } = lastSync;
  const counts = await repository.hasCommit(commit);
  return {
    file,
    codes: codes.filter((ids) => isInGit(ids) || (counts && ids.has(blob))),
    // The last sync is left out if the file is as a commit before it.
    before: counts && isInGit(here) ? here : undefined,
    lastSync: { blob, commit },
  };
}

/** The ids that git may have given the codes. */
function codesOf({ here, known }: Asked, isLong: boolean) {
  const numbers = numberCodes([here, ...known.map(({ code }) => code)], { isLong });
  const codes = numbers.idsInOrder(known);
  const [own = new Set<string>()] = numbers.idsInOrder([{ version: undefined, code: here }]);
  return { codes, here: own, all: [...codes, own].flatMap((ids) => [...ids]) };
}

export interface CodeNumbers {
  of(code: Code): number;
  /** Undefined if none of the codes has this id. */
  ofBlob(blob: string): number | undefined;
  /** All ids that git may have given the codes of these versions. Repeated codes are left out. */
  idsInOrder(versions: readonly ValVersion[]): ReadonlySet<string>[];
}

/** `isLong`: git's ids are SHA-256. */
export function numberCodes(codes: readonly Code[], { isLong }: { isLong: boolean }): CodeNumbers {
  const numbers = new Map<string, number>();
  const ids: Set<string>[] = [];
  // Those with a text come first, because they tell the ids with either line ends.
  for (const code of [...codes].sort(byText)) {
    const all = idsOf(code, { isLong });
    const number = all.map((id) => numbers.get(id)).find((known) => known !== undefined) ?? ids.length;
    for (const id of all) {
      numbers.set(id, number);
      ids[number] = (ids[number] ?? new Set()).add(id);
    }
  }
  const of = ({ blob }: Code) => numbers.get(blob) ?? Number.NaN;
  return {
    of,
    ofBlob: (blob) => numbers.get(blob),
    idsInOrder: (versions) =>
      versions
        .map(({ code }) => of(code))
        .filter((number, place, all) => number !== all[place - 1])
        .map((number) => ids[number] ?? new Set()),
  };
}

const byText = (a: Code, b: Code): number => Number(a.text === undefined) - Number(b.text === undefined);
