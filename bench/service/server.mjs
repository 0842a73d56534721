// The service that clients are measured against, a process of its own: it must never be what they wait for, except
// for the delay that it was told to keep. Started by start.mjs, and gone when that process goes.
import { createServer } from 'node:net';
import { requestReader } from './requests.mjs';
import { createRunList, jsonAnswer } from './runs.mjs';

const { delayMs, runs, makesPages } = JSON.parse(process.argv[2] ?? '{}');

const counts = { connections: 0, requests: 0, heldMs: 0 };
/** @type {ReturnType<typeof createRunList>} */
let pageOfRuns;
/** @type {Set<string>} */
const pushed = new Set();

const me = jsonAnswer({ id: '7d1c9a7e-1b2d-4c3e-8f4a-000000000001', username: 'ada' });
const unknown = jsonAnswer({ title: 'Not Found', status: 404 }, '404 Not Found');

const server = createServer({ noDelay: true }, (socket) => {
  counts.connections += 1;
  socket.on('error', () => {});
  socket.on(
    'data',
    requestReader((request) => {
      counts.requests += 1;
      const answer = answerTo(request);
      if (delayMs === 0) {
        socket.write(answer);
        return;
      }
      const since = performance.now();
      setTimeout(() => {
        counts.heldMs += performance.now() - since;
        socket.write(answer);
      }, delayMs);
    }),
  );
});

server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const baseUrl = `http://127.0.0.1:${port}`;
  pageOfRuns = createRunList(baseUrl, runs, makesPages);
  process.send?.({ baseUrl });
});

process.on('message', () => {
  process.send?.({ ...counts, vals: pushed.size });
  Object.assign(counts, { connections: 0, requests: 0, heldMs: 0 });
  pushed.clear();
});
process.on('disconnect', () => process.exit());

/** @param {import('./requests.mjs').Request} request */
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
