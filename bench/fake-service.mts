import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

interface Options {
  delayMs?: number;
  /** Further requests are refused with 429. */
  mostAtATime?: number;
  /** More requests than this are refused with 429, but for a burst of ten. */
  mostPerSecond?: number;
  /** What a refusal asks for, in seconds. */
  retryAfter?: string;
  /** With more requests than this at a time, each takes longer, so that the service does less in all. */
  knee?: number;
  secure?: boolean;
}

export interface FakeService {
  baseUrl: string;
  /** The settings of vals for it. */
  env: Record<string, string>;
  /** How many vals arrived since the last call. */
  countPushed(): number;
  /** How many of 100 requests were refused since the last call. The first second after it does not count. */
  refusedOfHundred(): number;
}

/** With NODE_EXTRA_CA_CERTS, Node would accept the certificate too, but Node 20 would need 70 ms more. */
export const anyCertificate = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };

const pem = readFileSync(new URL('../test/support/certificates/good.pem', import.meta.url));

/** A service that answers at once, or after a delay, so that a client is measured and not the service. */
export async function withFakeService<Result>(
  options: Options,
  use: (service: FakeService) => Promise<Result>,
): Promise<Result> {
  const { delayMs = 0, mostAtATime = Infinity, knee = Infinity, secure = false } = options;
  const isInRate = rateOf(options.mostPerSecond);
  const pushed = new Set<string>();
  const counts = { since: 0, requests: 0, refused: 0 };
  let underWay = 0;

  const listener: RequestListener = async (request, response) => {
    const reply = (status: number, body: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    const isRefused = underWay >= mostAtATime || !isInRate();
    counts.since ||= performance.now();
    if (performance.now() > counts.since + 1_000) {
      counts.requests += 1;
      if (isRefused) counts.refused += 1;
    }
    if (isRefused) {
      request.resume();
      const { retryAfter } = options;
      return reply(429, { status: 429 }, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
    }
    underWay += 1;
    const beyondKnee = underWay > knee ? (underWay - knee) / knee : 0;
    const ms = delayMs * (1 + beyondKnee ** 2);
    const [body] = await Promise.all([text(request), ms > 0 && setTimeout(ms)]);
    underWay -= 1;
    const route = `${request.method} ${request.url}`;
    if (route === 'GET /v1/me') return reply(200, { id: idOf(0), username: 'ada' });
    if (route !== 'PUT /v1/vals') return reply(404, { status: 404 });
    const { name } = JSON.parse(body);
    pushed.add(name);
    reply(200, { id: idOf(pushed.size), name, version: 1 });
  };

  const server = secure ? createSecureServer({ key: pem, cert: pem }, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const baseUrl = `${secure ? 'https' : 'http'}://127.0.0.1:${port}`;
  try {
    return await use({
      baseUrl,
      env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: 'bench-token-1f0c9a7e', ...(secure && anyCertificate) },
      countPushed() {
        const { size } = pushed;
        pushed.clear();
        return size;
      },
      refusedOfHundred() {
        const share = (100 * counts.refused) / Math.max(1, counts.requests);
        Object.assign(counts, { since: 0, requests: 0, refused: 0 });
        return share;
      },
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function rateOf(mostPerSecond = Infinity, burst = 10): () => boolean {
  let left = burst;
  let before = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - before) / 1_000) * mostPerSecond);
    before = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

const idOf = (index: number) => `1c9a7e00-1b2d-4c3e-8f4a-${String(index).padStart(12, '0')}`;
