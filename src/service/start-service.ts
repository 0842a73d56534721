import { systemClock } from '../core/lib/waiting.ts';
import { createApp } from './app.ts';
import type { StoreLocation } from './database/database.ts';
import type { CertificateFiles } from './http/certificate.ts';
import type { Metrics } from './http/metrics.ts';
import { inUrl, loopbackOnly, type Network } from './http/network.ts';
import { type FinishedRequest, type InternalError, listen } from './http/server.ts';
import { cleanUp } from './store/clean-up.ts';
import { openStore, type StoreEvent } from './store/open-store.ts';

export { backupStore, hasLog } from './backup/backup-store.ts';
export { DatabaseFailure, type StoreLocation } from './database/database.ts';
export type { Network } from './http/network.ts';
export { openStore, type Store } from './store/open-store.ts';
export { withoutTokens } from './store/tokens.ts';

export interface EmbeddedService {
  baseUrl: string;
  port: number;
  metricsPort: number | undefined;
  token: string | undefined;
  close(): Promise<void>;
}

/** What a service tells its operator while it runs. */
export type ServiceEvent =
  | StoreEvent
  | { kind: 'answered'; request: FinishedRequest }
  | { kind: 'internal error'; failure: InternalError }
  | { kind: 'runs deleted'; count: number };

export interface ServiceOptions {
  port: number;
  network?: Network;
  keepRunsMs?: number | undefined;
  /** The service runs inside of one command. */
  endsWithCommand?: boolean;
  metrics?: { port: number; host: string };
  onEvent?(event: ServiceEvent): void;
}

export async function startService(options: StoreLocation & ServiceOptions): Promise<EmbeddedService> {
  const { network = loopbackOnly, keepRunsMs } = options;
  const tell = (event: ServiceEvent) => options.onEvent?.(event);
  const onInternalError = (failure: InternalError) => tell({ kind: 'internal error', failure });
  const certificate = network.certificate && (await openCertificate(network.certificate));
  const store = await openStore(options, {
    tokenFor: options.endsWithCommand ? 'command' : 'owner',
    onEvent: tell,
  });
  const ended = new AbortController();
  try {
    let metrics: Metrics | undefined;
    const app = createApp(store, {
      network,
      onInternalError,
    });
    const server = await listen(app, {
      host: network.host,
      port: options.port,
      certificate,
      onFinished(request) {
        metrics?.count(request);
        tell({ kind: 'answered', request });
      },
      onInternalError,
    });
    try {
      if (options.metrics) {
        const { serveMetrics } = await import('./http/metrics.ts');
        metrics = await serveMetrics({ ...server, connections: store.db.connections }, options.metrics);
      }
    } catch (error) {
      await server.close();
      throw error;
    }
    void cleanUp(store.db, {
      keepRunsMs,
      clock: systemClock,
      signal: ended.signal,
      onRunsDeleted: (count) => tell({ kind: 'runs deleted', count }),
    });
    const { port } = server;
    let closed: Promise<void> | undefined;
    const baseUrl = network.publicUrl?.origin ?? `http://${inUrl(network.host)}:${port}`;
    return {
      baseUrl,
      port,
      token: store.owner?.token,
      metricsPort: metrics?.port,
      close() {
        ended.abort();
        metrics?.close();
        closed ??= server.close().finally(store.close);
        return closed;
      },
    };
  } catch (error) {
    await store.close();
    throw store.db.explain(error);
  }
}

/** Most services need no certificate, and start sooner without Node's TLS. */
async function openCertificate(files: CertificateFiles) {
  const { readCertificate } = await import('./http/certificate.ts');
  return readCertificate(files);
}
