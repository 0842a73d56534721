// Many things done by one command: each has its outcome, and together they have one exit code.
import { AuthError, describeError, InterruptedError, PartialError, ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Outcome, OutcomeStatus } from '../lib/outcome.ts';
import { Outcomes } from '../terminal/result.ts';

export interface BatchOptions<Item> {
  /** What names the item in its outcome. */
  describe(item: Item): JsonObject;
  /** The rest of the outcome; what it throws makes the item a failed one. */
  work(item: Item): Promise<Outcome>;
  /** How many at a time; auto: as many as the service has room for. */
  concurrency: number | 'auto';
  room(): Promise<void> | undefined;
  signal: AbortSignal;
  onFinished?(finished: number): void;
  onFailure?(item: Item, error: ValsError): void;
}

/** What is begun and waits for an answer, however many requests a service takes. */
const mostAtATime = 64;

/** Many failures of one kind, as one error of that kind. */
class AllFailed extends ValsError {
  readonly kind: string;
  readonly exit: number;

  constructor(first: ValsError, message: string) {
    super(message, first.facts);
    this.kind = first.kind;
    this.exit = first.exit;
  }
}

/** The outcomes in the order of the items. One failure does not stop the others; a refused token does. */
export async function runBatch<Item>(items: readonly Item[], options: BatchOptions<Item>): Promise<Outcomes> {
  const { describe, work, signal } = options;
  const outcomes: Outcome[] = items.map((item) => ({ ...describe(item), status: 'skipped' }));
  const failures = new Map<Item, ValsError>();
  let finished = 0;
  let stopped = false;

  await forEach(items, options, async (item, index) => {
    if (stopped || signal.aborted) return;
    try {
      outcomes[index] = { ...describe(item), ...(await work(item)) };
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      // Interrupted before anything was sent: it was not done, and it did not fail.
      if (error === signal.reason) return;
      if (error instanceof AuthError) stopped = true;
      failures.set(item, error);
      outcomes[index] = failedOutcome(describe(item), error);
      options.onFailure?.(item, error);
    }
    options.onFinished?.(++finished);
  });

  const count = (without: ReadonlySet<OutcomeStatus>) =>
    outcomes.filter(({ status }) => !without.has(status)).length;
  const done = count(nothingDone);
  if (signal.aborted && count(unsettled) < items.length) {
    const { exit } = signal.reason as InterruptedError;
    const message = `Interrupted: ${done} of ${items.length} done.`;
    return new Outcomes(
      outcomes,
      new InterruptedError(exit, message, { hint: 'Run it again to do the rest.' }),
    );
  }
  return new Outcomes(outcomes, overallError(failures, items.length, done));
}

const unsettled: ReadonlySet<OutcomeStatus> = new Set(['failed', 'skipped']);
/** Where there was nothing to do, nothing was done either: one failure among such is no partial success. */
const nothingDone: ReadonlySet<OutcomeStatus> = new Set([...unsettled, 'unchanged', 'behind', 'kept']);

/** The outcomes where some items cannot even be begun, so that none was. */
export function noneBegun<Item>(
  items: readonly Item[],
  failures: ReadonlyMap<Item, ValsError>,
  describe: (item: Item) => JsonObject,
): Outcomes {
  const outcomes = items.map((item): Outcome => {
    const error = failures.get(item);
    return error ? failedOutcome(describe(item), error) : { ...describe(item), status: 'skipped' };
  });
  return new Outcomes(outcomes, overallError(failures, items.length, 0));
}

const failedOutcome = (description: JsonObject, error: ValsError): Outcome => ({
  ...description,
  status: 'failed',
  error: describeError(error),
});

/** Undefined where none failed. */
function overallError(
  failures: ReadonlyMap<unknown, ValsError>,
  total: number,
  done: number,
): ValsError | undefined {
  if (failures.size === 0) return undefined;
  const [first, ...others] = [...failures.values()] as [ValsError, ...ValsError[]];
  if (failures.size === 1 && done === 0) return first;
  const counts = `${failures.size} of ${total} failed`;
  if (done === 0 && others.every(({ exit }) => exit === first.exit)) {
    return new AllFailed(first, `${counts}. The first: ${first.message}`);
  }
  return new PartialError(`${counts}, ${done} done.`, {
    hint: 'The output tells which; run it again for those.',
  });
}

/** All items, begun in their order, each as soon as there is room for one more. */
export async function forEach<Item>(
  items: readonly Item[],
  { concurrency, room }: Pick<BatchOptions<Item>, 'concurrency' | 'room'>,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const workers = concurrency === 'auto' ? mostAtATime : concurrency;
  const worker = async () => {
    for (const [index, item] of queue) {
      const turn = room();
      if (turn !== undefined) await turn;
      await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, worker));
}
