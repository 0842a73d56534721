// What is said of failures that are alike, and of one alone.
import { expect, it } from 'vitest';
import { summarizeFailures } from '../../src/cli/failures.ts';
import { RefusedError } from '../../src/errors.ts';

const failures = (labels: string[], message: (label: string) => string, hint: string) =>
  labels.map((label) => ({ label, error: new RefusedError(message(label), { hint }) }));

it('says a lone failure once, with what was done beside it', () => {
  const { error, warnings } = summarizeFailures(
    failures(['a.ts'], () => 'It was refused.', 'Change it.'),
    {
      total: 3,
      done: 2,
    },
  );
  expect(warnings).toEqual([]);
  expect(error).toMatchObject({
    exit: 9,
    message: '1 of 3 failed, 2 done: a.ts: It was refused.',
    facts: { hint: 'Change it.' },
  });
});

it('names several things with a plural verb, and the first three of many', () => {
  const { error } = summarizeFailures(
    failures(['a', 'b', 'c', 'd', 'e'], (label) => `${label} is not UTF-8.`, ''),
    { total: 5, done: 0 },
  );
  expect(error?.message).toBe('5 of 5 failed: a, b, c and 2 more are not UTF-8.');
});

it('takes names out of what is alike, and leaves words that begin like one', () => {
  const alike = failures(['re', 'no'], (label) => `The service refused ${label}: not now.`, 'Change it.');
  const { error } = summarizeFailures(alike, { total: 2, done: 0 });
  expect(error?.message).toBe('2 of 2 failed: re and no: The service refused: not now.');
});
