import { longestCode } from '../../lib/val-limits.ts';
import { linesOf } from './lines.ts';

/** A line that more files have says nothing of where a file came from, and comparing these files would take long. */
const mostFilesWithLine = 50;

export interface SimilarityIndex {
  /** The files with similar code. */
  similarTo(code: string): string[];
}

/** Two codes are similar if they share half of the lines of the longer one. */
export function createSimilarityIndex(files: ReadonlyMap<string, string>): SimilarityIndex {
  const lines = new Map([...files].map(([file, code]) => [file, linesWithText(code)]));
  const filesByLine = new Map<string, string[]>();
  for (const [file, own] of lines) {
    for (const line of new Set(own)) {
      const others = filesByLine.get(line);
      if (others === undefined) filesByLine.set(line, [file]);
      else others.push(file);
    }
  }
  return {
    similarTo(code) {
      const before = linesWithText(code);
      const candidates = new Set(
        before.flatMap((line) => {
          const sharing = filesByLine.get(line) ?? [];
          return sharing.length > mostFilesWithLine ? [] : sharing;
        }),
      );
      return [...candidates].filter((file) => areSimilar(before, lines.get(file) ?? []));
    },
  };
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

/** Line ends do not count, because git may change them in a checkout. */
const linesWithText = (code: string): string[] =>
  code.length > longestCode
    ? []
    : linesOf(code)
        .map((line) => line.trimEnd())
        .filter((line) => line !== '');
