import { defineCommand, type Run } from '../../../core/command-line/command.ts';
import { age, integer, oneOf, path, port, text } from '../../../core/command-line/value-types.ts';
import { asValsError, exitQuietly, isCtrlC, withoutMessage } from '../../../core/errors.ts';
import { listed, sh } from '../../../core/lib/hint.ts';
import { aborted, beyondGracePeriod } from '../../../core/lib/signals.ts';
import { recordKinds } from '../../store/records.ts';
import type { Report } from './report.ts';
import type { ServeOptions } from './start.ts';
import { placeOptions } from './store-place.ts';

export const command = defineCommand({
  summary: 'Run the embedded service on this machine',
  description:
    'Run the embedded service on 127.0.0.1 until Ctrl-C, with one SQLite file. The command prints the address first. ' +
    'For a team, use --database and `vals user add`. For other machines, use --public-url, with --tls-cert or a proxy ' +
    'for TLS.',
  options: {
    port: { description: 'the port, or 0 for a free port (default: 8787)', value: port() },
    ...placeOptions,
    seed: { rare: true, description: `load ${listed(recordKinds)} from JSON`, value: path() },
    host: { description: 'the address to listen on (default: 127.0.0.1)', value: text('address') },
    publicUrl: { description: 'the only URL at which people can use the service', value: text('url') },
    tlsCert: { rare: true, description: 'serve HTTPS with this certificate and chain (PEM)', value: path() },
    tlsKey: { rare: true, description: 'the private key of the certificate (PEM)', value: path() },
    keepRuns: {
      rare: true,
      description: 'delete runs older than this age, such as 90d',
      value: age(),
    },
    metricsPort: {
      rare: true,
      description: 'serve GET /metrics for Prometheus on this port',
      value: port(),
    },
    metricsHost: {
      rare: true,
      description: 'the address of /metrics (default: 127.0.0.1)',
      value: text('address'),
    },
    log: {
      rare: true,
      description: 'the format of the request log (default: text)',
      value: oneOf(['text', 'json'], 'format'),
    },
    rate: {
      rare: true,
      description: 'requests per second for a token (team default: 500)',
      value: integer({ min: 1, max: 999_999 }),
    },
  },
  examples: [
    'vals serve --port 0 --json',
    'vals serve --database postgres://vals@db.example.com/vals',
    'vals serve --public-url https://vals.example.com',
  ],
  insteadOfArguments: ([file = '']) => [
    '`vals serve` serves a whole service.',
    sh`To serve one val over HTTP, run ${['run', '--http', file]}.`,
  ],
  columns: [],
  async run(run, options) {
    const { jsonReport, textReport, withDefectsInLog } = await import('./report.ts');
    const { withoutTokens } = await import('../../index.ts');
    const isJson = options.log === 'json';
    const log = await run.out.openLog();
    const report = isJson ? jsonReport(log, withoutTokens) : textReport(run.out.say, log, withoutTokens);
    const work = () => serve(run, options, report);
    try {
      await (isJson ? withDefectsInLog(report, work) : work());
      return { kind: 'nothing' };
    } catch (error) {
      const failure = asValsError(error);
      if (!isJson || run.flags.json || failure.message === '') throw failure;
      report.failure(failure);
      throw withoutMessage(failure);
    } finally {
      log.close();
    }
  },
});

async function serve(run: Run, options: ServeOptions, report: Report): Promise<void> {
  const { announce } = await import('./announce.ts');
  const { readSetup, start } = await import('./start.ts');
  const { signal } = run.host;
  const setup = readSetup({ ...run, out: { ...run.out, say: report.lines } }, options);
  const service = await start(run, setup, report);
  await announce(run, service, setup, report);
  await aborted(signal);
  const isByCtrlC = isCtrlC(signal.reason);
  await beyondGracePeriod(service.close);
  if (isByCtrlC) throw exitQuietly(signal.reason);
}
