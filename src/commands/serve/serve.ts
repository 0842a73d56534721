import { defineCommand, parsed, word } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { loadService } from '../../cli/load-service.ts';
import { parseAge } from '../../cli/moments.ts';
import { type InterruptedError, UsageError, type ValsError } from '../../errors.ts';
import { stringifyJson } from '../../lib/json.ts';
import { quoteWord } from '../../lib/shell-command.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { readText } from '../../workspace/sources/read-text.ts';
import { exitQuietly, messageWithHint } from '../shared/messages.ts';
import { wholeNumber } from '../shared/options.ts';
import { placeOptions, storePlace } from '../shared/store-place.ts';

const highestPort = 65_535;

export const command = defineCommand({
  summary: 'Run the embedded service on this machine',
  description:
    'Run the embedded service on 127.0.0.1, with one SQLite file, until interrupted. It prints its address first. ' +
    'For a team, use --database and `vals user add`. For other machines, use --public-url, with --tls-cert or a proxy ' +
    'for TLS.',
  options: {
    port: parsed('--port <n>', 'the port; 0 for a free one (8787)', (text) => parsePort(text)),
    ...placeOptions,
    seed: word('--seed <file>', 'load runs, likes, comments and references from JSON'),
    host: word('--host <address>', 'the address to listen on (127.0.0.1)'),
    publicUrl: word('--public-url <url>', 'the URL that people use; other hosts are refused'),
    trustProxy: word('--trust-proxy <address>', 'accept plain HTTP from a proxy that terminates TLS'),
    tlsCert: word('--tls-cert <file>', 'serve HTTPS with this certificate and chain (PEM)'),
    tlsKey: word('--tls-key <file>', 'the private key of the certificate (PEM)'),
    keepRuns: parsed('--keep-runs <age>', 'delete runs that are older than this, such as 90d', parseKeepRuns),
    maxVals: parsed(
      '--max-vals <n>',
      'the most vals per owner (team: 10000)',
      wholeNumber('--max-vals', 1, 999_999_999),
    ),
    metricsPort: parsed('--metrics-port <n>', 'serve GET /metrics for Prometheus on this port', (text) =>
      parsePort(text, '--metrics-port'),
    ),
    metricsHost: word('--metrics-host <address>', 'the address for the metrics (127.0.0.1)'),
    log: word('--log <form>', 'the format of the request log (text)', { choices: ['text', 'json'] }),
    rate: parsed(
      '--rate <n>',
      'the most requests a second per token (team: 500)',
      wholeNumber('--rate', 1, 999_999),
    ),
  },
  examples: [
    'vals serve --port 0 --json',
    'vals serve --database postgres://vals@db.example.com/vals',
    'vals serve --public-url https://vals.example.com',
  ],
  columns: [],
  async run(context, options) {
    const { port = 8787, seed, rate, data, database, metricsPort, ...reach } = options;
    const { settings, flags, signal, print, say } = context;
    const { networkOf, parseHost } = await import('./network-options.ts');
    const network = networkOf(reach, settings.cwd);
    const metricsHost = parseHost(reach.metricsHost ?? '127.0.0.1', '--metrics-host');
    if (reach.metricsHost !== undefined && metricsPort === undefined) {
      throw new UsageError('--metrics-host needs --metrics-port too.', {
        hint: 'For example --metrics-port 9464.',
      });
    }
    const publicUrl = network?.publicUrl;
    const place = storePlace(context, { data, database });
    const isShared = publicUrl !== undefined || 'database' in place;
    const perSecond = rate ?? (isShared ? 500 : undefined);
    const log = await context.openLog();
    const { startService, parseSeed, countSeed, withoutTokens } = await loadService();
    const showLink = createLinkBanner(say);
    const seedData = seed === undefined ? undefined : parseSeed(await readText(seed, context));
    const starting = startService({
      ...place,
      port,
      network,
      limits: perSecond === undefined ? undefined : { perSecond, inFlight: 64 },
      keepRunsMs: options.keepRuns,
      maxVals: options.maxVals ?? (isShared ? 10_000 : undefined),
      metrics: metricsPort === undefined ? undefined : { port: metricsPort, host: metricsHost },
      seed: seedData,
      onWarning: say.warn,
      onAnswered({ method, path, route, status, ms: exactMs }) {
        const ms = Math.round(exactMs);
        const line =
          options.log === 'json'
            ? stringifyJson({ time: new Date().toISOString(), method, route, status, ms })
            : `${method} ${withoutTokens(path)} ${status} ${ms} ms`;
        log.write(line);
      },
      // A browser may visit the service while the service is still starting.
      onRefusedVisit: () => void starting.then(({ pageLink }) => showLink(pageLink())).catch(() => {}),
      onStoreFailure: createFailureWarning(say),
    });
    const service = await starting;
    const { baseUrl } = service;
    // A shared service prints no token, because its output is usually kept in logs.
    const token = isShared ? undefined : service.token;
    if (seedData) {
      const counts = Object.entries(countSeed(seedData)).map(([kind, count]) => `${kind} ${count}`);
      log.write(`Loaded from ${seed}: ${counts.join(', ')}.`);
    }
    if (service.metricsPort !== undefined) {
      log.write(`Metrics on http://${metricsHost}:${service.metricsPort}/metrics.`);
    }
    const asJson = flags.json || flags.ndjson;
    await print(asJson ? stringifyJson({ baseUrl, ...(token !== undefined && { token }) }) : baseUrl);
    if (network && publicUrl) {
      log.write(`Listening on ${network.host}, port ${service.port}; answers only requests to ${baseUrl}.`);
    } else {
      showVariables(context, baseUrl, token);
      showLink(service.pageLink());
    }
    if (isShared) {
      say.banner('Each person needs a token from `vals user add <username>`. Then, on their machine:\n');
      say.banner(`  vals login --base-url ${quoteWord(baseUrl)}\n`);
    }
    say.banner('Press Ctrl-C to stop.\n');
    await aborted(signal);
    const isCtrlC = (signal.reason as InterruptedError).exit === 130;
    await beyondGracePeriod(async () => {
      // After SIGTERM, the clients of a shared service get time to move to another process. After Ctrl-C, a person
      // waits.
      if (isShared && !isCtrlC) await service.drain();
      await service.close();
    });
    log.close();
    if (isCtrlC) throw exitQuietly(signal.reason);
    return { kind: 'nothing' };
  },
});

function createLinkBanner(say: Context['say']): (link: string | undefined) => void {
  let shown: string | undefined;
  return (link) => {
    if (link === undefined || link === shown) return;
    shown = link;
    say.banner(`To see the vals in a browser, open this link. It works once:\n  ${link}\n`);
  };
}

function createFailureWarning(say: Context['say']): (error: ValsError) => void {
  let last = '';
  return (error) => {
    if (error.message !== last) say.warn(messageWithHint(error));
    last = error.message;
  };
}

function showVariables({ settings, say }: Context, baseUrl: string, token: string | undefined): void {
  const lines = [
    ...(settings.local.value ? ['unset VALS_LOCAL'] : []),
    `export VALS_BASE_URL=${baseUrl}`,
    ...(token === undefined ? [] : [`export VALS_TOKEN=${token}`]),
  ];
  say.banner('Only this machine can reach the service. To use it in another terminal:\n');
  say.instruct(lines.map((line) => `  ${line}\n`).join(''));
}

export function parsePort(text: string, option = '--port'): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > highestPort) {
    throw new UsageError(`${option} takes a number from 0 to ${highestPort}, not "${text}".`, {
      hint: `For a free port, use ${option} 0.`,
    });
  }
  return Number(text);
}

function parseKeepRuns(text: string): number {
  const age = parseAge(text);
  if (age !== undefined && age > 0) return age;
  throw new UsageError(`--keep-runs takes an age, not "${text}".`, { hint: 'For example 90d, 12w or 36h.' });
}
