// Decides which side is newer, by the two histories, and by the contents where both went on.
import type { CodeWithText } from '../code.ts';
import type { CodeNumbers } from './code-numbers.ts';
import { contains } from './contains.ts';
import { type Order, orderOf } from './histories.ts';
import type { Compared, ValVersion } from './types.ts';

export interface TwoHistories {
  here: CodeWithText;
  /** The versions of the val, oldest first. The last one is the val as it is now. */
  known: readonly ValVersion[];
  numbers: CodeNumbers;
  /** The codes that this side had, oldest first. The last one is `here`. */
  file: readonly number[];
  /** Somebody set this side to its code after the present version was made. */
  isSetSince: boolean;
  read(version: ValVersion): Promise<CodeWithText | undefined>;
}

export async function compareHistories(both: TwoHistories, env: NodeJS.ProcessEnv): Promise<Compared> {
  const { known, numbers, file, isSetSince } = both;
  const here = numbers.of(both.here);
  const versions = known.map(({ code }) => numbers.of(code));
  if (here === versions.at(-1)) return { status: 'unchanged' };
  const versionWith = (code: number | undefined) => known[versions.lastIndexOf(code ?? Number.NaN)];
  const facts = {
    fileVersion: versionWith(here)?.version,
    restored: known[restoredFrom(versions)]?.version,
  };
  const order = orderOf({ versions, file, isSetSince });
  switch (order.kind) {
    case 'changed there':
      return { ...facts, status: 'changed there' };
    case 'conflict':
      return { ...facts, status: 'conflict', base: versionWith(order.base) };
    case 'contents':
      return { ...facts, ...(await compareContents(both, order, versionWith, env)) };
  }
}

/** The place of the version that has the present code, if the service had another code in between. */
function restoredFrom(versions: readonly number[]): number {
  const present = versions.at(-1);
  const last = versions.findLastIndex((code) => code !== present);
  return present === undefined || last < 0 ? -1 : versions.lastIndexOf(present, last);
}

/** This side went on, and perhaps both did. The one that has the other's change is newer. */
async function compareContents(
  { here, known, read }: TwoHistories,
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
