import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { BlockList, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createPace } from '../../../src/service/http/pace.ts';
import { addPerson, ask, behindProxy, createVal, sayTo, temporaryService } from '../support.ts';

const tiny = 'GET /healthz HTTP/1.1\r\nHost:x\r\n\r\n';

async function connections(count: number, port: number, localAddress?: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', localAddress }));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on('error', () => {});
  for (const socket of sockets) socket.write(tiny);
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  return sockets;
}

function countParsed(from: string): () => number {
  let count = 0;
  const onRequest = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    if (request.socket.remoteAddress === from) count++;
  };
  diagnostics.subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void diagnostics.unsubscribe('http.server.request.start', onRequest));
  return () => count;
}

test('requests sent ahead on many connections are answered a few at a time', async () => {
  let answered = 0;
  const service = await temporaryService({ onAnswered: () => answered++ });
  const sockets = await connections(20, service.port);
  await ask(service, 'GET', '/v1/me');
  for (const socket of sockets) socket.resume().write(tiny.repeat(100));
  await ask(service, 'GET', '/v1/me');
  expect(answered).toBeLessThan(1_000);
  await expect.poll(() => answered).toBe(2_022);
});

test('pages of one caller are made one at a time, and others are answered between them', async () => {
  let pages = 0;
  const service = await temporaryService({
    onAnswered: ({ path }) => {
      if (path.endsWith('/runs')) pages++;
    },
  });
  const eve = await addPerson(service, 'eve');
  const { id } = await createVal(eve, { name: 'v', code: 'c' });
  const times = { runStartAt: '2024-05-01T10:00:00Z', runEndAt: '2024-05-01T10:00:01Z' };
  const body = { version: 1, ...times, error: 'e'.repeat(20_000) };
  await ask(eve, 'POST', `/v1/vals/${id}/runs`, { body });
  const head = `Host: localhost:${service.port}\r\nAuthorization: Bearer ${eve.token}\r\n\r\n`;
  const sockets = await connections(60, service.port);
  await ask(service, 'GET', '/v1/me');
  pages = 0;
  for (const socket of sockets) socket.resume().write(`GET /v1/me/runs?limit=100 HTTP/1.1\r\n${head}`);
  await ask(service, 'GET', '/v1/me');
  expect(pages).toBeLessThan(40);
  await expect.poll(() => pages).toBe(60);
});

test.each([
  ['an unknown path', 'GET /nothing', (token: string) => [`Authorization: Bearer ${token}`]],
  ['a wrong token', 'GET /v1/me', () => ['Authorization: Bearer wrong']],
  ['another origin', 'GET /v1/me', () => ['Origin: https://evil.example']],
  ['an unusable target', 'OPTIONS *', () => []],
  ['a form that is no form', 'POST /sign-in', () => ['Origin: https://vals.example', 'Content-Length: 0']],
])(
  'refusals of %s are made one at a time, and others are answered between them',
  async (_, target, headers) => {
    let refusals = 0;
    const service = await temporaryService({
      network: behindProxy,
      onAnswered: ({ status }) => {
        if (status >= 400) refusals++;
      },
    });
    const eve = await addPerson(service, 'eve');
    const lines = [`${target} HTTP/1.1`, 'Host: vals.example', ...headers(eve.token)];
    const sockets = await connections(60, service.port);
    const answerOther = () =>
      sayTo(service.port, [
        'GET /v1/me HTTP/1.1',
        'Host: vals.example',
        `Authorization: Bearer ${service.token}`,
        'X-Forwarded-For: 9.9.9.9',
      ]);
    await answerOther();
    for (const socket of sockets) socket.resume().write(`${lines.join('\r\n')}\r\n\r\n`);
    await answerOther();
    expect(refusals).toBeLessThan(40);
    await expect.poll(() => refusals).toBe(60);
  },
);

test('the health of the service is answered once at a time, and others are answered in between', async () => {
  let answered = 0;
  const service = await temporaryService({
    network: behindProxy,
    onAnswered: ({ path }) => {
      if (path === '/healthz') answered++;
    },
  });
  const sockets = await connections(60, service.port);
  const answerOther = () =>
    sayTo(service.port, ['GET /nothing HTTP/1.1', 'Host: vals.example', 'X-Forwarded-For: 9.9.9.9']);
  await answerOther();
  answered = 0;
  for (const socket of sockets) socket.resume().write(tiny);
  await answerOther();
  expect(answered).toBeLessThan(40);
  await expect.poll(() => answered).toBe(60);
});

test('a caller with 1,000 connections of the proxy does not lock others out', async () => {
  const service = await temporaryService({ network: behindProxy });
  await connections(1_000, service.port);
  const answer = await sayTo(service.port, ['GET /healthz HTTP/1.1', 'Host: vals.example']);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test('writes of one person on a shared service begin one at a time, and others are answered between them', async () => {
  let stored = 0;
  const service = await temporaryService({
    limits: { perSecond: 500, inFlight: 64 },
    onAnswered: ({ method }) => {
      if (method === 'PUT') stored++;
    },
  });
  const eve = await addPerson(service, 'eve');
  const sockets = await connections(60, service.port);
  for (const [i, socket] of sockets.entries()) {
    const body = JSON.stringify({ name: `v${i}`, code: 'c' });
    const head = [
      'PUT /v1/vals HTTP/1.1',
      `Host: localhost:${service.port}`,
      `Authorization: Bearer ${eve.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    socket.resume().write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  await ask(service, 'GET', '/v1/me');
  expect(stored).toBeLessThan(30);
  await expect.poll(() => stored, { timeout: 20_000 }).toBe(60);
});

function makeTurnsLong(): () => number {
  let turns = 0;
  let next: NodeJS.Immediate;
  const work = () => {
    turns++;
    const end = performance.now() + 20;
    while (performance.now() < end);
    next = setImmediate(work);
  };
  onTestFinished(() => clearImmediate(next));
  work();
  return () => turns;
}

test('long turns of the event loop delay each read by a few turns only', async () => {
  const service = await temporaryService();
  const turns = makeTurnsLong();
  await Promise.all(Array.from({ length: 20 }, () => ask(service, 'GET', '/v1/me')));
  expect(turns()).toBeLessThan(200);
});

test('after the long work of several callers there are many short turns', async () => {
  const pace = createPace();
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(next));
  const workOften = async (caller: string) => {
    for (let i = 0; i < 10; i++) {
      await pace(caller);
      const end = performance.now() + 15;
      while (performance.now() < end);
    }
  };
  await Promise.all(['ada', 'bob', 'eve', 'mallory'].map(workOften));
  expect(turns).toBeGreaterThan(100);
});

test('the work for other callers does not make a caller pause', async () => {
  const pace = createPace();
  const turns = makeTurnsLong();
  await Promise.all(Array.from({ length: 20 }, () => pace('eve')));
  expect(turns()).toBeLessThan(40);
});

test.runIf(process.platform === 'linux')(
  'an address that sends thousands of requests ahead is not read for a second, and is read again then',
  async () => {
    const proxies = new BlockList();
    proxies.addAddress('127.0.0.1', 'ipv4');
    const network = { host: '0.0.0.0', proxies };
    const service = await temporaryService({ network });
    const parsed = countParsed('127.0.0.2');
    const direct = { ...service, baseUrl: `http://127.0.0.1:${service.port}` };
    const sockets = await connections(10, service.port, '127.0.0.2');
    await ask(direct, 'GET', '/v1/me');
    for (const socket of sockets) socket.resume().write(tiny.repeat(900));
    expect((await ask(direct, 'GET', '/v1/me')).status).toBe(200);
    expect(parsed()).toBeLessThan(4_600);
    await expect.poll(parsed).toBe(9_010);
  },
);

test('connections that send more ahead than the service keeps are closed, and others are served', async () => {
  const service = await temporaryService();
  const sockets = await connections(30, service.port);
  let closed = 0;
  for (const socket of sockets) socket.once('close', () => closed++);
  await ask(service, 'GET', '/v1/me');
  for (const socket of sockets) socket.resume().write(tiny.repeat(900));
  expect((await ask(service, 'GET', '/v1/me')).status).toBe(200);
  await expect.poll(() => closed).toBeGreaterThan(5);
  expect(closed).toBeLessThan(30);
});

test.runIf(process.platform === 'linux')(
  'an address that sends many chunked bodies is not read for a second',
  async () => {
    const proxies = new BlockList();
    proxies.addAddress('127.0.0.1', 'ipv4');
    const service = await temporaryService({ network: { host: '0.0.0.0', proxies } });
    const direct = { ...service, baseUrl: `http://127.0.0.1:${service.port}` };
    const sockets = await connections(10, service.port, '127.0.0.2');
    let answers = 0;
    for (const socket of sockets) socket.on('data', () => answers++);
    await ask(direct, 'GET', '/v1/me');
    const head = 'PUT /v1/vals HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const socket of sockets) socket.write(`${head}0\r\n\r\n`);
    expect((await ask(direct, 'GET', '/v1/me')).status).toBe(200);
    expect(answers).toBeLessThan(7);
    await expect.poll(() => answers).toBe(10);
  },
);
