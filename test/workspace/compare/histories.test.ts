import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Order, orderOf } from '../../../src/workspace/compare/histories.ts';
import { oneLineRows } from '../histories-rows.ts';

/** With the record of a folder. A code that both sides changed is a conflict. */
const rowsOfRecords: typeof oneLineRows = [
  ['no common code', 'a', 'b', 'conflict'],
  ['edited since a push that was not committed', 'ab', 'abc', 'changed here'],
  ['somebody pushed since, the file is as it was pushed', 'abd', 'ab', 'changed there'],
  ['somebody pushed since, and the file was edited', 'abd', 'abc', 'conflict'],
  ['pushed and stashed', 'ab', 'a', 'changed there'],
  ['committed, pushed something else, stashed', 'cb', 'ca', 'conflict'],
  ['git went to a and back to b, the service to c', 'bac', 'bab', 'conflict'],
  ['the service was restored from a copy', 'ax', 'ac', 'conflict'],
];

const differing = oneLineRows.filter(([, , , status]) => status !== 'unchanged');

const numbers = (letters: string): number[] => [...letters].map((letter) => letter.charCodeAt(0));

/** One-line codes contain each other's changes never. */
function statusOf(order: Order): string {
  if (order.kind !== 'contents') return order.kind;
  return order.since.length === 0 ? 'changed here' : 'both';
}

test.each([...differing, ...rowsOfRecords])('%s: %s and %s is %s', (_name, versions, file, status, more) => {
  const isSetSince = more?.lastCommitIsLater === true && more.times !== false;
  const found = statusOf(orderOf({ versions: numbers(versions), file: numbers(file), isSetSince }));
  expect(found === 'both' ? 'conflict' : found).toBe(status);
});

test.each([
  ['restore, then a new commit of the file', 'aba', 'abc', 'b'],
  ['hotfix; the file was edited', 'ax', 'ab', 'a'],
  ['built on a version that was taken back', 'bab', 'bc', 'ba'],
  ['two commits deployed as one, taken back', 'dcd', 'da', 'dc'],
])('%s: the file has to have what changed since %s', (_name, versions, file, since) => {
  const order = orderOf({ versions: numbers(versions), file: numbers(file), isSetSince: false });
  expect(order).toMatchObject({ kind: 'contents', since: numbers(since) });
});

/**
 * Written from the sentence: both are laid beside each other, and the side that went on after the last code that they share
 * is newer. Tries all pairs of subsequences.
 */
function slowOrder(versions: number[], file: number[], isSetSince: boolean): string {
  const shared = pairings(versions, file);
  const longest = Math.max(...shared.map((pairs) => pairs.length));
  if (longest === 0) return 'conflict';
  const lasts = shared.filter((pairs) => pairs.length === longest).map((pairs) => pairs.at(-1));
  const present = versions.length - 1;
  const endsAtFile = lasts.some((last) => last?.[1] === file.length - 1);
  const endsAtPresent = lasts.some((last) => last?.[0] === present);
  if (endsAtFile) return endsAtPresent ? 'conflict' : 'changed there';
  const between = versions.slice(versions.indexOf(versions[present] ?? Number.NaN), present);
  if (between.includes(file.at(-1) ?? Number.NaN) && !isSetSince) return 'conflict';
  return lasts.every((last) => last?.[0] === present) ? 'changed here' : 'both';
}

/** All ways to pair equal codes of both, in the order of both. */
function pairings(one: number[], other: number[], i = 0, j = 0): [number, number][][] {
  if (i >= one.length || j >= other.length) return [[]];
  const found = pairings(one, other, i + 1, j);
  for (let k = j; k < other.length; k++) {
    if (one[i] !== other[k]) continue;
    for (const rest of pairings(one, other, i + 1, k + 1)) found.push([[i, k], ...rest]);
  }
  return found;
}

const withoutRepeats = (codes: number[]) => codes.filter((code, place) => code !== codes[place - 1]);
const history = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 7 }).map(withoutRepeats);

test('finds the same as a slow search that is written from the rule', () => {
  fc.assert(
    fc.property(history, history, fc.boolean(), (versions, file, isSetSince) => {
      fc.pre(versions.at(-1) !== file.at(-1));
      const order = orderOf({ versions, file, isSetSince });
      expect(statusOf(order)).toBe(slowOrder(versions, file, isSetSince));
    }),
    { numRuns: 3_000 },
  );
});
