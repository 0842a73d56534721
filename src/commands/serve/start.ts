import type { Context } from '../../cli/context.ts';
import { messageWithHint, UsageError, type ValsError } from '../../errors.ts';
import { stringifyJson } from '../../lib/json.ts';
import { warnWith } from '../../lib/say.ts';
import type { EmbeddedService, Network } from '../../service/index.ts';
import { mostVals, requestsPerSecond, requestsUnderWay } from '../../service/limits.ts';
import { readText } from '../../workspace/sources/read-text.ts';
import { type NetworkOptions, networkOf, parseHost } from './network-options.ts';
import { type Place, storePlace } from './store-place.ts';

interface ServeOptions extends NetworkOptions {
  port?: number;
  data: string | undefined;
  database: string | undefined;
  seed?: string;
  keepRuns?: number;
  maxVals?: number;
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

export type Log = Awaited<ReturnType<Context['openLog']>>;

export function readSetup(context: Context, options: ServeOptions): Setup {
  const { metricsPort, metricsHost } = options;
  if (metricsHost !== undefined && metricsPort === undefined) {
    throw new UsageError('--metrics-host works only with --metrics-port.', {
      hint: 'For example --metrics-port 9464.',
    });
  }
  const network = networkOf(options, context.settings.cwd);
  const host = parseHost(metricsHost ?? '127.0.0.1', '--metrics-host');
  const place = storePlace(context, options);
  return {
    ...options,
    network,
    place,
    metrics: metricsPort === undefined ? undefined : { port: metricsPort, host },
    isShared: network?.publicUrl !== undefined || 'database' in place.location,
  };
}

export async function start(context: Context, setup: Setup, log: Log): Promise<EmbeddedService> {
  const { say } = context;
  const { port = 8787, network, place, metrics, seed, isShared } = setup;
  const { startService, parseSeed, countSeed, withoutTokens } = await import('../../service/index.ts');
  const isJson = setup.log === 'json';
  const perSecond = setup.rate ?? (isShared ? requestsPerSecond : undefined);
  const seedData = seed === undefined ? undefined : parseSeed(await readText(seed, context));
  const starting = startService({
    ...place.location,
    port,
    network,
    limits: perSecond === undefined ? undefined : { perSecond, inFlight: requestsUnderWay },
    keepRunsMs: setup.keepRuns,
    maxVals: setup.maxVals ?? (isShared ? mostVals : undefined),
    metrics,
    seed: seedData,
    onWarning: warnWith(say),
    onUpgrade: log.write,
    onFinished({ method, path, route, status, ms: exactMs }) {
      const ms = Math.round(exactMs);
      const line = isJson
        ? stringifyJson({ time: new Date().toISOString(), method, route, status, ms })
        : `${method} ${withoutTokens(path)} ${status} ${ms} ms`;
      log.write(line);
    },
    onStoreFailure: createFailureWarning(say),
    onInternalError({ method, route, error }) {
      const text = withoutTokens(error.stack ?? `${error}`);
      const record = { time: new Date().toISOString(), method, route, error: text };
      const lines = [`Internal error in ${method} ${route}:`, ...text.split('\n').map((line) => `  ${line}`)];
      for (const line of isJson ? [stringifyJson(record)] : lines) log.write(line);
    },
  });
  const service = await starting;
  if (seedData) {
    const counts = Object.entries(countSeed(seedData)).map(([kind, count]) => `${kind} ${count}`);
    log.write(`Loaded from the file ${seed}: ${counts.join(', ')}.`);
  }
  return service;
}

function createFailureWarning(say: Context['say']): (error: ValsError) => void {
  let last = '';
  return (error) => {
    if (error.message !== last) say({ kind: 'warning', text: messageWithHint(error) });
    last = error.message;
  };
}
