// What git brought to a file, the record among it, as numbers of codes.
import type { BroughtCode } from '../git/file-histories.ts';
import type { CodeNumbers } from './code-numbers.ts';
import type { Differing } from './git-knowledge.ts';

/** Oldest first. The last one is the file as it is now. Codes that no version has are left out. */
export function fileHistory(
  { here, known }: Differing,
  numbers: CodeNumbers,
  brought: readonly BroughtCode[],
): number[] {
  const own = numbers.of(here);
  const codes = brought.map(({ blob }) => numbers.ofBlob(blob));
  const versions = new Set(known.map((version) => numbers.of(version.code)));
  const shared = codes.filter((code, place): code is number => {
    // A record is left out if the file is as a commit before it.
    if (brought[place]?.isRecord && codes.slice(0, place).includes(own)) return false;
    return code !== undefined && versions.has(code);
  });
  return [...shared, own];
}

/** A commit that was written after the present version was made brought the file's code. */
export function isSetSince(
  { here, known }: Differing,
  numbers: CodeNumbers,
  brought: readonly BroughtCode[],
): boolean {
  const own = numbers.of(here);
  const madeAt = Date.parse(known.at(-1)?.madeAt ?? '');
  return brought.some(({ blob, writtenAt = 0 }) => numbers.ofBlob(blob) === own && writtenAt > madeAt);
}
