import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Order, orderOf } from '../../../src/workspace/compare/histories.ts';

type Row = [name: string, versions: string, file: string, status: string, options?: { isSetSince: boolean }];

/** Letters are codes, oldest first. */
const rows: Row[] = [
  ['commit and deploy', 'a', 'ab', 'changed here'],
  ['several commits, one deploy', 'a', 'abc', 'changed here'],
  ['`git revert` of what is deployed', 'ab', 'aba', 'changed here'],
  ['revert of two commits, the first never deployed', 'ac', 'abca', 'changed here'],
  ['`version restore` on the service', 'aba', 'ab', 'changed there'],
  ['restore of two steps', 'abca', 'abc', 'changed there'],
  [
    'restore, revert by git, landed again after the restore',
    'aba',
    'abab',
    'changed here',
    { isSetSince: true },
  ],
  ['deployed, reverted and deployed, landed again', 'aba', 'abab', 'changed here', { isSetSince: true }],
  ['commit, revert, landed again, deployed once; then restored', 'aba', 'abab', 'conflict'],
  ['restore, then a new commit of the file', 'aba', 'abc', 'both'],
  ['restore, pulled into git, then a new commit', 'aba', 'abac', 'changed here'],
  ['restore, then a hotfix on it', 'abax', 'ab', 'changed there'],
  ['hotfix', 'ax', 'a', 'changed there'],
  ['hotfix; the file was edited', 'ax', 'ab', 'both'],
  ['built on a version that was taken back', 'bab', 'bc', 'both'],
  ['two commits deployed as one, taken back; a clone with the first', 'dcd', 'da', 'both'],
  ['the orders cross', 'dca', 'dac', 'conflict'],
  ['hotfix pulled, then edited', 'ax', 'axb', 'changed here'],
  ['an old checkout was forced over c', 'abcb', 'abc', 'changed there'],
  ['the repository is younger than the first version', 'abca', 'bc', 'changed there'],
  ['a branch was deployed and then abandoned', 'ab', 'a', 'changed there'],
  ['the first deploy of an old branch', 'abc', 'ab', 'changed there'],
  ['a flag goes on and off, and on again', 'abab', 'ababa', 'changed here', { isSetSince: true }],
  ['the same, and then the service is set back once', 'ababa', 'abab', 'changed there'],
  ['git went there and back more often than it was deployed', 'ab', 'ababa', 'changed here'],
  ['versions are only known from the middle on', 'ba', 'abab', 'changed here'],
  ['the val was made anew, with one version', 'a', 'ab', 'changed here'],
  ['no common code', 'a', 'b', 'conflict'],
  ['edited since a push that was not committed', 'ab', 'abc', 'changed here'],
  ['somebody pushed since, the file is as it was pushed', 'abd', 'ab', 'changed there'],
  ['somebody pushed since, and the file was edited', 'abd', 'abc', 'both'],
  ['pushed and stashed', 'ab', 'a', 'changed there'],
  ['committed, pushed something else, stashed', 'cb', 'ca', 'both'],
  ['git went to a and back to b, the service to c', 'bac', 'bab', 'both'],
  ['the service was restored from a copy', 'ax', 'ac', 'both'],
];

const numbers = (letters: string): number[] => [...letters].map((letter) => letter.charCodeAt(0));

/** One-line codes contain each other's changes never. */
function statusOf(order: Order): string {
  if (order.kind !== 'contents') return order.kind;
  return order.since.length === 0 ? 'changed here' : 'both';
}

test.each(rows)('%s: %s and %s is %s', (_name, versions, file, status, options = { isSetSince: false }) => {
  expect(statusOf(orderOf({ versions: numbers(versions), file: numbers(file), ...options }))).toBe(status);
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
