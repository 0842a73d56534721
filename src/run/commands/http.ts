import type { Context } from '../../core/command-line/command.ts';
import { exitQuietly, isCtrlC, messageWithHint } from '../../core/errors.ts';
import { stringifyJson } from '../../core/lib/json.ts';
import { aborted, beyondGracePeriod } from '../../core/lib/signals.ts';
import { createLog } from '../../core/output/log.ts';
import { prepareLaunch } from '../launch.ts';
import { findTarget } from '../target.ts';
import { defaultSeconds, type RunInput } from './run-once.ts';

export async function serveRequests(context: Context, input: RunInput): Promise<never> {
  const {
    host: { signal, clock },
    flags,
    out: { say },
  } = context;
  const { serveVal } = await import('../http/serve-val.ts');
  const target = await findTarget(context, input);
  const launch = prepareLaunch(context, input, target);
  const { name } = await target.load();
  say({ kind: 'progress' });
  const log = createLog(context);
  const served = await serveVal({
    name,
    clock,
    maxSeconds: input.maxTime ?? defaultSeconds,
    port: input.port ?? 0,
    host: input.host ?? '127.0.0.1',
    files: [...(target.kind === 'file' ? [target.path] : []), ...launch.dotenvFiles],
    async prepare(onFile) {
      const entry = await target.load();
      const modules = launch.modules(entry, onFile);
      await modules.compiled;
      return launch.process('serve', modules, { args: [], stdout: 'stderr' });
    },
    onFailure(failure) {
      for (const line of failure.facts.details ?? []) log.write(line);
      say({ kind: 'warning', text: messageWithHint(failure) });
    },
    onFinished({ method, path, status, milliseconds }) {
      log.write(`${method} ${path} ${status} ${milliseconds} ms`);
    },
  });
  try {
    await context.out.print(flags.json || flags.ndjson ? stringifyJson({ url: served.url }) : served.url);
    say({ kind: 'lines', text: 'Press Ctrl-C to stop.\n' });
    await aborted(signal);
  } finally {
    await beyondGracePeriod(() => served.close(isCtrlC(signal.reason) ? 'SIGINT' : 'SIGTERM'));
    log.close();
  }
  throw exitQuietly(signal.reason);
}
