import { describe, expect, it } from 'vitest';
import { compare, type Status } from '../../src/workspace/compare.ts';

type Side = 'A' | 'B' | 'C' | undefined;

const cases: [base: Side, here: Side, there: Side, status: Status][] = [
  [undefined, undefined, undefined, 'missing here'],
  [undefined, undefined, 'A', 'missing here'],
  [undefined, 'A', undefined, 'new'],
  [undefined, 'A', 'A', 'unchanged'],
  [undefined, 'A', 'B', 'changed here'],
  ['A', undefined, undefined, 'deleted there'],
  ['A', undefined, 'A', 'missing here'],
  ['A', undefined, 'B', 'missing here'],
  ['A', 'A', undefined, 'deleted there'],
  ['A', 'B', undefined, 'deleted there'],
  ['A', 'A', 'A', 'unchanged'],
  ['A', 'A', 'B', 'changed there'],
  ['A', 'B', 'A', 'changed here'],
  ['A', 'B', 'B', 'unchanged'],
  ['A', 'B', 'C', 'conflict'],
];

describe('compare', () => {
  it.each(cases)('base %s, here %s, there %s: %s', (base, here, there, status) => {
    expect(compare(base, here, there)).toBe(status);
  });

  it('is tested with all combinations', () => {
    const sides: Side[] = [undefined, 'A', 'B', 'C'];
    const shape = (letters: Side[]) => {
      const seen: Side[] = [];
      return letters
        .map((letter) => {
          if (letter === undefined) return '-';
          if (!seen.includes(letter)) seen.push(letter);
          return seen.indexOf(letter);
        })
        .join('');
    };
    const all = sides.flatMap((a) => sides.flatMap((b) => sides.map((c) => shape([a, b, c]))));
    expect(new Set(cases.map(([a, b, c]) => shape([a, b, c])))).toEqual(new Set(all));
  });
});
