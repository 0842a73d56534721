// Decides which side is newer, by the two histories, and by the contents where both went on. All files that differ need one
// look into git's history.
import { createSlots } from '../../core/lib/waiting.ts';
import { type Code, idsOf } from '../code.ts';
import { readFileHistories } from '../git/file-histories.ts';
import { findBlobs, type Repository } from '../git/repository.ts';
import { contains } from './contains.ts';
import { type Order, orderOf } from './histories.ts';
import type { Compared, FileAndVal, GitLimit } from './types.ts';

interface Surroundings {
  /** Undefined if the workspace is in none. */
  repository: Repository | undefined;
  env: NodeJS.ProcessEnv;
}

/** In the order of the files. */
export async function compareFiles(
  files: readonly FileAndVal[],
  { repository, env }: Surroundings,
): Promise<Compared[]> {
  const past = await codesOfFiles(files, repository);
  const slots = createSlots(8);
  return Promise.all(files.map((each) => slots.run(() => compare(each, past.of(each), past.limit, env))));
}

interface PastCodes {
  /** The ids of the codes that a file had, oldest first. */
  of(file: FileAndVal): readonly string[];
  /** Why they may lack the beginning. */
  limit: GitLimit | undefined;
}

/** Without git, a file had what it had in common with the service. */
async function codesOfFiles(
  files: readonly FileAndVal[],
  repository: Repository | undefined,
): Promise<PastCodes> {
  const synced = ({ lastSync }: FileAndVal) =>
    lastSync?.commit === undefined && lastSync ? [lastSync.blob] : [];
  if (repository === undefined || files.length === 0) return { of: synced, limit: undefined };
  const { commit, failure } = await repository.head();
  if (commit === undefined) return { of: synced, limit: failure };
  // Codes that git never had need no search of the history.
  const ids = new Map(files.map((each) => [each, each.known.map(({ code }) => new Set(idsOf(code)))]));
  const inGit = await findBlobs(repository, new Set([...ids.values()].flat().flatMap((each) => [...each])));
  const isInGit = (each: ReadonlySet<string>) => inGit === undefined || [...each].some((id) => inGit.has(id));
  const histories = await readFileHistories(
    repository,
    files.map((each) => ({ file: each.file, codes: (ids.get(each) ?? []).filter(isInGit) })),
  );
  return {
    of: (each) => [...synced(each), ...histories.of(each.file)],
    limit: histories.failure ?? (repository.isShallow ? 'shallow' : undefined),
  };
}

async function compare(
  each: FileAndVal,
  brought: readonly string[],
  limit: GitLimit | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Compared> {
  const { here, known, lastSync } = each;
  const numbers = numberCodes([here, ...known.map(({ code }) => code)]);
  const numberOf = (code: Code) => numbers.get(code.blob) ?? Number.NaN;
  const versions = known.map(({ code }) => numberOf(code));
  const now = known.at(-1);
  const versionWith = (number: number) => known[versions.lastIndexOf(number)];
  const { version: synced = -1 } = lastSync ?? {};
  const deleted = now?.version !== undefined && synced > now.version ? synced : undefined;
  const facts = {
    fileVersion: versionWith(numberOf(here))?.version,
    restored: deleted === undefined ? known[restoredFrom(versions)]?.version : undefined,
    deleted,
  };
  const past = brought.flatMap((id) => numbers.get(id) ?? []);
  const base = versionWith(past.findLast((code) => versions.includes(code)) ?? Number.NaN)?.code;
  if (limit !== undefined && !past.includes(versions.at(-1) ?? Number.NaN))
    return { ...facts, status: 'conflict', base, limit };
  // Somebody deleted the version that this folder pushed last. Whether it shall come back, only a person knows.
  if (deleted !== undefined) return { ...facts, status: 'conflict', base };
  const order = orderOf(versions, [...past, numberOf(here)]);
  if (order.kind !== 'contents') return { ...facts, base, status: order.kind };
  const codeOf = (number: number) => versionWith(number)?.code;
  return { ...facts, base, ...(await compareContents(here, now?.code, order, codeOf, env)) };
}

/** Each code has one number, whatever its line ends are. By the ids that git may have given it. */
function numberCodes(codes: readonly Code[]): Map<string, number> {
  const numbers = new Map<string, number>();
  codes.forEach((code, index) => {
    const ids = idsOf(code);
    const number = ids.map((id) => numbers.get(id)).find((known) => known !== undefined) ?? index;
    for (const id of ids) numbers.set(id, number);
  });
  return numbers;
}

/** The place of the version that has the present code, if the service had another code in between. */
function restoredFrom(versions: readonly number[]): number {
  const present = versions.at(-1);
  const last = versions.findLastIndex((code) => code !== present);
  return present === undefined || last < 0 ? -1 : versions.lastIndexOf(present, last);
}

/** Both went on. The one that has the other's change is newer. */
async function compareContents(
  here: Code,
  there: Code | undefined,
  { since, base }: Extract<Order, { kind: 'contents' }>,
  codeOf: (number: number) => Code | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Compared, 'status' | 'base' | 'limit'>> {
  /** Undefined without git. */
  const has = async (code: Code | undefined, from: Code | undefined, to: Code | undefined) =>
    code && from && to ? contains(code.text, { from: from.text, to: to.text }, env) : false;
  for (const code of since) {
    const isIn = await has(here, codeOf(code), there);
    if (isIn) continue;
    // Nothing but a merge that begins with this version takes the change along.
    const conflict = { status: 'conflict', base: codeOf(code) } as const;
    if (isIn === undefined) return { ...conflict, limit: 'no git program' };
    return (await has(there, codeOf(base), here)) ? { status: 'changed there' } : conflict;
  }
  return { status: 'changed here' };
}
