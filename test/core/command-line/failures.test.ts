import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type BatchOptions, runBatch, type Task } from '../../../src/core/command-line/batch.ts';
import { summarizeFailures, summarizeRemarks } from '../../../src/core/command-line/failures.ts';
import {
  AuthError,
  InterruptedError,
  LocalError,
  RefusedError,
  UnknownOutcomeError,
} from '../../../src/core/errors.ts';
import { sh } from '../../../src/core/lib/hint.ts';
import type { Rows } from '../../../src/core/output/result.ts';

const pushed = { verb: 'pushed', things: 'vals' };

const refused = (label: string, message: string, facts: object = {}) => ({
  label,
  error: new RefusedError(message, facts),
});

describe('the summary of failures', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((label) =>
    refused(label, `${label} is not UTF-8.`, { subject: label }),
  );
  const alike = ['a.ts', 'b.ts'].map((label) => refused(label, 'The service refused: not now.'));
  const files = ['notes --force.ts', 'b.ts'].map((subject) =>
    refused('another name', `${subject} is not UTF-8. Nothing was sent.`, { subject }),
  );

  const unknown = { label: 'a.ts', error: new UnknownOutcomeError('The connection was lost.') };

  it.each([
    ['1 of 3 vals was not pushed (a.ts). It was refused.', [refused('a.ts', 'It was refused.')], 3, 2],
    ['5 of 6 vals were not pushed: a, b, c and 2 more are not UTF-8.', five, 6, 0],
    ['None of the 5 vals was pushed: a, b, c and 2 more are not UTF-8.', five, 5, 0],
    ['None of the 2 vals was pushed (a.ts and b.ts). The service refused: not now.', alike, 2, 0],
    ['2 of 3 vals were not pushed: notes --force.ts and b.ts are not UTF-8.', files, 3, 0],
    ['1 of 3 vals may not have been pushed (a.ts). The connection was lost.', [unknown], 3, 2],
  ])('is: %s', (message, failures, total, done) => {
    const { error, warnings } = summarizeFailures(failures, { ...pushed, total, done });
    expect(error).toMatchObject({ exit: done === 0 ? 6 : 9, message });
    expect(warnings).toEqual([]);
  });

  it('has a warning for each kind of failure if there are several', () => {
    const failures = [
      refused('a.ts', 'a.ts changed.', { subject: 'a.ts' }),
      refused('b.ts', 'b.ts is gone.', { subject: 'b.ts', hint: 'Wait.' }),
    ];
    const { error, warnings } = summarizeFailures(failures, { ...pushed, total: 2, done: 0 });
    expect(warnings).toHaveLength(2);
    // With --json, the reasons are in the outcomes, and no warnings are shown.
    expect(error?.facts.hint).toBe('The output above gives the reason and the next step of each failure.');
  });

  const missing = ['a', 'b'].map((subject) =>
    refused(subject, `There is no val named ${subject}.`, { subject, hint: 'List your vals.' }),
  );

  it('keeps a sentence in which the name stands last', () => {
    const { error } = summarizeFailures(missing, { ...pushed, total: 3, done: 1 });
    expect(error?.message).toBe('2 of 3 vals were not pushed: There is no val named a and b.');
    expect(error?.facts.hint).toEqual(['List your vals.']);
  });

  it('says of which file the commands of a hint are', () => {
    const failures = ['a.ts', 'b.ts'].map((subject) =>
      refused(subject, `${subject} changed.`, { subject, hint: sh`Run ${['push', subject, '--force']}.` }),
    );
    const { error } = summarizeFailures(failures, { ...pushed, total: 9, done: 0 });
    expect(error?.facts.hint).toEqual(['For a.ts:', sh`Run ${['push', 'a.ts', '--force']}.`]);
  });
});

it('remarks about several files are one sentence', () => {
  const remarks = ['notes --force.ts', 'b.ts'].map((label) => ({
    ...{ label, message: `${label} is not UTF-8.`, namesThing: true },
    hints: ['Save them as UTF-8.'],
  }));
  expect(summarizeRemarks(remarks)).toEqual([
    ['notes --force.ts and b.ts are not UTF-8.', 'Save them as UTF-8.'],
  ]);
});

describe('a batch', () => {
  const options = (concurrency = 1, signal = new AbortController().signal): BatchOptions => ({
    ...pushed,
    concurrency,
    signal,
    say() {},
  });
  const tasks = (files: string[], run: (file: string) => Promise<never>): Task[] =>
    files.map((file) => ({
      row: { file },
      label: file,
      run: () => (file === 'done.ts' ? Promise.resolve({ status: 'pushed' }) : run(file)),
    }));
  const statuses = ({ rows }: Rows) => rows.map(({ status }) => status);

  it('names failures in the order of the tasks, not in the order of time', async () => {
    const secondFails = new AbortController();
    const two = tasks(['a.ts', 'b.ts'], async (file) => {
      if (file === 'a.ts') await once(secondFails.signal, 'abort');
      secondFails.abort();
      throw new RefusedError(`${file} changed on the service.`, { subject: file });
    });
    const { error } = await runBatch(two, options(2));
    expect(error?.message).toContain('a.ts and b.ts changed');
  });

  it.each([
    [['a.ts'], 'Interrupted while the request was under way.'],
    [
      ['done.ts', 'a.ts', 'b.ts'],
      'Interrupted: 1 of 3 vals was pushed. It is not known whether 1 other was pushed, too.',
    ],
  ])('of %j that is interrupted: %s', async (files, message) => {
    const interrupt = new AbortController();
    const interrupted = tasks(files, async () => {
      interrupt.abort(new InterruptedError(130));
      throw new InterruptedError(130, 'Interrupted while the request was under way.');
    });
    const { error } = await runBatch(interrupted, options(1, interrupt.signal));
    expect(error).toMatchObject({ exit: 130, message });
  });

  const refusedToken = new AuthError('The token was refused.', { scope: 'all' });

  it('counts a task that was not tried because of what was known before', async () => {
    const [first] = tasks(['a.ts'], () => Promise.reject(refusedToken));
    const left: Task = { row: { file: 'b.ts' }, label: 'b.ts', run: async () => undefined };
    const result = await runBatch(first === undefined ? [] : [left, first], options());
    expect(statuses(result)).toEqual(['skipped', 'failed']);
    expect(result.error?.message).toBe('The token was refused. 1 other was not tried.');
  });

  const diskFull = new LocalError('No room.', {
    cause: Object.assign(new Error('no space left'), { code: 'ENOSPC' }),
  });
  it.each([
    [refusedToken, 4, 'The token was refused. 3 others were not tried.', ['a.ts', 'b.ts', 'c.ts', 'd.ts']],
    [
      refusedToken,
      9,
      '3 of 4 vals were not pushed (a.ts). The token was refused. 2 others were not tried.',
      ['done.ts', 'a.ts', 'b.ts', 'c.ts'],
    ],
    [
      diskFull,
      9,
      '2 of 3 vals were not pushed (a.ts). No room. 1 other was not tried.',
      ['done.ts', 'a.ts', 'b.ts'],
    ],
    [new TypeError('no such thing'), 9, 'Unexpected: no such thing 1 other was', ['done.ts', 'b.ts', 'c.ts']],
  ])('stops after %s, and counts what was not tried', async (failure, exit, message, files) => {
    const result = await runBatch(
      tasks(files, () => Promise.reject(failure)),
      options(),
    );
    expect(result.error).toMatchObject({ exit, message: expect.stringContaining(message) });
    expect(statuses(result).filter((status) => status === 'failed')).toHaveLength(1);
  });
});
