import { UsageError, type ValsError } from '../errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createApp, type InternalError } from './app.ts';
import type { StoreLocation } from './database/database.ts';
import type { Certificate } from './http/certificate.ts';
import { createListener } from './http/listener.ts';
import { inUrl, loopbackOnly, type Network } from './http/network.ts';
import type { Limits } from './http/rate-limit.ts';
import { type FinishedRequest, listen, listenError, type Server } from './http/server.ts';
import { cleanUp } from './store/clean-up.ts';
import { openStore, type Store } from './store/open-store.ts';
import { countAll } from './store/records.ts';
import { loadSeed, type SeedData } from './store/seed.ts';

export { backupStore } from './backup/backup-store.ts';
export { DatabaseFailure, type StoreLocation } from './database/database.ts';
export { loopbackOnly, type Network } from './http/network.ts';
export { openStore, type Store } from './store/open-store.ts';
export { countSeed, parseSeed, type SeedData } from './store/seed.ts';
export { withoutTokens } from './store/tokens.ts';

export interface EmbeddedService {
  baseUrl: string;
  port: number;
  metricsPort: number | undefined;
  token: string | undefined;
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  port: number;
  network?: Network;
  limits?: Limits;
  seed?: SeedData;
  onWarning?(message: string): void;
  /** The store had an older schema, and was brought up to date. */
  onUpgrade?(message: string): void;
  clock?: Clock;
  keepRunsMs?: number;
  maxVals?: number;
  metrics?: { port: number; host: string };
  onFinished?(answered: FinishedRequest): void;
  onStoreFailure?(error: ValsError): void;
  /** The database works again. */
  onStoreRecovery?(): void;
  onInternalError?(failure: InternalError): void;
}

export async function startService(options: StoreLocation & ServiceOptions): Promise<EmbeddedService> {
  const { network = loopbackOnly, limits, clock = systemClock } = options;
  const certificate = await ownCertificate(network);
  const store = await openStore(options, {
    needsOwner: network.endsWithCommand,
    notesUse: !network.endsWithCommand,
    onStoreFailure: options.onStoreFailure,
    onStoreRecovery: options.onStoreRecovery,
  });
  if (store.upgrade !== undefined) options.onUpgrade?.(store.upgrade);
  const ended = new AbortController();
  try {
    if (options.seed) await seedOwner(store, options.seed);
    let draining = false;
    const app = createApp(store, {
      network,
      limits,
      maxVals: options.maxVals,
      isDraining: () => draining,
      onInternalError: options.onInternalError,
    });
    const server = await listen(createListener(app), {
      host: network.host,
      port: options.port,
      certificate: certificate?.current,
      isBehindProxy: network.publicUrl !== undefined && certificate === undefined,
      onFinished(answered) {
        metrics?.count(answered);
        options.onFinished?.(answered);
      },
    });
    const metrics = options.metrics && (await startMetrics(store, server, options.metrics));
    void cleanUp(store.db, { keepRunsMs: options.keepRunsMs, clock, signal: ended.signal });
    const { port } = server;
    const stopRenewing = certificate?.renew(clock, server.renew, options.onWarning);
    let closed: Promise<void> | undefined;
    const baseUrl = network.publicUrl?.origin ?? `http://${inUrl(network.host)}:${port}`;
    return {
      baseUrl,
      port,
      token: store.owner?.token,
      drain() {
        draining = true;
        return server.drain();
      },
      metricsPort: metrics?.port,
      close() {
        stopRenewing?.();
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
    connections: store.db.connections,
    counts: () => countAll(store.db),
  });
  const served = await listen(port, host).catch(async (error) => {
    await closeServer();
    throw listenError(error, host, port, '--metrics-port');
  });
  return { count, ...served };
}

async function seedOwner(store: Store, seed: SeedData): Promise<void> {
  if (store.owner) return loadSeed(store.db, store.owner.user, seed);
  throw new UsageError('--seed needs a store in a file, but this service uses a shared database.', {
    hint: 'Omit --seed, or use a file: `vals serve --data <file> --seed <file>`.',
  });
}

/** Most services need no certificate, and start sooner without Node's TLS. */
async function ownCertificate({ certificate: files }: Network) {
  if (files === undefined) return undefined;
  const { readCertificate, watchCertificate } = await import('./http/certificate.ts');
  return {
    current: readCertificate(files),
    renew: (clock: Clock, use: (renewed: Certificate) => void, onWarning?: ServiceOptions['onWarning']) =>
      watchCertificate(files, clock, {
        onRenewed: use,
        onProblem: (message) => onWarning?.(`${message} The previous certificate is still in use.`),
      }),
  };
}
