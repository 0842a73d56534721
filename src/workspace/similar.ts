import { longestCode } from '../lib/val-limits.ts';
import { linesOf } from './text/lines.ts';

interface File {
  file: string;
  code: string | undefined;
}

export interface LikelyRename {
  from: string;
  to: string;
}

export const renameHint = ({ from, to }: LikelyRename): string =>
  `${from} is missing, and the new file ${to} has similar code. If you renamed the file, replace ${from} with ${to} in vals.json, and its val stays. Otherwise a push makes a second val.`;

/** Comparing more files would make the user wait for a hint. */
export const mostPairs = 2_500;

export function likelyRenames(missing: readonly File[], fresh: readonly File[]): LikelyRename[] {
  if (missing.length * fresh.length > mostPairs) return [];
  const before = missing.map(({ file, code }) => ({ file, lines: linesWithText(code) }));
  const after = fresh.map(({ file, code }) => ({ file, lines: linesWithText(code) }));
  const pairs = before.flatMap((old) =>
    after.filter((now) => areSimilar(old.lines, now.lines)).map((now) => ({ from: old.file, to: now.file })),
  );
  return pairs.filter(
    ({ from, to }) => pairs.filter((pair) => pair.from === from || pair.to === to).length === 1,
  );
}

function areSimilar(before: readonly string[], after: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const line of after) left.set(line, (left.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of before) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    shared++;
  }
  return shared > 0 && shared * 2 >= Math.max(before.length, after.length);
}

const linesWithText = (code = ''): string[] =>
  code.length > longestCode ? [] : linesOf(code).filter((line) => line.trim() !== '');
