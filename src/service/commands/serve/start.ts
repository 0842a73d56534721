import type { Run } from '../../../core/command-line/command.ts';
import { UsageError } from '../../../core/errors.ts';
import { readText } from '../../../core/files/read-text.ts';
import type { EmbeddedService, Network } from '../../index.ts';
import { requestsPerSecond, requestsUnderWay } from '../../limits.ts';
import { type NetworkOptions, networkOf, parseHost } from './network-options.ts';
import { type Report, reportEvent } from './report.ts';
import { type Place, storePlace } from './store-place.ts';

export interface ServeOptions extends NetworkOptions {
  port?: number;
  data: string | undefined;
  database: string | undefined;
  seed?: string;
  keepRuns?: number;
  metricsPort?: number;
  metricsHost?: string;
  log?: string;
  rate?: number;
}

export interface Setup extends Omit<ServeOptions, keyof NetworkOptions> {
  network: Network | undefined;
  place: Place;
  metrics: { port: number; host: string } | undefined;
  isShared: boolean;
}

export function readSetup(
  run: Pick<Run, 'flags' | 'settings' | 'host' | 'out'>,
  options: ServeOptions,
): Setup {
  const { metricsPort, metricsHost } = options;
  if (run.flags.allowHttp) {
    throw new UsageError('--allow-http has no meaning for `vals serve`.', {
      hint: 'Beyond this machine, use --tls-cert and --tls-key, or a proxy that serves HTTPS.',
    });
  }
  if (metricsHost !== undefined && metricsPort === undefined) {
    throw new UsageError('--metrics-host works only with --metrics-port.', {
      hint: 'For example --metrics-port 9464.',
    });
  }
  const network = networkOf(options, run.settings.cwd);
  const host = parseHost(metricsHost ?? '127.0.0.1', '--metrics-host');
  const place = storePlace(run, options);
  return {
    ...options,
    network,
    place,
    metrics: metricsPort === undefined ? undefined : { port: metricsPort, host },
    isShared: network?.publicUrl !== undefined || 'database' in place.location,
  };
}

export async function start(run: Run, setup: Setup, report: Report): Promise<EmbeddedService> {
  const { port = 8787, network, place, metrics, seed, isShared } = setup;
  const { startService, parseSeed, countSeed } = await import('../../index.ts');
  const perSecond = setup.rate ?? (isShared ? requestsPerSecond : undefined);
  const seedData = seed === undefined ? undefined : parseSeed(await readText(seed, run));
  const service = await startService({
    ...place.location,
    port,
    network,
    limits: {
      requests: perSecond === undefined ? undefined : { perSecond, inFlight: requestsUnderWay },
      keepRunsMs: setup.keepRuns,
    },
    metrics,
    seed: seedData,
    onEvent: (event) => reportEvent(report, event),
  });
  if (seedData) {
    const counts = Object.entries(countSeed(seedData)).map(([kind, count]) => `${kind} ${count}`);
    report.info(`Loaded from the file ${seed}: ${counts.join(', ')}.`);
  }
  return service;
}
