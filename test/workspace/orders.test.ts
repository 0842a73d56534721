import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Order, orderOf } from '../../src/workspace/compare/histories.ts';

/** One-line codes contain each other's changes never. */
function statusOf(order: Order): string {
  if (order.kind !== 'contents') return order.kind;
  return order.since.length === 0 ? 'changed here' : 'both';
}

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
