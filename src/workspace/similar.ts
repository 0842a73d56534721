import { longestCode } from '../lib/val-limits.ts';
import { linesOf } from './text/lines.ts';

interface File {
  file: string;
  read(): string;
}

const mostPairs = 2_500;
const mostCharacters = 20_000_000;

export interface LikelyRename {
  from: string;
  to: string;
}

export const renameHint = ({ from, to }: LikelyRename): string =>
  `${from} is missing, and the new file ${to} has similar code. If you renamed the file, replace ${from} with ${to} in vals.json, and its val stays. Otherwise a push makes a second val.`;

export function likelyRenames(missing: readonly File[], fresh: readonly File[]): LikelyRename[] {
  const pairCount = missing.length * fresh.length;
  if (pairCount === 0 || pairCount > mostPairs) return [];
  let charactersLeft = mostCharacters;
  const readAll = (files: readonly File[], comparisons: number) => {
    const codes: { file: string; code: string }[] = [];
    for (const { file, read } of files) {
      const code = read();
      charactersLeft -= code.length * comparisons;
      // A longer comparison would make the user wait for a hint.
      if (charactersLeft < 0) return [];
      codes.push({ file, code });
    }
    return codes;
  };
  const oldCodes = readAll(missing, fresh.length);
  const newCodes = readAll(fresh, missing.length);
  const pairs = oldCodes.flatMap((old) =>
    newCodes.filter((now) => isSimilar(old.code, now.code)).map((now) => ({ from: old.file, to: now.file })),
  );
  return pairs.filter(
    ({ from, to }) => pairs.filter((pair) => pair.from === from || pair.to === to).length === 1,
  );
}

function isSimilar(before: string, after: string): boolean {
  if (Math.max(before.length, after.length) > longestCode) return false;
  const old = linesWithText(before);
  const now = linesWithText(after);
  const left = new Map<string, number>();
  for (const line of now) left.set(line, (left.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of old) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    shared++;
  }
  return shared > 0 && shared * 2 >= Math.max(old.length, now.length);
}

const linesWithText = (code: string): string[] => linesOf(code).filter((line) => line.trim() !== '');
