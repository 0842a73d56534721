import { mostRequests } from '../api/http/concurrency-limit.ts';
import { asValsError, concernsAll, InterruptedError, type ValsError } from '../errors.ts';
import { type Hints, hintList } from '../lib/hint.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Outcome, OutcomeRow, OutcomeStatus } from '../lib/outcome.ts';
import type { Say } from '../lib/say.ts';
import type { OutcomesResult } from '../terminal/result.ts';
import { type Counts, type Remark, type Remarked, summarizeFailures, summarizeRemarks } from './failures.ts';

export interface BatchOptions<Item> {
  describe(item: Item): JsonObject;
  work(item: Item, remark: AddRemark): Promise<Outcome>;
  concurrency: number | 'auto';
  signal: AbortSignal;
  onFinished?(finished: number): void;
  onFailure?(item: Item, error: ValsError): void;
  report: Report<Item>;
}

export type AddRemark = (remark: Remark, hints?: Hints) => void;

interface Report<Item> extends Pick<Counts, 'verb' | 'things' | 'consequence'> {
  label(item: Item): string;
  verbFor?(item: Item): string | undefined;
  say: Say;
}

const notFinished: ReadonlySet<unknown> = new Set<OutcomeStatus>(['failed', 'skipped']);
const nothingDone: ReadonlySet<unknown> = new Set([...notFinished, 'unchanged', 'behind', 'kept']);

export async function runBatch<Item>(
  items: readonly Item[],
  options: BatchOptions<Item>,
): Promise<OutcomesResult> {
  const { describe, work, signal } = options;
  const outcomes: OutcomeRow[] = items.map((item) => ({ ...describe(item), status: 'skipped' }));
  const failures = new Map<Item, ValsError>();
  const remarks: Remarked[] = [];
  let finished = 0;
  let stopped = false;

  const addRemark: AddRemark = (remark, hints) => void remarks.push({ remark, hints: hintList(hints) });

  await forEach(items, options.concurrency, async (item, index) => {
    if (stopped || signal.aborted) return;
    try {
      outcomes[index] = { ...describe(item), ...(await work(item, addRemark)) };
    } catch (caught) {
      // Even a bug of this program counts as a failure of this item, so that the outcomes of the other items are shown.
      const error = asValsError(caught);
      if (error === signal.reason) return;
      const isDefect = error !== caught;
      if (isDefect || concernsAll(error)) stopped = true;
      failures.set(item, error);
      outcomes[index] = failedOutcome(describe(item), error);
      options.onFailure?.(item, error);
    }
    options.onFinished?.(++finished);
  });

  for (const sentence of summarizeRemarks(remarks)) options.report.say({ kind: 'warning', text: sentence });
  const done = outcomes.filter(({ status }) => !nothingDone.has(status)).length;
  const areAllFinished = outcomes.every(({ status }) => !notFinished.has(status));
  if (signal.aborted && !areAllFinished) {
    const { exit } = signal.reason as InterruptedError;
    const unknown = [...failures.values()].filter((error) => error instanceof InterruptedError).length;
    const message = interruptionMessage(outcomes, unknown, options.report);
    const error = new InterruptedError(exit, message, { hint: 'To finish, run the command again.' });
    return { kind: 'outcomes', rows: outcomes, error };
  }
  const error = reportedError(items, failures, { total: items.length, done }, options.report);
  return { kind: 'outcomes', rows: outcomes, error };
}

function interruptionMessage(
  outcomes: readonly OutcomeRow[],
  unknown: number,
  { verb, things }: Pick<Counts, 'verb' | 'things'>,
): string {
  const counts = new Map<string, number>();
  for (const { status } of outcomes.filter(({ status }) => !nothingDone.has(status))) {
    const word = status === 'renamed' || status === 'deleted' ? status : verb;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const were = (count: number) => (count === 1 ? 'was' : 'were');
  const [[word, count] = [verb, 0], ...others] = counts;
  const also = others.map(([word, count]) => `, ${count} ${were(count)} ${word}`).join('');
  const message = `Interrupted: ${count} of ${outcomes.length} ${things} ${were(count)} ${word}${also}.`;
  if (unknown === 0) return message;
  if (outcomes.length === 1) return `Interrupted. It is not known whether the val was ${verb}.`;
  return `${message} It is not known whether ${unknown} other ${were(unknown)} changed too.`;
}

function reportedError<Item>(
  items: readonly Item[],
  failures: ReadonlyMap<Item, ValsError>,
  counts: Omit<Counts, 'verb' | 'things'>,
  { label, verbFor, verb, things, consequence, say }: Report<Item>,
): ValsError | undefined {
  const failed = items.flatMap((item) => {
    const error = failures.get(item);
    return error === undefined ? [] : { label: label(item), error, verb: verbFor?.(item) ?? verb };
  });
  const { error, warnings } = summarizeFailures(failed, { consequence, ...counts, verb, things });
  for (const warning of warnings) say({ kind: 'warning', text: warning, onlyInText: true });
  return error;
}

export function refuseAll<Item>(
  items: readonly Item[],
  failures: ReadonlyMap<Item, ValsError>,
  { describe, report }: Pick<BatchOptions<Item>, 'describe' | 'report'>,
): OutcomesResult {
  const outcomes = items.map((item): OutcomeRow => {
    const error = failures.get(item);
    return error ? failedOutcome(describe(item), error) : { ...describe(item), status: 'skipped' };
  });
  const counts = { total: items.length, done: 0, consequence: 'Nothing was sent.' };
  return { kind: 'outcomes', rows: outcomes, error: reportedError(items, failures, counts, report) };
}

const failedOutcome = (description: JsonObject, error: ValsError): OutcomeRow => ({
  ...description,
  status: 'failed',
  error,
});

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
