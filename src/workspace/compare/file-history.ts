// What git brought to a file, the record among it, as numbers of codes.

import type { CodeNumbers } from './code-numbers.ts';
import type { Differing, GitKnowledge } from './git-knowledge.ts';

/** Oldest first. The last one is the file as it is now. Codes that no version has are left out. */
export function fileHistory(each: Differing, numbers: CodeNumbers, git: GitKnowledge): number[] {
  const here = numbers.of(each.here);
  const brought = broughtBy(each, git).map(({ blob, commit }) => ({
    code: numbers.ofBlob(blob),
    place: git.histories?.placeOf(commit) ?? 0,
  }));
  const place = placeOfRecord(each, git);
  const older = place === undefined ? [] : brought.filter((one) => one.place >= place);
  const isCounted = place !== undefined && older.every((one) => one.code !== here);
  const recorded = isCounted ? [numbers.ofBlob(each.record?.blob ?? '')] : [];
  const codes = brought.map((one) => one.code);
  const versions = new Set(each.known.map((version) => numbers.of(version.code)));
  const inOrder = [...codes.slice(0, older.length), ...recorded, ...codes.slice(older.length)];
  const shared = inOrder.flatMap((code) => (code !== undefined && versions.has(code) ? [code] : []));
  return [...shared, here];
}

const broughtBy = ({ file }: Differing, { histories }: GitKnowledge) => histories?.of(file).brought ?? [];

/**
 * Undefined if the record does not count. What was recorded before the first commit is older than all commits. If the history
 * was not read as far as the record's commit, it has the codes of all versions, so the record tells nothing more.
 */
function placeOfRecord({ record }: Differing, git: GitKnowledge): number | undefined {
  if (record === undefined) return undefined;
  if (record.commit === undefined) return Number.POSITIVE_INFINITY;
  return git.hasRepository ? git.histories?.placeOf(record.commit) : 0;
}

/** A commit that was written after the present version was made brought the file's code. */
export function isSetSince(each: Differing, numbers: CodeNumbers, git: GitKnowledge): boolean {
  const here = numbers.of(each.here);
  const madeAt = Date.parse(each.known.at(-1)?.madeAt ?? '');
  return broughtBy(each, git).some(
    ({ blob, writtenAt = 0 }) => numbers.ofBlob(blob) === here && writtenAt > madeAt,
  );
}
