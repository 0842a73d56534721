import type { Context } from '../../cli/context.ts';
import { exitQuietly, isCtrlC, messageWithHint, RunFailedError, ValsError } from '../../errors.ts';
import { isLoopback } from '../../lib/host-names.ts';
import { stringifyJson } from '../../lib/json.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { watchFiles } from '../../run/changes.ts';
import { defaultSeconds, type RunInput } from './launch.ts';
import { finishedRun } from './record-run.ts';
import { prepare } from './run-once.ts';

export async function serveRequests(context: Context, input: RunInput): Promise<never> {
  const { signal, clock, flags, say } = context;
  const { serveVal } = await import('../../run/serve-val.ts');
  // A run that is under way when vals is interrupted is recorded, too.
  const { target, launch, beginRecord } = await prepare(context, input, new AbortController().signal);
  const entry = await target.load();
  say({ kind: 'progress' });
  const log = await context.openLog();
  const reload = async () => {
    try {
      const changed = await target.load();
      (await starting).reload(changed);
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      say({ kind: 'warning', text: messageWithHint(error) });
    }
  };
  const changes = watchFiles(target.kind === 'file' ? [target.path] : [], clock, reload);
  const recording = new Set<Promise<unknown>>();
  const host = input.host ?? '127.0.0.1';
  const names = isLoopback(host) || host === '::1' ? 'loopback' : 'any';
  const starting = serveVal(entry, {
    ...launch,
    stdout: 'stderr',
    maxSeconds: input.maxTime ?? defaultSeconds,
    port: input.port ?? 0,
    host,
    isUpToDate: changes.seen,
    prepare: (entry) => ({
      modules: launch.modules(entry, changes.follow),
      command: launch.command('serve', entry, [names]),
    }),
    onFailure: (failure) => say({ kind: 'warning', text: messageWithHint(failure) }),
    onFinished({ method, path, status, startedAt, endedAt, failure, entry, logs }) {
      log.write(`${method} ${path} ${status} ${endedAt - startedAt} ms`);
      if (failure !== undefined) log.write(failure.message);
      if (failure instanceof RunFailedError) for (const line of failure.details) log.write(line);
      const recorded = beginRecord(entry)(finishedRun(startedAt, endedAt, failure, logs));
      recording.add(recorded);
      void recorded.then(() => recording.delete(recorded));
    },
  });
  const served = await starting.catch((error) => {
    changes.close();
    throw error;
  });
  try {
    await context.print(flags.json || flags.ndjson ? stringifyJson({ url: served.url }) : served.url);
    say({ kind: 'lines', text: 'Press Ctrl-C to stop.\n' });
    await aborted(signal);
  } finally {
    await beyondGracePeriod(async () => {
      await served.close(isCtrlC(signal.reason) ? 'SIGINT' : 'SIGTERM');
      await Promise.all(recording);
    });
    changes.close();
    log.close();
  }
  throw exitQuietly(signal.reason);
}
