// Decides which side is newer, by the two histories, and by the contents where both went on. All files that differ need one
// look into git's history.
import { createSlots } from '../../core/lib/waiting.ts';
import type { BroughtCode } from '../git/file-histories.ts';
import type { Repository } from '../git/repository.ts';
import { contains } from './contains.ts';
import { type CodeNumbers, numberCodes, readGit } from './git-knowledge.ts';
import { type Order, orderOf } from './histories.ts';
import type { Compared, FileAndVal, GitLimit, ValVersion } from './types.ts';

export interface Surroundings {
  /** Undefined if the workspace is in none. */
  repository: Repository | undefined;
  env: NodeJS.ProcessEnv;
}

/** In the order of the files. */
export async function compareFiles(
  files: readonly FileAndVal[],
  { repository, env }: Surroundings,
): Promise<Compared[]> {
  const git = await readGit(files, repository);
  const slots = createSlots(8);
  return Promise.all(
    git.files.map((each) => slots.run(() => compareHistories(each, git.broughtTo(each), { ...git, env }))),
  );
}

/** This side, and the versions of the val. */
type TwoSides = Pick<FileAndVal, 'here' | 'known' | 'read'>;

interface Means {
  isLong: boolean;
  /** Why the history of this side may lack its beginning. */
  limit: GitLimit | undefined;
  env: NodeJS.ProcessEnv;
}

/** `brought`: the codes that this side had, oldest first. */
async function compareHistories(
  sides: TwoSides,
  brought: readonly BroughtCode[],
  { isLong, limit, env }: Means,
): Promise<Compared> {
  const { known } = sides;
  const numbers = numberCodes([sides.here, ...known.map(({ code }) => code)], { isLong });
  const here = numbers.of(sides.here);
  const versions = known.map(({ code }) => numbers.of(code));
  const present = versions.at(-1);
  if (here === present) return { status: 'unchanged' };
  const versionWith = (code: number | undefined) => known[versions.lastIndexOf(code ?? Number.NaN)];
  const { file, isTakenBack } = codesOfFile(here, versions, numbers, brought);
  const deleted = known.find(({ isDeleted }) => isDeleted)?.version;
  const facts = {
    fileVersion: versionWith(here)?.version,
    restored: deleted === undefined ? known[restoredFrom(versions)]?.version : undefined,
    deleted,
    isTakenBack,
  };
  if (limit !== undefined && !file.some((code) => code === present))
    return { ...facts, status: 'conflict', limit };
  // When a version was deleted, nobody tells.
  const madeAt = deleted === undefined ? Date.parse(known.at(-1)?.madeAt ?? '') : Number.NaN;
  const isSetSince = brought.some(
    ({ blob, writtenAt = 0 }) => numbers.ofBlob(blob) === here && writtenAt > madeAt,
  );
  const order = orderOf({ versions, file, isSetSince: Number.isNaN(madeAt) ? undefined : isSetSince });
  switch (order.kind) {
    case 'changed there':
      return { ...facts, status: 'changed there' };
    case 'conflict':
      return { ...facts, status: 'conflict', base: versionWith(order.base) };
    case 'contents':
      return { ...facts, ...(await compareContents(sides, order, versionWith, env)) };
  }
}

/** Oldest first. The last one is `here`. Codes that no version has are left out. */
function codesOfFile(
  here: number,
  versions: readonly number[],
  numbers: CodeNumbers,
  brought: readonly BroughtCode[],
): { file: number[]; isTakenBack: boolean } {
  const codes = brought.map(({ blob }) => numbers.ofBlob(blob));
  const syncedAt = brought.findIndex(({ isLastSync }) => isLastSync);
  // The last sync is left out if the file is as a commit before it.
  const isTakenBack = codes[syncedAt] !== here && codes.slice(0, Math.max(syncedAt, 0)).includes(here);
  const shared = codes.filter(
    (code, place): code is number =>
      code !== undefined && versions.includes(code) && !(isTakenBack && place === syncedAt),
  );
  return { file: [...shared, here], isTakenBack };
}

/** The place of the version that has the present code, if the service had another code in between. */
function restoredFrom(versions: readonly number[]): number {
  const present = versions.at(-1);
  const last = versions.findLastIndex((code) => code !== present);
  return present === undefined || last < 0 ? -1 : versions.lastIndexOf(present, last);
}

/** This side went on, and perhaps both did. The one that has the other's change is newer. */
async function compareContents(
  { here, known, read }: TwoSides,
  { since, base }: Extract<Order, { kind: 'contents' }>,
  versionWith: (code: number) => ValVersion | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Compared, 'status' | 'base' | 'limit'>> {
  if (since.length === 0) return { status: 'changed here' };
  const textOf = async (version: ValVersion | undefined) =>
    version && (version.code.text ?? (await read(version))?.text);
  const there = await textOf(known.at(-1));
  /** Undefined if git is missing. What is gone by now cannot be compared. */
  const has = async (text: string | undefined, from: string | undefined, to: string | undefined) =>
    text !== undefined && from !== undefined && to !== undefined && (await contains(text, { from, to }, env));
  for (const code of since) {
    const version = versionWith(code);
    const isIn = await has(here.text, await textOf(version), there);
    if (isIn) continue;
    // Nothing but a merge that begins with this version takes the change along.
    const conflict = { status: 'conflict', base: version } as const;
    if (isIn === undefined) return { ...conflict, limit: 'no git program' };
    const isNewer = await has(there, await textOf(versionWith(base)), here.text);
    return isNewer ? { status: 'changed there' } : conflict;
  }
  return { status: 'changed here' };
}
