import { asValsError, InterruptedError, ValsError } from '../errors.ts';
import { forEach } from '../http/request/limiter.ts';
import type { JsonObject } from '../lib/json.ts';
import { countChanges, type Outcome, type OutcomeRow, type Rows, type Say } from '../output/out.ts';
import { type Counts, summarizeFailures } from './many.ts';

/** One of several things that a command does. */
export interface Task extends Named {
  /** There is nothing to do for it, so an interrupted command does not count it. */
  isIdle?: boolean;
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

/**
 * Does all tasks, and returns their rows in the order of the tasks. A failure does not stop the others, unless its scope
 * is `all`. What was not tried is `skipped`, and the error counts it.
 */
export async function runBatch(tasks: readonly Task[], options: BatchOptions): Promise<Rows> {
  const rows = await runTasks(tasks, options);
  return { kind: 'list', rows, error: interruption(tasks, rows, options) ?? failureOf(tasks, rows, options) };
}

/** For a batch that is not begun, because some of its tasks would fail with these errors. */
export function refuseBatch(
  tasks: readonly (Named & { failure: { reason?: string; error: ValsError } | undefined })[],
  wording: Wording,
): Rows {
  const rows = tasks.map(({ row, failure }) =>
    failure === undefined ? notTried({ row }) : { ...row, status: 'failed', ...failure },
  );
  return { kind: 'list', rows, error: failureOf(tasks, rows, wording) };
}

const notTried = ({ row }: Pick<Named, 'row'>): OutcomeRow => ({ ...row, status: 'skipped' });

async function runTasks(tasks: readonly Task[], options: BatchOptions): Promise<OutcomeRow[]> {
  const { signal, say, progress, things } = options;
  const rows = tasks.map(notTried);
  let finished = 0;
  let isStopped = false;
  const showProgress = () => {
    if (progress !== undefined)
      say({ kind: 'progress', text: `${progress} ${finished} of ${tasks.length} ${things}` });
  };
  showProgress();
  await forEach(tasks, options.concurrency, async (task, index) => {
    if (isStopped || signal.aborted) return;
    const row = await rowOf(task, signal);
    isStopped ||= row.error instanceof ValsError && row.error.scope === 'all';
    rows[index] = row;
    finished += 1;
    showProgress();
  });
  return rows;
}

async function rowOf(task: Task, signal: AbortSignal): Promise<OutcomeRow> {
  try {
    const outcome = await task.run();
    return outcome === undefined ? notTried(task) : { ...task.row, ...outcome };
  } catch (caught) {
    if (caught === signal.reason) return notTried(task);
    // Even a bug of this program counts as a failure of this task, so that the outcomes of the others are shown.
    return { ...task.row, status: 'failed', error: asValsError(caught) };
  }
}

/** What a plan would change counts, too. */
const countDone = (rows: readonly OutcomeRow[]): number =>
  countChanges(rows) + rows.filter(({ status }) => status === 'planned').length;

function interruption(
  tasks: readonly Task[],
  rows: readonly OutcomeRow[],
  { signal: { reason }, verb, things }: BatchOptions,
): InterruptedError | undefined {
  const isOpen = rows.some(({ status }) => status === 'failed' || status === 'skipped');
  if (!(reason instanceof InterruptedError) || !isOpen) return undefined;
  const [only, another] = rows;
  if (another === undefined && only?.error instanceof InterruptedError) return only.error;
  const were = (count: number) => (count === 1 ? 'was' : 'were');
  const done = countDone(rows);
  const unknown = rows.filter(({ error }) => error instanceof InterruptedError).length;
  const wanted = tasks.filter(({ isIdle }) => !isIdle).length;
  const counts = `${done} of ${wanted} ${things} ${were(done)} ${verb}.`;
  const others = unknown === 1 ? 'other was' : 'others were';
  const doubt = unknown > 0 ? ` It is not known whether ${unknown} ${others} ${verb}, too.` : '';
  return new InterruptedError(reason.exit, `Interrupted: ${counts}${doubt}`, {
    hint: 'To finish, run the command again.',
  });
}

function failureOf(
  tasks: readonly Named[],
  rows: readonly OutcomeRow[],
  { say, verb, things, consequence }: Wording,
): ValsError | undefined {
  const failures = tasks.flatMap(({ label, verb }, index) => {
    const error = rows[index]?.error;
    return error instanceof ValsError ? [{ label, error, verb }] : [];
  });
  const { error, warnings } = summarizeFailures(failures, {
    ...{ verb, things, consequence },
    total: tasks.length,
    done: countDone(rows),
    // What the consequence says, it says of all.
    notTried: consequence === undefined ? rows.filter(({ status }) => status === 'skipped').length : 0,
  });
  for (const warning of warnings) say({ kind: 'warning', text: warning, onlyInText: true });
  return error;
}
