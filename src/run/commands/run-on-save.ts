import type { Context } from '../../core/command-line/command.ts';
import { exitQuietly, LocalError, messageWithHint, RunFailedError, UsageError } from '../../core/errors.ts';
import { sh } from '../../core/lib/hint.ts';
import { aborted } from '../../core/lib/signals.ts';
import { watchFiles } from '../changes.ts';
import { prepare, type RunInput, type RunOutput, run } from './run-once.ts';

const savedDuringRun = Symbol('saved during a run');

export async function* runOnSave(context: Context, input: RunInput): AsyncGenerator<RunOutput> {
  const invocation = await prepare(context, input);
  const { target, launch } = invocation;
  if (target.kind !== 'file') {
    throw new UsageError(`--watch needs a file, but ${input.val.word} is a val on the service.`, {
      hint: ['Give the file of the val.', sh`To get the file in a workspace, run ${['pull']}.`],
    });
  }
  let round = new AbortController();
  const changes = watchFiles([target.path, ...launch.dotenvFiles], context.host.clock, () =>
    round.abort(savedDuringRun),
  );
  const end = () => round.abort(context.host.signal.reason);
  context.host.signal.addEventListener('abort', end);
  if (context.host.signal.aborted) end();
  context.out.say({
    kind: 'lines',
    text: `Watching ${input.val.word} and the files that it imports. Press Ctrl-C to stop.\n`,
  });
  try {
    for (;;) {
      try {
        yield* run(invocation, round.signal, changes.follow);
      } catch (error) {
        if (error instanceof RunFailedError || error instanceof LocalError)
          context.out.say({ kind: 'warning', text: messageWithHint(error) });
        else if (error !== savedDuringRun) throw exitQuietly(error);
      }
      await aborted(round.signal);
      if (context.host.signal.aborted) throw exitQuietly(context.host.signal.reason);
      round = new AbortController();
    }
  } finally {
    changes.close();
  }
}
