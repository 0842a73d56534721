import { createServer } from 'node:http';
import { join } from 'node:path';
import type { MetricSources, RequestMetrics } from './metrics.entry.ts';
import { startListening } from './server.ts';

export interface Metrics extends Pick<RequestMetrics, 'count'> {
  port: number;
  close(): void;
}

export async function serveMetrics(
  sources: MetricSources,
  address: { port: number; host: string },
): Promise<Metrics> {
  const { countRequests } = await loadMetrics();
  const { count, contentType, text } = countRequests(sources);
  const server = createServer(async ({ method, url }, outgoing) => {
    const isRead = method === 'GET' || method === 'HEAD';
    if (url?.replace(/\?.*/s, '') !== '/metrics' || !isRead) {
      outgoing.writeHead(404).end();
      return;
    }
    const body = await text();
    outgoing.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body);
  });
  const port = await startListening(server, address, '--metrics-port');
  return {
    port,
    count,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Few services are asked for metrics, so the others do not load prom-client. */
const loadMetrics = (): Promise<typeof import('./metrics.entry.ts')> =>
  import(join(DIST, 'service', 'metrics.cjs'));
