import { asValsError, InterruptedError, type ValsError } from '../errors.ts';
import { mostRequests } from '../http/request/limiter.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Say } from '../output/out.ts';
import type { Outcome, OutcomeRow, OutcomeStatus } from '../output/outcome.ts';
import type { Rows } from '../output/result.ts';
import { type Counts, summarizeFailures } from './failures.ts';

/** One of several things that a command does. */
export interface Task extends Named {
  /** Returns undefined if it was not tried. */
  run(): Promise<Outcome | undefined>;
}

interface Named {
  /** What its row begins with, such as its file and its name. */
  row: JsonObject;
  /** What messages call it. */
  label: string;
  /** What a failure says was not done to it, if that is not the verb of the batch. */
  verb?: string | undefined;
}

export interface BatchOptions extends Wording {
  concurrency: number | 'auto';
  signal: AbortSignal;
  /** For example "Pushing", for "Pushing 3 of 10 vals". */
  progress?: string;
}

/** What the messages of a batch are made of. */
export interface Wording extends Pick<Counts, 'verb' | 'things' | 'consequence'> {
  say: Say;
}

type TaskResult =
  | { kind: 'done'; outcome: Outcome }
  | { kind: 'failed'; error: ValsError }
  | { kind: 'not tried' };

/**
 * Does all tasks, and returns their rows in the order of the tasks. A failure does not stop the others, unless its scope
 * is `all`. What was not tried is `skipped`, and the error counts it.
 */
export async function runBatch(tasks: readonly Task[], options: BatchOptions): Promise<Rows> {
  const results = await runTasks(tasks, options);
  const rows = tasks.map((task, index) => rowOf(task, results[index]));
  const error = interruption(rows, results, options) ?? failureOf(tasks, results, options);
  return { kind: 'list', rows, error };
}

/** For a batch that is not begun, because some of its tasks would fail with these errors. */
export function refuseBatch(
  tasks: readonly (Named & { error: ValsError | undefined })[],
  wording: Wording,
): Rows {
  const results = tasks.map(
    ({ error }): TaskResult =>
      error === undefined ? { kind: 'done', outcome: { status: 'skipped' } } : { kind: 'failed', error },
  );
  const rows = tasks.map((task, index) => rowOf(task, results[index]));
  return { kind: 'list', rows, error: failureOf(tasks, results, wording) };
}

async function runTasks(tasks: readonly Task[], options: BatchOptions): Promise<TaskResult[]> {
  const { signal, say, progress, things } = options;
  const results = tasks.map((): TaskResult => ({ kind: 'not tried' }));
  let finished = 0;
  let isStopped = false;
  const showProgress = () => {
    if (progress !== undefined)
      say({ kind: 'progress', text: `${progress} ${finished} of ${tasks.length} ${things}` });
  };
  showProgress();
  await forEach(tasks, options.concurrency, async (task, index) => {
    if (isStopped || signal.aborted) return;
    const result = await resultOf(task, signal);
    if (result.kind === 'failed') isStopped ||= result.error.scope === 'all';
    results[index] = result;
    finished += 1;
    showProgress();
  });
  return results;
}

async function resultOf(task: Task, signal: AbortSignal): Promise<TaskResult> {
  try {
    const outcome = await task.run();
    return outcome === undefined ? { kind: 'not tried' } : { kind: 'done', outcome };
  } catch (caught) {
    if (caught === signal.reason) return { kind: 'not tried' };
    // Even a bug of this program counts as a failure of this task, so that the outcomes of the others are shown.
    return { kind: 'failed', error: asValsError(caught) };
  }
}

function rowOf({ row }: Named, result: TaskResult | undefined): OutcomeRow {
  switch (result?.kind) {
    case 'done':
      return { ...row, ...result.outcome };
    case 'failed':
      return { ...row, status: 'failed', error: result.error };
    default:
      return { ...row, status: 'skipped' };
  }
}

const notFinished: ReadonlySet<unknown> = new Set<OutcomeStatus>(['failed', 'skipped']);
const nothingDone: ReadonlySet<unknown> = new Set([...notFinished, 'unchanged', 'behind', 'kept']);

const isChange = ({ status }: OutcomeRow): boolean => !nothingDone.has(status);

function interruption(
  rows: readonly OutcomeRow[],
  results: readonly TaskResult[],
  { signal, verb, things }: BatchOptions,
): InterruptedError | undefined {
  const { reason } = signal;
  if (!(reason instanceof InterruptedError) || rows.every(({ status }) => !notFinished.has(status)))
    return undefined;
  const done = rows.filter(isChange).map(({ status }) => status);
  const unknown = results.filter(
    (result) => result.kind === 'failed' && result.error instanceof InterruptedError,
  ).length;
  const were = (count: number) => (count === 1 ? 'was' : 'were');
  const what = [...new Set(done)].join(' or ') || verb;
  const counts = `Interrupted: ${done.length} of ${rows.length} ${things} ${were(done.length)} ${what}.`;
  const doubt = unknown > 0 ? ` It is not known whether ${unknown} other ${were(unknown)} changed too.` : '';
  const message =
    unknown > 0 && rows.length === 1
      ? `Interrupted. It is not known whether the val was ${verb}.`
      : counts + doubt;
  return new InterruptedError(reason.exit, message, { hint: 'To finish, run the command again.' });
}

function failureOf(
  tasks: readonly Named[],
  results: readonly TaskResult[],
  { say, verb, things, consequence }: Wording,
): ValsError | undefined {
  const failures = tasks.flatMap((task, index) => {
    const result = results[index];
    return result?.kind === 'failed'
      ? { label: task.label, error: result.error, verb: task.verb ?? verb }
      : [];
  });
  const { error, warnings } = summarizeFailures(failures, {
    total: tasks.length,
    done: results.filter((result) => result.kind === 'done' && isChange(result.outcome)).length,
    notTried: results.filter(({ kind }) => kind === 'not tried').length,
    verb,
    things,
    consequence,
  });
  for (const warning of warnings) say({ kind: 'warning', text: warning, onlyInText: true });
  return error;
}

export async function forEach<Item>(
  items: readonly Item[],
  concurrency: number | 'auto',
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const workers = concurrency === 'auto' ? mostRequests : concurrency;
  const worker = async () => {
    for (const [index, item] of queue) {
      await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, worker));
}
