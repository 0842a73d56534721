import { once } from 'node:events';
import { expect, it } from 'vitest';
import { runBatch } from '../../src/cli/batch.ts';
import { summarizeFailures, summarizeRemarks } from '../../src/cli/failures.ts';
import { RefusedError } from '../../src/errors.ts';

const failures = (labels: string[], message: (label: string) => string, hint: string) =>
  labels.map((label) => ({ label, error: new RefusedError(message(label), { hint }) }));

const pushed = { verb: 'pushed', things: 'vals' };

it('a single failure among successes is reported once', () => {
  const { error, warnings } = summarizeFailures(
    failures(['a.ts'], () => 'It was refused.', 'Change it.'),
    { ...pushed, total: 3, done: 2 },
  );
  expect(warnings).toEqual([]);
  expect(error).toMatchObject({
    exit: 9,
    message: '1 of 3 vals was not pushed (a.ts). It was refused.',
    facts: { hint: [{ text: 'Change it.' }] },
  });
});

it.each([
  { total: 6, says: '5 of 6 vals were not pushed: a, b, c and 2 more are not UTF-8.' },
  { total: 5, says: 'None of the 5 vals was pushed: a, b, c and 2 more are not UTF-8.' },
])('five equal failures of $total: the first three are named', ({ total, says }) => {
  const problem = { one: 'is not UTF-8', many: 'are not UTF-8' };
  const alike = ['a', 'b', 'c', 'd', 'e'].map((label) => ({
    label,
    error: new RefusedError(`${label} is not UTF-8.`, { problem }),
  }));
  expect(summarizeFailures(alike, { ...pushed, total, done: 0 }).error?.message).toBe(says);
});

it('equal messages without a subject are said once, with the labels', () => {
  const alike = failures(['re', 'no'], () => 'The service refused: not now.', 'Change it.');
  const { error } = summarizeFailures(alike, { verb: 'deleted', things: 'versions', total: 2, done: 0 });
  expect(error?.message).toBe(
    'None of the 2 versions was deleted (re and no). The service refused: not now.',
  );
});

it('remarks about several files are one sentence', () => {
  const problem = { one: 'is gone', many: 'are gone' };
  const remarks = ['notes --force.ts', 'b.ts'].map((subject) => ({
    remark: { subject, problem },
    hints: [{ text: 'To restore it', command: 'pull', input: { vals: [subject] } }],
  }));
  expect(summarizeRemarks(remarks)).toEqual([
    [
      'notes --force.ts and b.ts are gone.',
      { text: 'To restore it', command: 'pull', input: { vals: ['notes --force.ts', 'b.ts'] } },
    ],
  ]);
});

it('the summary of many errors is made from their subjects and problems', () => {
  const problem = { one: 'is not yours', many: 'are not yours' };
  const alike = ['notes --force.ts', 'b.ts'].map((subject) => ({
    label: 'another name',
    error: new RefusedError(`${subject} is not yours. Nothing was sent.`, { subject, problem }),
  }));
  const { error } = summarizeFailures(alike, { ...pushed, total: 3, done: 0 });
  expect(error?.message).toBe('2 of 3 vals were not pushed: notes --force.ts and b.ts are not yours.');
});

const forced = (subjects: readonly string[]) =>
  subjects.map((subject) => {
    const hint = { text: 'To overwrite it', command: 'push', input: { paths: [subject], force: true } };
    return { label: subject, error: new RefusedError('No.', { subject, problem: 'changed', hint }) };
  });

it.each([
  [
    ['a.ts', 'b c.ts'],
    ['a.ts', 'b c.ts'],
  ],
  // Without a path, `vals push --force` would apply to all vals.
  [['a.ts', 'b.ts', 'c.ts', 'd.ts'], true],
])('the hint for %j has the paths %j', (subjects, paths) => {
  const { error } = summarizeFailures(forced(subjects), { ...pushed, total: 9, done: 0 });
  expect(error?.facts.hint).toEqual([
    { text: 'To overwrite it', command: 'push', input: { paths, force: true } },
  ]);
});

it('a hint with an own value for each file gets placeholders, because one command cannot serve them all', () => {
  const alike = ['a-b.ts', 'c-d.ts'].map((subject) => {
    const input = { paths: [subject], name: subject.slice(0, 1) };
    const hint = { text: 'To use a valid name', command: 'push', input };
    return { label: subject, error: new RefusedError('No.', { problem: 'has a bad name', hint }) };
  });
  const { error } = summarizeFailures(alike, { ...pushed, total: 2, done: 0 });
  expect(error?.facts.hint).toMatchObject([{ input: { paths: true, name: true } }]);
});

it('errors with different hints are reported apart', () => {
  const other = new RefusedError('No.', { subject: 'b.ts', problem: 'changed', hint: 'Wait.' });
  const { error, warnings } = summarizeFailures([...forced(['a.ts']), { label: 'b.ts', error: other }], {
    ...pushed,
    total: 2,
    done: 0,
  });
  expect(warnings).toHaveLength(2);
  // With --json, the reasons are in the outcomes on stdout, and no warnings are shown.
  expect(error?.facts.hint).toBe('The output above gives the reason and the next step of each failure.');
});

it('failures are named in the order of the items, not in the order of time', async () => {
  const secondFailed = new AbortController();
  const { error } = await runBatch(['a.ts', 'b.ts'], {
    describe: (file) => ({ file }),
    async work(file) {
      if (file === 'a.ts') await once(secondFailed.signal, 'abort');
      throw new RefusedError('No.', { subject: file, problem: 'changed on the service' });
    },
    onFailure: () => secondFailed.abort(),
    concurrency: 2,
    signal: new AbortController().signal,
    report: { label: (file) => file, verb: 'pushed', things: 'vals', say: { warn() {}, warnInText() {} } },
  });
  expect(error?.message).toContain('a.ts and b.ts changed');
});

it('a defect stops the batch, and the outcomes so far are still reported', async () => {
  const { rows, error } = await runBatch(['a.ts', 'b.ts', 'c.ts'], {
    describe: (file) => ({ file }),
    async work(file) {
      if (file === 'b.ts') throw new TypeError('no such thing');
      return { status: 'pushed' };
    },
    concurrency: 1,
    signal: new AbortController().signal,
    report: { label: (file) => file, verb: 'pushed', things: 'vals', say: { warn() {}, warnInText() {} } },
  });
  expect(rows.map(({ status }) => status)).toEqual(['pushed', 'failed', 'skipped']);
  expect(error).toMatchObject({ exit: 9, message: expect.stringContaining('Unexpected: no such thing') });
});
