import type { Call } from '../../api/call.ts';
import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { DeclinedError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Result } from '../../terminal/result.ts';

export interface Removal {
  question(names: readonly string[]): Promise<string>;
  describe(name: string): JsonObject;
  /** Reads the names to show, for a person. */
  readNames?(names: readonly string[]): Promise<unknown>;
  route(name: string): Call;
  things: string;
  concurrency: number | 'auto';
  yes: boolean | undefined;
  dryRun: boolean | undefined;
}

export async function removeBatch(
  context: Context,
  names: readonly string[],
  removal: Removal,
): Promise<Result> {
  const { describe, route, concurrency } = removal;
  const once = [...new Set(names)];
  if (removal.dryRun) {
    if (context.forPerson) await removal.readNames?.(once);
    return { kind: 'list', rows: once.map((name) => ({ ...describe(name), status: 'planned' })) };
  }
  if (!removal.yes) await confirmDeletion(context, () => removal.question(once));
  const deletions = once.map((name) => ({ name, call: route(name) }));
  const api = await context.connect();
  return runBatch(deletions, {
    describe: ({ name }) => describe(name),
    concurrency,
    signal: context.signal,
    report: {
      label: ({ name }) => context.givenVals.wordFor(name) ?? name,
      say: context.say,
      verb: 'deleted',
      things: removal.things,
    },
    async work({ call }) {
      await api.send(call);
      return { status: 'deleted' };
    },
  });
}

async function confirmDeletion(
  { prompt, say }: Pick<Context, 'prompt' | 'say'>,
  question: () => Promise<string>,
): Promise<void> {
  const instead = { text: 'To delete without a question', input: { yes: true } };
  prompt.expectTerminal(instead);
  const text = await question();
  say({ kind: 'progress' });
  if (await prompt.confirm(text, instead)) return;
  throw new DeclinedError('Nothing was deleted.');
}
