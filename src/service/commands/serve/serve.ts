import { type Context, defineCommand } from '../../../core/command-line/command.ts';
import { age, oneOf, path, port, text } from '../../../core/command-line/value-types.ts';
import { asValsError, exitQuietly, InterruptedError, isCtrlC, UsageError } from '../../../core/errors.ts';
import { aborted, beyondGracePeriod } from '../../../core/lib/signals.ts';
import { placeOptions, storePlace } from '../shared/store-place.ts';
import { type NetworkOptions, networkOf, parseHost } from './network-options.ts';
import { jsonReport, type Report, reportEvent, textReport, withDefectsInLog } from './report.ts';

export const command = defineCommand({
  summary: 'Run the embedded service on this machine',
  description:
    'Run the embedded service on 127.0.0.1 until Ctrl-C, with one SQLite file. The command prints the address first. ' +
    'For a team, use --database and `vals user add`. For other machines, use --public-url, with --tls-cert or a proxy ' +
    'for TLS.',
  options: {
    port: { description: 'the port, or 0 for a free port (default: 8787)', value: port() },
    ...placeOptions,
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
  },
  examples: [
    'vals serve --port 0 --json',
    'vals serve --database postgres://vals@db.example.com/vals',
    'vals serve --public-url https://vals.example.com',
  ],
  columns: [],
  async run(context, options) {
    const { withoutTokens } = await import('../../start-service.ts');
    const isJson = options.log === 'json';
    const { createLog } = await import('../../../core/output/log.ts');
    const log = createLog(context);
    const report = isJson
      ? jsonReport(context, log, withoutTokens)
      : textReport(context.out.say, log, withoutTokens);
    const work = () => serve(context, options, report);
    try {
      await (isJson ? withDefectsInLog(report, work) : work());
      return { kind: 'nothing' };
    } catch (error) {
      const failure = asValsError(error);
      if (!isJson || context.flags.json || failure.message === '') throw failure;
      report.failure(failure);
      // The log has the message.
      throw new InterruptedError(failure.exit, '');
    } finally {
      log.close();
    }
  },
});

interface ServeOptions extends NetworkOptions {
  port?: number;
  data: string | undefined;
  database: string | undefined;
  keepRuns?: number;
  metricsPort?: number;
  metricsHost?: string;
}

async function serve(context: Context, options: ServeOptions, report: Report): Promise<void> {
  const { port = 8787, metricsPort, metricsHost, keepRuns } = options;
  const { signal } = context.host;
  if (metricsHost !== undefined && metricsPort === undefined) {
    throw new UsageError('--metrics-host works only with --metrics-port.', {
      hint: 'For example --metrics-port 9464.',
    });
  }
  const network = networkOf(options, context.settings.cwd);
  const host = parseHost(metricsHost ?? '127.0.0.1', '--metrics-host');
  const place = storePlace(context, options);
  const isShared = network.publicUrl !== undefined || 'database' in place.location;

  const { startService } = await import('../../start-service.ts');
  const service = await startService({
    ...place.location,
    port,
    network,
    keepRunsMs: keepRuns,
    metrics: metricsPort === undefined ? undefined : { port: metricsPort, host },
    onEvent: (event) => reportEvent(report, event),
  });
  if (metricsPort !== undefined) report.info(`Metrics on http://${host}:${service.metricsPort}/metrics.`);
  const { announce } = await import('./announce.ts');
  try {
    await announce(context, service, { network, isShared, place }, report);
    await aborted(signal);
  } finally {
    await beyondGracePeriod(service.close);
  }
  if (isCtrlC(signal.reason)) throw exitQuietly(signal.reason);
}
