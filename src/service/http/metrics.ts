import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

interface MeasuredRequest {
  method: string;
  route: string;
  status: number;
  ms: number;
}

export interface MetricSources {
  connections(): { inUse: number; waiting: number };
  counts(): Promise<{ vals: number; runs: number }>;
}

interface MetricsListener {
  port: number;
  host: string;
  requestsUnderWay(): number;
}

export interface Metrics {
  count(request: MeasuredRequest): void;
  listen(on: MetricsListener): Promise<{ port: number; close(): void }>;
}

const countTimeoutMs = 1_000;
const bucketSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function createMetrics({ connections, counts }: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'vals_http_requests_total',
    help: 'Requests that were answered. Status 499: the client disconnected before the reply.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'vals_http_request_duration_seconds',
    help: 'Seconds from the beginning of a request to the end of its reply.',
    labelNames: ['method', 'route'],
    buckets: bucketSeconds,
    registers,
  });
  const gauge = (name: string, help: string, read?: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      ...(read && {
        collect() {
          this.set(read());
        },
      }),
    });
  gauge('vals_database_connections_in_use', 'Database connections in use.', () => connections().inUse);
  gauge(
    'vals_database_waiting',
    'Reads and writes that wait for a database connection.',
    () => connections().waiting,
  );
  const vals = gauge('vals_vals', 'Number of vals of all owners. NaN before the first count.');
  const runs = gauge('vals_runs', 'Number of runs of all owners. NaN before the first count.');
  vals.set(Number.NaN);
  runs.set(Number.NaN);

  /** Keeps the previous counts if the database does not answer in time. */
  async function recount(): Promise<void> {
    const timeout = sleep(countTimeoutMs, undefined, { ref: false });
    const found = await Promise.race([counts().catch(() => undefined), timeout]);
    if (!found) return;
    vals.set(found.vals);
    runs.set(found.runs);
  }

  return {
    count({ method, route, status, ms }) {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, ms / 1_000);
    },
    listen({ port, host, requestsUnderWay }) {
      gauge('vals_http_requests_in_progress', 'Requests that are not answered yet.', requestsUnderWay);
      return serveMetrics(registry, recount, { port, host });
    },
  };
}

async function serveMetrics(
  registry: Registry,
  recount: () => Promise<void>,
  { port, host }: { port: number; host: string },
): ReturnType<Metrics['listen']> {
  const server = createServer(async ({ method, url }, outgoing) => {
    const isRead = method === 'GET' || method === 'HEAD';
    if (url?.replace(/\?.*/s, '') !== '/metrics' || !isRead) {
      outgoing.writeHead(404).end();
      return;
    }
    await recount();
    const text = await registry.metrics();
    outgoing.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
