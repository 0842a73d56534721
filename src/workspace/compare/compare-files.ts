// Decides which side is newer, by the two histories, and by the contents where both went on. One `git log` is read for all
// files that differ.
import { createSlots } from '../../core/lib/waiting.ts';
import type { Code, CodeHash } from '../code.ts';
import type { CommittedCode } from '../git/file-histories.ts';
import type { Repository } from '../git/repository.ts';
import { numberCodes, readCommittedCodes } from './committed-codes.ts';
import { contains } from './contains.ts';
import { type Order, orderOf } from './histories.ts';
import type { Comparison, GitLimit, Pair } from './types.ts';

interface Surroundings {
  /** Undefined if the workspace is in none. */
  repository: Repository | undefined;
  env: NodeJS.ProcessEnv;
}

/** In the order of the files. */
export async function compareFiles(
  files: readonly Pair[],
  { repository, env }: Surroundings,
): Promise<Comparison[]> {
  const { pairs, of, limit } = await readCommittedCodes(files, repository);
  const slots = createSlots(8);
  return Promise.all(pairs.map((pair) => slots.run(() => compare(pair, of(pair), limit, env))));
}

async function compare(
  pair: Pair,
  committed: readonly CommittedCode[],
  limit: GitLimit | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Comparison> {
  const { versions, lastSync } = pair;
  const numbers = numberCodes([pair.here, ...versions.map(({ code }) => code)]);
  const numberOf = ({ blob }: Code | CodeHash) => numbers.get(blob) ?? Number.NaN;
  const here = numberOf(pair.here);
  const codes = versions.map(({ code }) => numberOf(code));
  const present = codes.at(-1) ?? Number.NaN;
  if (here === present) return { state: 'unchanged' };
  const past = committed.flatMap(({ blob }) => numbers.get(blob) ?? []);
  const lastWith = (number: number | undefined) => codes.lastIndexOf(number ?? Number.NaN);
  const now = versions.at(-1);
  const at = lastWith(here);
  const facts = {
    fileVersion: versions[at]?.version,
    restored: versions[restoredFrom(codes)]?.version,
    base: versions[lastWith(past.findLast((code) => codes.includes(code)))],
  };
  if (limit !== undefined && !past.includes(present))
    return { ...facts, state: 'conflict', reason: { kind: 'git', limit } };
  // Somebody deleted the version that this folder pushed last. Whether it shall come back, only a person knows.
  const { version: synced = -1 } = lastSync ?? {};
  if (now?.version !== undefined && synced > now.version)
    return { ...facts, state: 'conflict', reason: { kind: 'version gone', version: synced } };
  const order = orderOf(codes, [...past, here]);
  switch (order.kind) {
    case 'changed there':
      return { ...facts, state: 'changed there' };
    case 'no shared code':
    case 'older code':
      return { ...facts, state: 'conflict', reason: { kind: order.kind } };
    case 'contents': {
      const shared = versions[codes.lastIndexOf(order.base, codes.length - 2)]?.version;
      // This folder may have had a later one that git never had.
      const since = versions.some(({ version }) => version === synced)
        ? Math.max(synced, shared ?? -1)
        : shared;
      const found = await compareContents(pair, order, (number) => versions[lastWith(number)], env);
      return {
        ...facts,
        ...(found.state === 'conflict' && { reason: { kind: 'both went on', since } }),
        ...found,
      };
    }
    case 'changed here': {
      if (!order.comesBack) return { ...facts, state: 'changed here' };
      const madeAt = Date.parse(now?.madeAt ?? '');
      const resent = { version: versions[at]?.version, replacedBy: versions[at + 1]?.version };
      if (Number.isNaN(madeAt)) return { ...facts, state: 'changed here', resent };
      // What the service went back from is sent again only if a later commit says so.
      const isLater = committed.some(
        ({ blob, writtenAt = 0 }) => numbers.get(blob) === here && writtenAt > madeAt,
      );
      if (isLater) return { ...facts, state: 'changed here' };
      return { ...facts, state: 'conflict', reason: { kind: 'older code' } };
    }
  }
}

/** The place of the version that has the present code, if the service had another code in between. */
function restoredFrom(codes: readonly number[]): number {
  const present = codes.at(-1);
  const last = codes.findLastIndex((code) => code !== present);
  return present === undefined || last < 0 ? -1 : codes.lastIndexOf(present, last);
}

/** Both went on. The one that has the other's change is newer. */
async function compareContents(
  { here, versions, read }: Pair,
  { since, base }: Extract<Order, { kind: 'contents' }>,
  versionWith: (number: number) => Pair['versions'][number] | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Comparison> {
  const textOf = async (version: Pair['versions'][number] | undefined) =>
    version && (await read(version))?.text;
  const there = await textOf(versions.at(-1));
  /** Undefined without git. What is gone by now cannot be compared. */
  const has = async (text: string | undefined, from: string | undefined, to: string | undefined) =>
    text !== undefined && from !== undefined && to !== undefined && (await contains(text, { from, to }, env));
  for (const code of since) {
    const version = versionWith(code);
    const isIn = await has(here.text, await textOf(version), there);
    if (isIn) continue;
    // Nothing but a merge that begins with this version takes the change along.
    const conflict = { state: 'conflict', base: version } as const;
    if (isIn === undefined) return { ...conflict, reason: { kind: 'git', limit: 'no git program' } };
    const isThere = await has(there, await textOf(versionWith(base)), here.text);
    return isThere ? { state: 'changed there' } : conflict;
  }
  return { state: 'changed here' };
}
