import type { IncomingMessage } from 'node:http';
import { type LocalError, UsageError } from '../errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createApp } from './app.ts';
import type { StoreLocation } from './database/database.ts';
import { type Certificate, readCertificate, watchCertificate } from './http/certificate.ts';
import { createListener } from './http/listener.ts';
import { inUrl, loopbackOnly, type Network } from './http/network.ts';
import type { Limits } from './http/rate-limit.ts';
import { type AnsweredRequest, listen, listenError, type Server } from './http/server.ts';
import { createPageAccess } from './pages/page-access.ts';
import { loadSeed, type SeedData } from './store/seed.ts';
import { openStore, type Store } from './store/store.ts';

export { DatabaseFailure, type StoreLocation } from './database/database.ts';
export { loopbackOnly, type Network } from './http/network.ts';
export { countSeed, parseSeed, type SeedData } from './store/seed.ts';
export { openStore, type Store } from './store/store.ts';
export { withoutTokens } from './store/users.ts';

export interface EmbeddedService {
  baseUrl: string;
  port: number;
  metricsPort: number | undefined;
  token: string | undefined;
  pageLink(): string | undefined;
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  port: number;
  network?: Network;
  limits?: Limits;
  seed?: SeedData;
  onWarning?(message: string): void;
  clock?: Clock;
  keepRunsMs?: number;
  maxVals?: number;
  metrics?: { port: number; host: string };
  onAnswered?(answered: AnsweredRoute): void;
  onRefusedVisit?(): void;
  onStoreFailure?(error: LocalError): void;
  onInternalError?(failure: InternalError): void;
}

export interface InternalError {
  method: string;
  route: string;
  error: Error;
}

export interface AnsweredRoute extends Omit<AnsweredRequest, 'incoming'> {
  route: string;
}

export async function startService(options: StoreLocation & ServiceOptions): Promise<EmbeddedService> {
  const { network = loopbackOnly, limits } = options;
  const certificate = readOwnCertificate(network, options.onWarning);
  const store = await openStore(options, options);
  const ended = new AbortController();
  try {
    if (options.seed) await seedOwner(store, options.seed);
    const pageAccess = createPageAccess();
    let draining = false;
    const patterns = new WeakMap<IncomingMessage, string>();
    const routeOf = (incoming: IncomingMessage) => patterns.get(incoming) ?? 'none';
    const app = createApp(store, {
      network,
      limits,
      isDraining: () => draining,
      pageAccess,
      onRefusedVisit: options.onRefusedVisit,
      onRoute: (incoming, pattern) => patterns.set(incoming, pattern),
      onStoreFailure: (error) => options.onStoreFailure?.(store.explain(error)),
      onInternalError: (incoming, error) =>
        options.onInternalError?.({ method: incoming.method ?? '', route: routeOf(incoming), error }),
    });
    const server = await listen(createListener(app), {
      host: network.host,
      port: options.port,
      certificate,
      isBehindProxy: network.publicUrl !== undefined && certificate === undefined,
      onAnswered({ incoming, ...answered }) {
        const route = routeOf(incoming);
        metrics?.count({ ...answered, route });
        options.onAnswered?.({ ...answered, route, path: pageAccess.hideSecret(answered.path) });
      },
    });
    const metrics = options.metrics && (await startMetrics(store, server, options.metrics));
    if (options.keepRunsMs !== undefined) {
      void store.deleteOldRuns(options.keepRunsMs, options.clock ?? systemClock, ended.signal);
    }
    const { port } = server;
    const stopWatching = renewCertificate(network, server.renew, options);
    let closed: Promise<void> | undefined;
    const baseUrl = network.publicUrl?.origin ?? `http://${inUrl(network.host)}:${port}`;
    return {
      baseUrl,
      port,
      token: store.owner?.token,
      pageLink: () => (store.owner && !network.publicUrl ? `${baseUrl}/?key=${pageAccess.key}` : undefined),
      drain() {
        draining = true;
        return server.drain();
      },
      metricsPort: metrics?.port,
      close() {
        stopWatching();
        ended.abort();
        metrics?.close();
        closed ??= server.close().finally(store.close);
        return closed;
      },
    };
  } catch (error) {
    await store.close();
    throw error instanceof UsageError ? error : store.explain(error);
  }
}

async function startMetrics(
  store: Store,
  { requestsUnderWay, close: closeServer }: Server,
  { port, host }: { port: number; host: string },
) {
  const { createMetrics } = await import('./http/metrics.ts');
  const { count, listen } = createMetrics({
    requestsUnderWay,
    connections: store.connections,
    counts: store.counts,
  });
  const served = await listen(port, host).catch(async (error) => {
    await closeServer();
    throw listenError(error, host, port, '--metrics-port');
  });
  return { count, ...served };
}

async function seedOwner(store: Store, seed: SeedData): Promise<void> {
  if (store.owner) return loadSeed(store, store.owner.user, seed);
  throw new UsageError('--seed needs a store in a file, but this service uses a shared database.', {
    hint: 'Omit --seed, or use a file: `vals serve --data <file> --seed <file>`.',
  });
}

function readOwnCertificate(
  { certificate, publicUrl }: Network,
  onWarning: (message: string) => void = () => {},
): Certificate | undefined {
  if (certificate === undefined || publicUrl === undefined) return undefined;
  const read = readCertificate(certificate, publicUrl.hostname, Date.now());
  for (const warning of read.warnings) onWarning(warning);
  return read;
}

function renewCertificate(
  network: Network,
  use: (certificate: Certificate) => void,
  { clock = systemClock, onWarning }: { clock?: Clock; onWarning?(message: string): void },
): () => void {
  if (network.certificate === undefined) return () => {};
  return watchCertificate(network.certificate, clock, () => {
    try {
      const renewed = readOwnCertificate(network, onWarning);
      if (renewed) use(renewed);
    } catch (error) {
      onWarning?.(`${(error as Error).message} The previous certificate is still in use.`);
    }
  });
}
