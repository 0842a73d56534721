import type { Context } from '../../command-line/command.ts';
import { DeclinedError } from '../../errors.ts';
import { runBatch } from '../../failures/batch.ts';
import type { Call } from '../../http/call.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Result } from '../../output/out.ts';

export interface Deletion {
  /** What its row of the output begins with. */
  row: JsonObject;
  /** What a message calls it, in a list of such things. */
  label: string;
  /** What a message calls it alone. */
  name: string;
  call: Call;
}

export interface DeleteOptions {
  things: string;
  concurrency: number | 'auto';
  dryRun: boolean | undefined;
}

export async function deleteAll(
  context: Context,
  deletions: readonly Deletion[],
  { dryRun, ...options }: DeleteOptions,
): Promise<Result> {
  if (dryRun) return { kind: 'list', rows: deletions.map(({ row }) => ({ ...row, status: 'planned' })) };
  const api = await context.api();
  const tasks = deletions.map(({ row, label, call }) => ({
    row,
    label,
    async run() {
      await api.send(call);
      return { status: 'deleted' as const };
    },
  }));
  const {
    host: { signal },
    out: { say },
  } = context;
  const result = await runBatch(tasks, { ...options, signal, say, verb: 'deleted' });
  const [only, another] = deletions;
  const isOne = only !== undefined && another === undefined && result.error === undefined;
  return isOne ? { ...result, sentence: `Deleted ${only.name}.` } : result;
}

/** `question` may read from the service what is to be deleted, so it is called only if somebody can be asked. */
export async function confirmDeletion(
  { ask: prompt }: Pick<Context, 'ask'>,
  question: () => Promise<string>,
): Promise<void> {
  const instead = 'To delete without a question, add --yes.';
  prompt.expectTerminal(instead);
  if (await prompt.confirm(await question(), instead)) return;
  throw new DeclinedError('Nothing was deleted.');
}
