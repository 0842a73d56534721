import { longestCode } from '../lib/val-limits.ts';
import { linesOf } from './text/lines.ts';

interface MissingFile {
  file: string;
  /** The code of the record and the code on the service. A fresh checkout has no record, and a record may be old. */
  codes: readonly (string | undefined)[];
}

interface NewFile {
  file: string;
  /** Called only if there are few enough files to compare. */
  read(): string | undefined;
}

export interface LikelyRename {
  from: string;
  to: string;
}

export const renameHint = ({ from, to }: LikelyRename): string =>
  `${from} is missing, and the new file ${to} has similar code. If you renamed the file, replace ${from} with ${to} in vals.json, and its val stays. Otherwise a push makes a second val.`;

/** Comparing more files would make the user wait for a hint. */
export const mostPairs = 2_500;

export function likelyRenames(missing: readonly MissingFile[], fresh: readonly NewFile[]): LikelyRename[] {
  const pairCount = missing.length * fresh.length;
  if (pairCount === 0 || pairCount > mostPairs) return [];
  const before = missing.map(({ file, codes }) => ({ file, versions: codes.map(linesWithText) }));
  const after = fresh.map(({ file, read }) => ({ file, lines: linesWithText(read()) }));
  const pairs = before.flatMap(({ file, versions }) =>
    after
      .filter(({ lines }) => versions.some((version) => areSimilar(version, lines)))
      .map((now) => ({ from: file, to: now.file })),
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
