import type { Context } from '../../cli/context.ts';
import { RunFailedError, ValsError } from '../../errors.ts';
import { stringifyJson } from '../../lib/json.ts';
import { aborted } from '../../lib/signals.ts';
import { watchFiles } from '../../run/changes.ts';
import { exitQuietly, messageWithHint } from '../shared/messages.ts';
import { type GivenRun, launchOptions } from './launch.ts';
import { prepare } from './once.ts';
import { finishedRun } from './record.ts';

export async function serveRequests(context: Context, given: GivenRun): Promise<never> {
  const { signal, clock, flags, progress, say } = context;
  const { serveVal } = await import('../../run/serve.ts');
  const { target, record } = await prepare(context, given);
  const entry = await target.load();
  progress.stop();
  const log = await context.openLog();
  const reload = async () => {
    try {
      const changed = await target.load();
      const { use } = await starting;
      use(changed);
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      say.warn(messageWithHint(error));
    }
  };
  const changes = watchFiles(target.kind === 'file' ? [target.path] : [], clock, () => void reload());
  const starting = serveVal(entry, {
    ...launchOptions(context, given, target, entry),
    port: given.port ?? 0,
    onFailure: (failure) => say.warn(messageWithHint(failure)),
    onFile: changes.follow,
    onAnswered({ method, pathWithoutQuery, status, startedAt, endedAt, failure, entry }) {
      log.write(`${method} ${pathWithoutQuery} ${status} ${endedAt - startedAt} ms`);
      if (failure !== undefined) log.write(failure.message);
      if (failure instanceof RunFailedError) for (const line of failure.details) log.write(line);
      void record(entry, finishedRun(startedAt, endedAt, failure));
    },
  });
  const served = await starting.catch((error) => {
    changes.close();
    throw error;
  });
  try {
    await context.print(flags.json || flags.ndjson ? stringifyJson({ url: served.url }) : served.url);
    say.banner('Press Ctrl-C to stop.\n');
    await aborted(signal);
  } finally {
    // served.close must run first, because an interrupted command has little time to end the process of the val.
    await served.close();
    changes.close();
    log.close();
  }
  throw exitQuietly(signal.reason);
}
