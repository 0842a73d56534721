import { grouped } from '../../lib/grouped.ts';
import { longestCode } from '../../lib/val-limits.ts';
import { linesOf } from './lines.ts';

/** A line that more files have says nothing of where a file came from, and comparing these files would take long. */
const mostFilesWithLine = 50;

/** Two codes are similar if they share half of the lines of the longer one. */
const leastShare = 0.5;

export interface SimilarityIndex {
  /** The files whose code is similar to one of the codes, the most similar file first. */
  similarTo(codes: readonly string[]): string[];
}

export function createSimilarityIndex(files: ReadonlyMap<string, string>): SimilarityIndex {
  const lines = new Map([...files].map(([file, code]) => [file, linesWithText(code)]));
  const lineAndFile = [...lines].flatMap(([file, own]) => [...new Set(own)].map((line) => ({ line, file })));
  const filesByLine = grouped(lineAndFile, ({ line }) => line);
  const filesSharing = (line: string): string[] => {
    const sharing = filesByLine.get(line) ?? [];
    return sharing.length > mostFilesWithLine ? [] : sharing.map(({ file }) => file);
  };
  return {
    similarTo(codes) {
      const shares = new Map<string, number>();
      for (const before of codes.map(linesWithText)) {
        for (const file of new Set(before.flatMap(filesSharing))) {
          const share = sharedPart(before, lines.get(file) ?? []);
          if (share >= leastShare) shares.set(file, Math.max(share, shares.get(file) ?? 0));
        }
      }
      return [...shares].sort(([, a], [, b]) => b - a).map(([file]) => file);
    },
  };
}

/** How much of the longer code both have in common, from 0 to 1. */
function sharedPart(before: readonly string[], after: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of after) left.set(line, (left.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of before) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    shared++;
  }
  return shared / Math.max(before.length, after.length);
}

/** Line ends do not count, because git may change them in a checkout. */
const linesWithText = (code: string): string[] =>
  code.length > longestCode
    ? []
    : linesOf(code)
        .map((line) => line.trimEnd())
        .filter((line) => line !== '');
