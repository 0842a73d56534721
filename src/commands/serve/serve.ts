import { defineCommand, parsed, word } from '../../cli/command.ts';
import { parseAge } from '../../cli/moments.ts';
import { exitQuietly, type InterruptedError, UsageError } from '../../errors.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { parsePort, wholeNumber } from '../shared/options.ts';
import { placeOptions } from './store-place.ts';

export const command = defineCommand({
  summary: 'Run the embedded service on this machine',
  description:
    'Run the embedded service on 127.0.0.1 until Ctrl-C, with one SQLite file. The command prints the address first. ' +
    'For a team, use --database and `vals user add`. For other machines, use --public-url, with --tls-cert or a proxy ' +
    'for TLS.',
  options: {
    port: parsed('--port <n>', 'the port, or 0 for a free port (default: 8787)', (text) => parsePort(text)),
    ...placeOptions,
    seed: word('--seed <file>', 'load runs, likes, comments and references from JSON'),
    host: word('--host <address>', 'the address to listen on (default: 127.0.0.1)'),
    publicUrl: word('--public-url <url>', 'the only URL at which people can use the service'),
    trustProxy: word('--trust-proxy <address>', 'accept plain HTTP from a proxy that terminates TLS'),
    tlsCert: word('--tls-cert <file>', 'serve HTTPS with this certificate and chain (PEM)'),
    tlsKey: word('--tls-key <file>', 'the private key of the certificate (PEM)'),
    keepRuns: parsed('--keep-runs <age>', 'delete runs older than this age, such as 90d', parseKeepRuns),
    maxVals: parsed(
      '--max-vals <n>',
      'limit of vals per owner (default for a team: 10000)',
      wholeNumber(1, 999_999_999),
    ),
    metricsPort: parsed('--metrics-port <n>', 'serve GET /metrics for Prometheus on this port', (text) =>
      parsePort(text),
    ),
    metricsHost: word('--metrics-host <address>', 'the address of /metrics (default: 127.0.0.1)'),
    log: word('--log <form>', 'the format of the request log (default: text)', { choices: ['text', 'json'] }),
    rate: parsed(
      '--rate <n>',
      'requests per second for a token (team default: 500)',
      wholeNumber(1, 999_999),
    ),
  },
  examples: [
    'vals serve --port 0 --json',
    'vals serve --database postgres://vals@db.example.com/vals',
    'vals serve --public-url https://vals.example.com',
  ],
  columns: [],
  async run(context, options) {
    const { signal } = context;
    const { announce, createLinkBanner } = await import('./announce.ts');
    const { readSetup, start } = await import('./start.ts');
    const setup = readSetup(context, options);
    const log = await context.openLog();
    const output = { log, showLink: createLinkBanner(context.say) };
    const service = await start(context, setup, output);
    await announce(context, service, setup, output);
    await aborted(signal);
    const isCtrlC = (signal.reason as InterruptedError).exit === 130;
    await beyondGracePeriod(async () => {
      if (setup.isShared && !isCtrlC) await service.drain();
      await service.close();
    });
    log.close();
    if (isCtrlC) throw exitQuietly(signal.reason);
    return { kind: 'nothing' };
  },
});

function parseKeepRuns(text: string): number {
  const age = parseAge(text);
  if (age !== undefined && age > 0) return age;
  throw new UsageError(`--keep-runs takes an age, not "${text}".`, { hint: 'For example 90d, 12w or 36h.' });
}
