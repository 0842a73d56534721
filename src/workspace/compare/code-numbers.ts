// Gives equal codes equal numbers, whether their texts or only their ids are known.
import { type Code, idsOf } from '../code.ts';
import type { ValVersion } from './types.ts';

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
    const all = [...idsOf(code), ...(isLong ? idsOf(code, 'sha256') : [])];
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
