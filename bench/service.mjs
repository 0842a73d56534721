// bench.mjs starts this service as a process. The service is so fast that only `delayMs` slows a client down.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';

const { delayMs, runs, secure, mostAtATime = Infinity } = JSON.parse(process.argv[2] ?? '{}');

const none = { connections: 0, requests: 0, heldMs: 0, refused: 0 };
const counts = { ...none };
let underWay = 0;
/** @type {ReturnType<typeof createRunList>} */
let pageOfRuns;
/** @type {Set<string>} */
const pushed = new Set();

const me = jsonAnswer({ id: '7d1c9a7e-1b2d-4c3e-8f4a-000000000001', username: 'ada' });
const unknown = jsonAnswer({ title: 'Not Found', status: 404 }, '404 Not Found');
const tooMany = jsonAnswer({ status: 429 }, '429 Too Many Requests\r\nRetry-After: 0');

const server = secure
  ? createSecureServer({ ...certificate(), noDelay: true }, serve)
  : createServer({ noDelay: true }, serve);

function certificate() {
  const pem = readFileSync(new URL('../test/support/certificates/good.pem', import.meta.url));
  return { key: pem, cert: pem };
}

/** @param {import('node:net').Socket} socket */
function serve(socket) {
  counts.connections += 1;
  socket.on('error', () => {});
  socket.on(
    'data',
    requestReader((request) => {
      const since = performance.now();
      counts.requests += 1;
      if (underWay >= mostAtATime) {
        counts.refused += 1;
        socket.write(tooMany);
        return;
      }
      const answer = answerTo(request);
      if (delayMs === 0) {
        socket.write(answer);
        return;
      }
      underWay += 1;
      setTimeout(() => {
        underWay -= 1;
        counts.heldMs += performance.now() - since;
        socket.write(answer);
      }, delayMs);
    }),
  );
}

server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const baseUrl = `http${secure ? 's' : ''}://127.0.0.1:${port}`;
  pageOfRuns = createRunList(baseUrl, runs);
  process.send?.({ baseUrl });
});

process.on('message', () => {
  process.send?.({ ...counts, vals: pushed.size });
  Object.assign(counts, none);
  pushed.clear();
});
process.on('disconnect', () => process.exit());

/** @param {Request} request */
function answerTo({ method, target, body }) {
  if (method === 'PUT' && target === '/v1/vals') {
    const { name } = JSON.parse(body);
    pushed.add(name);
    const id = `1c9a7e00-1b2d-4c3e-8f4a-${String(pushed.size).padStart(12, '0')}`;
    return jsonAnswer({ id, name, version: 1 });
  }
  if (method === 'GET' && target === '/v1/me') return me;
  const [path, query] = target.split('?', 2);
  if (method !== 'GET' || path !== '/v1/me/runs') return unknown;
  const asked = new URLSearchParams(query);
  return pageOfRuns(Number(asked.get('limit') ?? 20), Number(asked.get('offset') ?? 0));
}

/** @typedef {{ method: string, target: string, body: string }} Request */

/**
 * @param {(request: Request) => void} onRequest
 * @returns {(bytes: Buffer) => void}
 */
function requestReader(onRequest) {
  /** @type {Buffer} */
  let pending = Buffer.alloc(0);
  return (bytes) => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = pending.toString('latin1', 0, headEnd);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (pending.length < end) return;
      const [method = '', target = ''] = head.split(' ', 2);
      const body = pending.toString('utf8', headEnd + 4, end);
      pending = pending.subarray(end);
      onRequest({ method, target, body });
    }
  };
}

const failure =
  'TypeError: Cannot read properties of undefined (reading "items") at summarise (line 42), called by the schedule, attempt 3 of 3: gave up';

/** @param {number} index */
function runAt(index) {
  const hex = (index + 1).toString(16).padStart(12, '0');
  const startedAt = Date.UTC(2026, 0, 31) - index * 60_000;
  return {
    id: `5f0c9a7e-1b2d-4c3e-8f4a-${hex}`,
    val: { id: `0a1b2c3d-4e5f-4a6b-9c7d-${hex}`, name: `measuredVal${index % 50}`, version: 1 + (index % 9) },
    runStartAt: new Date(startedAt).toISOString(),
    runEndAt: new Date(startedAt + 1 + (index % 997)).toISOString(),
    error: index % 2 === 0 ? failure : null,
  };
}

/**
 * @param {string} baseUrl
 * @param {number} total
 */
function createRunList(baseUrl, total) {
  /** @param {number} limit @param {number} offset */
  function makePage(limit, offset) {
    const link = (/** @type {number} */ at) => `${baseUrl}/v1/me/runs?limit=${limit}&offset=${at}`;
    const end = Math.min(total, offset + limit);
    const data = Array.from({ length: Math.max(0, end - offset) }, (_, index) => runAt(offset + index));
    return jsonAnswer({ data, links: { self: link(offset), ...(end < total && { next: link(end) }) } });
  }
  /** @type {Map<string, Buffer>} */
  const ready = new Map();
  /** @param {number} limit @param {number} offset */
  function readyPage(limit, offset) {
    const key = `${limit} ${offset}`;
    const page = ready.get(key) ?? makePage(limit, offset);
    ready.set(key, page);
    return page;
  }
  for (let offset = 0; offset < total; offset += 100) readyPage(100, offset);
  return readyPage;
}

/**
 * @param {unknown} body
 * @param {string} [status]
 * @returns {Buffer}
 */
function jsonAnswer(body, status = '200 OK') {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`,
  );
}
