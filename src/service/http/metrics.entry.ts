import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FinishedRequest } from './server.ts';

export interface MetricSources {
  requestsUnderWay(): number;
  connections(): { inUse: number; waiting: number };
}

export interface RequestMetrics {
  contentType: string;
  count(request: FinishedRequest): void;
  text(): Promise<string>;
}

const bucketSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function countRequests(sources: MetricSources): RequestMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const count = requestMetrics(registry);
  stateMetrics(registry, sources);
  return { contentType: registry.contentType, count, text: () => registry.metrics() };
}

function requestMetrics(registry: Registry): RequestMetrics['count'] {
  const registers = [registry];
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
  return ({ method, route, status, ms }) => {
    requests.inc({ method, route, status });
    durations.observe({ method, route }, ms / 1_000);
  };
}

/** The state of the service, read at each visit. */
function stateMetrics(registry: Registry, { requestsUnderWay, connections }: MetricSources): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('vals_http_requests_in_progress', 'Requests that are not answered yet.', requestsUnderWay);
  gauge('vals_database_connections_in_use', 'Database connections in use.', () => connections().inUse);
  gauge(
    'vals_database_waiting',
    'Reads and writes that wait for a database connection.',
    () => connections().waiting,
  );
}
