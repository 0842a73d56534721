import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen as listenForRequests } from '../../../src/service/http/server.ts';
import { isLong } from '../../support/cases.ts';
import { listen } from '../../support/listen.ts';
import {
  ask,
  behindProxy,
  createVal,
  get,
  speak,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

let service: TemporaryService;
beforeAll(async () => {
  service = await temporaryService();
});

const head = (line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${service.port}`, ...more, '', ''].join('\r\n');
const signed = () => `Authorization: Bearer ${service.token}`;
const me = () => head('GET /v1/me', signed());
const chunked = (name: string) =>
  head('PUT /v1/vals', signed(), 'Content-Type: application/json', 'Transfer-Encoding: chunked') +
  `1\r\n{\r\n16\r\n"name":"${name}","code":"c"}\r\n0\r\n\r\n`;
const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

async function openConnection() {
  const socket = connect(service.port, '127.0.0.1').setNoDelay();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { socket, answer: () => nextAnswer(socket) };
}

async function nextAnswer(socket: Socket): Promise<number> {
  let text = '';
  for (;;) {
    const [chunk] = await once(socket, 'data');
    text += chunk;
    const [, size] = /\r\nContent-Length: (\d+)\r\n/i.exec(text) ?? [];
    const end = text.indexOf('\r\n\r\n');
    if (end > 0 && text.length - end - 4 >= Number(size ?? 0)) return statusesOf(text)[0] ?? 0;
  }
}

describe('a connection takes the next request', () => {
  const json = 'Content-Type: application/json';
  const refusals: [number, () => string[]][] = [
    [401, () => ['POST /v1/vals', 'Authorization: Bearer wrong', json]],
    [404, () => ['POST /v1/nothing', signed(), json]],
    [405, () => ['PUT /v1/me', signed(), json]],
    [413, () => ['POST /v1/vals', signed(), json]],
    [415, () => ['POST /v1/vals', signed(), 'Content-Type: text/plain']],
  ];

  test.each(refusals)('after the status %i', async (status, lines) => {
    const size = status === 413 ? 4 * 1024 * 1024 + 1 : 40_000;
    const tries = isLong ? 500 : 12;
    const body = Buffer.alloc(size, ' ');
    const { socket, answer } = await openConnection();
    const [line = '', ...headers] = lines();
    const statuses = new Map<string, number>();
    for (let i = 0; i < tries; i++) {
      const answered = answer();
      const sentFirst = [0, 1, 20_000, size][i % 4];
      socket.write(head(line, ...headers, `Content-Length: ${size}`));
      socket.write(body.subarray(0, sentFirst));
      const early = await answered;
      const next = answer();
      socket.write(body.subarray(sentFirst));
      socket.write(me());
      const both = `${early} ${await next}`;
      statuses.set(both, (statuses.get(both) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ [`${status} 200`]: tries });
  });

  test('with a chunked body, right after the body of a refused request', async () => {
    const { socket, answer } = await openConnection();
    const refused = answer();
    socket.write(head('POST /v1/vals', 'Content-Length: 5', json));
    expect(await refused).toBe(401);
    const next = answer();
    socket.write(`12345${chunked('n')}`);
    expect(await next).toBe(201);
  });

  test('after 401, from other callers of a proxy that keeps its connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const proxy = createServer((incoming, outgoing) => {
      const { method, headers, url: path } = incoming;
      const forwarded = request({ port: service.port, method, path, headers, agent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.writeHead(502).end());
      incoming.pipe(forwarded);
    });
    onTestFinished(() => agent.destroy());
    const through = { baseUrl: `http://127.0.0.1:${await listen(proxy)}` };
    const headers = { Host: `127.0.0.1:${service.port}` };
    const count = isLong ? 500 : 50;
    const repeat = async (token: string | null, raw: string | undefined) => {
      const statuses: number[] = [];
      for (let i = 0; i < count; i++) {
        const [method, path] = raw ? ['POST', '/v1/vals'] : ['GET', '/v1/me'];
        statuses.push((await ask(through, method as string, path as string, { token, headers, raw })).status);
      }
      return new Set(statuses);
    };
    const [stranger, user] = await Promise.all([
      repeat(null, ' '.repeat(100_000)),
      repeat(service.token, undefined),
    ]);
    expect([[...stranger], [...user]]).toEqual([[401], [200]]);
  });
});

test('a body that no route reads does not stay in memory, and ends its connection if it has too many pieces', async () => {
  const get = head('GET /v1/me', signed(), 'Content-Type: application/json', 'Transfer-Encoding: chunked');
  const pieces = (count: number) => `${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`;
  const last = head('GET /v1/me', signed(), 'Connection: close');
  expect(statusesOf(await speak(service.port, get + pieces(4_000) + last))).toEqual([200, 200]);
  expect(statusesOf(await speak(service.port, get + pieces(5_000) + last))).toEqual([]);
});

test('few chunks of a body are in memory before a route reads it', async () => {
  let waiting: IncomingMessage | undefined;
  const onRequest = (incoming: IncomingMessage) => {
    waiting = incoming;
  };
  const server = await listenForRequests(onRequest, { host: '127.0.0.1', port: 0, isLimited: () => false });
  onTestFinished(server.close);
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    waiting?.destroy();
  });
  socket.write(head('PUT /', 'Transfer-Encoding: chunked'));
  for (let count = 0; count < 60; count++) {
    await new Promise((sent) => socket.write('1\r\nx\r\n'.repeat(1_000), sent));
  }
  await expect.poll(() => waiting?.readableLength).toBeGreaterThan(0);
  // Node parses at most 64 KiB, or 10,922 chunks, at once.
  expect(waiting?.readableLength).toBeLessThan(12_000);
});

test('an address that sends several requests with too many headers is not read for a second', async () => {
  const server = await listenForRequests((_, outgoing) => void outgoing.end(), {
    host: '127.0.0.1',
    port: 0,
    isLimited: () => true,
  });
  onTestFinished(server.close);
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const askOnce = () => {
    socket.write(head('GET /'));
    return nextAnswer(socket);
  };
  expect(await askOnce()).toBe(200);
  const tooMany = head('GET /', ...Array.from({ length: 100 }, (_, i) => `X-${i}: x`));
  for (let i = 0; i < 6; i++) expect(statusesOf(await speak(server.port, tooMany))).toEqual([431]);
  const start = performance.now();
  expect(await askOnce()).toBe(200);
  expect(performance.now() - start).toBeGreaterThan(500);
});

describe('requests sent ahead', () => {
  const put = (name: string, code: string) => {
    const body = JSON.stringify({ name, code });
    const headers = [signed(), 'Content-Type: application/json', `Content-Length: ${body.length}`];
    return head('PUT /v1/vals', ...headers) + body;
  };
  const last = () => head('GET /v1/me', signed(), 'Connection: close');

  test('are answered in order, reads and writes alike', async () => {
    const val = await createVal(service, { name: 'ahead', code: '0' });
    const count = isLong ? 1_000 : 200;
    const requests = Array.from({ length: count }, (_, i) =>
      i % 2 === 0 ? put('ahead', `${i + 1}`) : head(`GET /v1/vals/${val.id}`, signed()),
    );
    const answers = await speak(service.port, requests.join('') + last());
    const codes = [...answers.matchAll(/"code":"(\d+)"/g)].map(([, code]) => Number(code));
    expect(codes).toEqual(Array.from({ length: count }, (_, i) => i - (i % 2) + 1));
    expect(statusesOf(answers)).toEqual(Array(count + 1).fill(200));
    expect((await get(service, `/v1/vals/${val.id}`)).version).toBe(count / 2 + 1);
  });

  test('behind a refused request are answered too', async () => {
    const refused = head('POST /v1/vals', 'Content-Length: 5', 'Content-Type: application/json');
    const answers = await speak(service.port, `${me()}${refused}12345${me()}${last()}`);
    expect(statusesOf(answers)).toEqual([200, 401, 200, 200]);
  });

  test('with a chunked body are refused, because each chunk would stay in memory until its turn', async () => {
    expect(statusesOf(await speak(service.port, chunked('o') + last()))).toEqual([201, 200]);
    const answers = await speak(service.port, me() + chunked('p') + me() + chunked('q') + me());
    expect(statusesOf(answers)).toEqual([200, 429]);
    expect(answers).toMatch(/\r\nConnection: close\r\n/);
  });

  test('with too many headers are refused like those with a chunked body', async () => {
    const tooMany = head('GET /v1/me', ...Array.from({ length: 100 }, (_, i) => `X-${i}: x`));
    expect(statusesOf(await speak(service.port, me() + tooMany + me()))).toEqual([200, 429]);
  });

  test('behind a request with an Upgrade header are lost, so the connection is closed', async () => {
    const upgrade = head('GET /v1/me', signed(), 'Connection: Upgrade', 'Upgrade: h2c');
    const answers = await speak(service.port, `${me()}${upgrade}${me()}`);
    expect(statusesOf(answers)).toEqual([200, 200]);
    expect(answers).toMatch(/\r\nConnection: close\r\n/);
  });

  test('behind a refusal that closes the connection are not begun, and do not count as under way', async () => {
    const limits = { perSecond: 500, inFlight: 1 };
    const { port, token } = await temporaryService({ limits, network: behindProxy });
    const signed = { Host: 'vals.example', Authorization: `Bearer ${token}` };
    const body = { name: 'kept', code: '1' };
    const caller = { baseUrl: `http://127.0.0.1:${port}` };
    const made = await ask(caller, 'POST', '/v1/vals', { body, headers: signed });
    const path = `/v1/vals/${(made.body as Val).id}`;
    const tooMany = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, '1']));
    const of = (line: string, headers: Record<string, string>) =>
      [`${line} HTTP/1.1`, ...Object.entries(headers).map((pair) => pair.join(': ')), '', ''].join('\r\n');
    const refused = of('GET /healthz', { Host: 'vals.example', ...tooMany });
    expect(statusesOf(await speak(port, refused + of(`DELETE ${path}`, signed)))).toEqual([431]);
    expect((await ask(caller, 'GET', path, { headers: signed })).status).toBe(200);
  });

  test.each([
    ['are no longer read when too many wait, and refused in their turn when one piece held too many', ''],
    ['with an unknown Expect header count like others', 'Expect:x\r\n'],
  ])('%s', async (_, header) => {
    const tiny = `GET / HTTP/1.1\r\nHost:x\r\n${header}\r\n`;
    const statuses = statusesOf(await speak(service.port, tiny.repeat(2_500)));
    expect(statuses.slice(0, -1)).toEqual(Array(1_000).fill(403));
    expect(statuses.at(-1)).toBe(429);
  });

  test('by a caller that does not read are not processed', async () => {
    let answered = 0;
    const watched = await temporaryService({ onAnswered: () => answered++ });
    const { id } = await createVal(watched, { name: 'large', code: 'x'.repeat(250_000) });
    const get = `GET /v1/vals/${id} HTTP/1.1\r\nHost: localhost:${watched.port}\r\nAuthorization: Bearer ${watched.token}\r\n\r\n`;
    const socket = connect(watched.port, '127.0.0.1').pause();
    onTestFinished(() => void socket.destroy());
    socket.write(get.repeat(2_000));
    for (let i = 0; i < 300; i++) await ask(watched, 'GET', '/v1/me');
    expect(answered - 301).toBeLessThan(100);
  });
});
