import type { Context } from '../../../core/command-line/command.ts';
import { createHintWriter } from '../../../core/command-line/write-hints.ts';
import { asValsError, messageWithHint, type ValsError } from '../../../core/errors.ts';
import type { Hints } from '../../../core/lib/hint.ts';
import { stringifyJson } from '../../../core/lib/json.ts';
import type { Log } from '../../../core/output/log.ts';
import type { ServiceEvent } from '../../start-service.ts';
import { firstTokenName } from '../../store/access.ts';

type Finished = Extract<ServiceEvent, { kind: 'answered' }>['request'];
type InternalError = Extract<ServiceEvent, { kind: 'internal error' }>['failure'];

/** What a service tells its operator while it runs. Secrets have been removed from paths and stacks. */
export interface Report {
  request(finished: Finished): void;
  info(text: string): void;
  failure(error: ValsError): void;
  internalError(failure: InternalError): void;
  /** For a person at a terminal. */
  lines: Context['out']['say'];
}

export function reportEvent(report: Report, event: ServiceEvent): void {
  switch (event.kind) {
    case 'answered':
      report.request(event.request);
      break;
    case 'internal error':
      report.internalError(event.failure);
      break;
    case 'store failed':
      report.failure(event.error);
      break;
    case 'runs deleted':
      report.info(`Deleted ${event.count} old ${event.count === 1 ? 'run' : 'runs'} (--keep-runs).`);
      break;
    case 'store recovered':
      report.info('The database can be used again.');
      break;
  }
}

type Clean = (text: string) => string;

export function textReport(say: Context['out']['say'], log: Log, clean: Clean): Report {
  const warn = (text: Hints) => say({ kind: 'warning', text });
  return {
    request: (finished) => log.write(clean(lineOfRequest(finished))),
    info: log.write,
    failure: (error) => warn(messageWithHint(error)),
    internalError({ method, route, error }) {
      const stack = clean(error.stack ?? `${error}`).split('\n');
      for (const line of [`Internal error in ${method} ${route}:`, ...stack.map((line) => `  ${line}`)]) {
        log.writeDespiteQuiet(line);
      }
    },
    lines: say,
  };
}

/** For example `ada (ci) PUT /@acme/v1/vals 201 16ms val <id>`. The first token of a person is not named. */
function lineOfRequest({ method, path, status, ms, person, token, val, ...known }: Finished): string {
  const { changed, privacy, about } = known;
  const by = token === undefined || token === firstTokenName ? '' : ` (${token})`;
  const who = person === undefined ? '' : `${person}${by} `;
  const which = val === undefined || path.includes(val) ? '' : ` val ${val}`;
  const what = changed === undefined ? '' : ` changed ${changed.join(', ')}`;
  const seenBy = privacy === undefined ? '' : ` (${privacy})`;
  const made = about === undefined ? '' : ` token ${about.name} ${about.id}`;
  return `${who}${method} ${path} ${status} ${Math.round(ms)}ms${which}${what}${seenBy}${made}`;
}

const now = () => new Date().toISOString();

/** What `--log json` makes of all but a request. */
export const logLine = (level: 'info' | 'error', message: string): string =>
  stringifyJson({ time: now(), level, message });

/** Every line is a JSON object. */
export function jsonReport({ settings, flags }: Context, log: Log, clean: Clean): Report {
  const textOf = createHintWriter({ platform: settings.system.platform, flags });
  return {
    request({ path: _, method, route, status, ms, ...known }) {
      const line = { time: now(), method, route, status, ms: Math.round(ms), ...known };
      log.write(clean(stringifyJson(line)));
    },
    info: (text) => log.write(logLine('info', text)),
    failure: (error) => log.writeDespiteQuiet(logLine('error', textOf(messageWithHint(error)))),
    internalError: ({ method, route, error }) =>
      log.writeDespiteQuiet(
        logLine('error', `Internal error in ${method} ${route}: ${clean(error.stack ?? `${error}`)}`),
      ),
    lines() {},
  };
}

/** A defect ends the process, with a line in the log instead of the usual message. */
export async function withDefectsInLog(report: Report, work: () => Promise<void>): Promise<void> {
  const onDefect = (error: unknown) => {
    report.failure(asValsError(error));
    process.exit(1);
  };
  process.prependListener('uncaughtException', onDefect);
  await work().finally(() => process.off('uncaughtException', onDefect));
}
