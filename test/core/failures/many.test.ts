import { expect, it } from 'vitest';
import { AuthError, LocalError, RefusedError, UnknownOutcomeError } from '../../../src/core/errors.ts';
import { runBatch } from '../../../src/core/failures/batch.ts';
import { summarizeFailures } from '../../../src/core/failures/many.ts';

const pushed = { verb: 'pushed', things: 'vals' };

const refused = (label: string, message: string, facts: object = {}) => ({
  label,
  error: new RefusedError(message, facts),
});

const five = ['a', 'b', 'c', 'd', 'e'].map((label) =>
  refused(label, `${label} is not UTF-8.`, { ofMany: 'Each is not UTF-8.' }),
);
const alike = ['a.ts', 'b.ts'].map((label) => refused(label, 'The service refused: not now.'));
const missing = ['a', 'b'].map((name) =>
  refused(name, `There is no val named ${name}.`, { ofMany: 'There is no val with that name.' }),
);
const unknown = { label: 'a.ts', error: new UnknownOutcomeError('The connection was lost.') };

it.each([
  ['1 of 3 vals was not pushed (a.ts). It was refused.', [refused('a.ts', 'It was refused.')], 3, 2],
  ['5 of 6 vals were not pushed (a, b, c and 2 more). Each is not UTF-8.', five, 6, 0],
  ['None of the 2 vals was pushed (a.ts and b.ts). The service refused: not now.', alike, 2, 0],
  ['2 of 3 vals were not pushed (a and b). There is no val with that name.', missing, 3, 1],
  ['1 of 3 vals may not have been pushed (a.ts). The connection was lost.', [unknown], 3, 2],
])('the summary of failures is: %s', (message, failures, total, done) => {
  const { error, warnings } = summarizeFailures(failures, { ...pushed, total, done });
  expect(error).toMatchObject({ exit: done === 0 ? 6 : 9, message });
  expect(warnings).toEqual([]);
});

it('failures of several reasons name all that failed', () => {
  const failures = [refused('a.ts', 'Too long.'), refused('b.ts', 'Too long.'), refused('c.ts', 'Empty.')];
  const { error, warnings } = summarizeFailures(failures, { ...pushed, total: 3, done: 0 });
  expect(error?.message).toBe('None of the 3 vals was pushed (a.ts, b.ts and c.ts).');
  expect(warnings).toEqual([['a.ts and b.ts: Too long.'], ['c.ts: Empty.']]);
});

it.each([
  [
    new AuthError('The token was refused.', { scope: 'all' }),
    'The token was refused. 2 others were not tried.',
  ],
  [
    new LocalError('No room.', { cause: Object.assign(new Error('no space left'), { code: 'ENOSPC' }) }),
    'No room. 2 others were not tried.',
  ],
  [new TypeError('no such thing'), 'Unexpected: no such thing 2 others were not tried.'],
])('a batch stops after %s, and counts what was not tried', async (failure, message) => {
  const tasks = ['done.ts', 'a.ts', 'b.ts', 'c.ts'].map((file) => ({
    ...{ row: { file }, label: file },
    run: () =>
      file === 'done.ts' ? Promise.resolve({ status: 'pushed' as const }) : Promise.reject(failure),
  }));
  const { signal } = new AbortController();
  const { rows, error } = await runBatch(tasks, { ...pushed, concurrency: 1, signal, say() {} });
  expect(error).toMatchObject({ exit: 9, message: expect.stringContaining(message) });
  expect(rows.map(({ status }) => status).join(' ')).toBe('pushed failed skipped skipped');
});
