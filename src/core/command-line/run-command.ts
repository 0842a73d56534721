import { asValsError, type ValsError } from '../errors.ts';
import { changedSomething, countOutcomes } from '../lib/outcome.ts';
import { errorIn, type Result } from '../output/result.ts';
import { ReaderGone } from '../output/streams.ts';
import type { Context } from './context.ts';
import { createContext } from './create-context.ts';
import type { Invocation } from './invocation.ts';
import type { CommandCall } from './parse-command-line.ts';
import { readWordsFromInput, resolveVals } from './resolve-vals.ts';

/** Runs a command and presents its result. Returns the error that decides the exit code. */
export const runCommand = (
  { command, input }: Pick<CommandCall, 'command' | 'input'>,
  invocation: Invocation,
): Promise<ValsError | undefined> =>
  catchError(async () => {
    const { presenter } = invocation;
    const { context, close } = createContext(invocation);
    try {
      const words = await readWordsFromInput(command, input, context);
      const result = await command.run(context, await resolveVals(command, words, context));
      const error = errorIn(result);
      if (error === undefined) sumUp(result, context);
      const shown = presenter.result(result);
      await (error === undefined ? shown : shown.catch(ignoreReaderGone));
      if (error !== undefined) throw error;
    } finally {
      presenter.say({ kind: 'progress' });
      await close();
    }
  });

/** Returns undefined if the reader of the output has ended: then there is nobody to tell. */
export async function catchError(work: () => Promise<void>): Promise<ValsError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof ReaderGone ? undefined : asValsError(error);
  }
}

function sumUp(result: Result, { say }: Context): void {
  const rows = result.kind === 'outcomes' ? result.rows : [];
  if (changedSomething(rows)) say({ kind: 'done', text: `${countOutcomes(rows)}.` });
}

function ignoreReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error;
}
