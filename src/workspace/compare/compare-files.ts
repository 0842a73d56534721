// Compares files with their vals, all that differ with one look into git's history.
import { createSlots } from '../../core/lib/slots.ts';
import { isSameCode } from '../code.ts';
import type { Repository } from '../git/repository.ts';
import { type CodeNumbers, numberCodes } from './code-numbers.ts';
import { contains } from './contains.ts';
import { fileHistory, isSetSince } from './file-history.ts';
import { type Differing, type GitKnowledge, readGit } from './git-knowledge.ts';
import { type Order, orderOf } from './histories.ts';
import type { Compared, FileAndVal, ValVersion } from './types.ts';

export interface Surroundings {
  /** Undefined if the workspace is in none. */
  repository: Repository | undefined;
  env: NodeJS.ProcessEnv;
}

/** In the order of the files. Git is not started, and no version is read, for those that are the same on both sides. */
export async function compareFiles(
  files: readonly FileAndVal[],
  surroundings: Surroundings,
): Promise<Compared[]> {
  const differing = files.filter(({ here, there }) => !isSameCode(here, there.code));
  const open = await Promise.all(
    differing.map(async (each) => ({ ...each, known: (await each.versions()).slice(-mostVersions) })),
  );
  const git = await readGit(open, surroundings.repository);
  const slots = createSlots(8);
  const compared = await Promise.all(
    open.map((each) => slots.run(async () => compareFile(await withTexts(each, git), git, surroundings))),
  );
  const results = new Map(differing.map((each, index) => [each, compared[index]]));
  return files.map((each) => results.get(each) ?? { status: 'unchanged' });
}

const mostVersions = 20;

/** If git has codes that none of the versions seems to have, they may differ in line ends alone, which only texts tell. */
async function withTexts(each: Differing, { histories, isLong }: GitKnowledge): Promise<Differing> {
  const brought = histories?.of(each.file).brought ?? [];
  const numbers = numbersOf(each, isLong);
  if (brought.every(({ blob }) => numbers.ofBlob(blob) !== undefined)) return each;
  const inGit = new Set(brought.map(({ blob }) => numbers.ofBlob(blob)));
  const known = await Promise.all(
    each.known.map(async (version) => {
      if (version.code.text !== undefined || inGit.has(numbers.of(version.code))) return version;
      return { ...version, code: (await each.read(version)) ?? version.code };
    }),
  );
  return { ...each, known };
}

const numbersOf = ({ here, known }: Differing, isLong: boolean): CodeNumbers =>
  numberCodes([here, ...known.map(({ code }) => code)], { isLong });

async function compareFile(each: Differing, git: GitKnowledge, { env }: Surroundings): Promise<Compared> {
  const numbers = numbersOf(each, git.isLong);
  const here = numbers.of(each.here);
  const versions = each.known.map(({ code }) => numbers.of(code));
  const present = versions.at(-1);
  if (here === present) return { status: 'unchanged' };
  const facts = {
    fileVersion: each.known[versions.lastIndexOf(here)]?.version,
    restored: each.known[restoredFrom(versions)]?.version,
  };
  const file = fileHistory(each, numbers, git);
  const versionWith = (code: number | undefined) => each.known[versions.lastIndexOf(code ?? Number.NaN)];
  if (git.limit !== undefined && !file.slice(0, -1).some((code) => code === present)) {
    return { ...facts, status: 'conflict', limit: git.limit };
  }
  const order = orderOf({ versions, file, isSetSince: isSetSince(each, numbers, git) });
  if (order.kind === 'changed there') return { ...facts, status: 'changed there' };
  if (order.kind === 'conflict') return { ...facts, status: 'conflict', base: versionWith(order.base) };
  return { ...facts, ...(await byContents(each, order, versionWith, env)) };
}

/** The place of the version that has the present code, if the service had another code in between. */
function restoredFrom(versions: readonly number[]): number {
  const present = versions.at(-1);
  const last = versions.findLastIndex((code) => code !== present);
  return present === undefined || last < 0 ? -1 : versions.lastIndexOf(present, last);
}

type Contents = Extract<Order, { kind: 'contents' }>;

/** Both went on, or the file alone. The side that has the other's change is newer. */
async function byContents(
  { here, known, read }: Differing,
  { since, base }: Contents,
  versionWith: (code: number) => ValVersion | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Compared, 'status' | 'base' | 'limit'>> {
  const textOf = async (version: ValVersion | undefined) =>
    version && (version.code.text ?? (await read(version))?.text);
  const shared = versionWith(base);
  let missed: ValVersion | undefined;
  const there = await textOf(since.length === 0 ? undefined : known.at(-1));
  for (const code of since) {
    const from = await textOf(versionWith(code));
    const isIn =
      from !== undefined && there !== undefined && (await contains(here.text, { from, to: there }, env));
    if (isIn) continue;
    missed = versionWith(code);
    if (isIn === undefined) return { status: 'conflict', base: missed, limit: 'no git program' };
    break;
  }
  if (missed === undefined) return { status: 'changed here' };
  const from = await textOf(shared);
  const isNewer =
    from !== undefined && there !== undefined && (await contains(there, { from, to: here.text }, env));
  return isNewer ? { status: 'changed there' } : { status: 'conflict', base: missed };
}
