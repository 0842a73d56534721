import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createListener } from '../../../src/service/http/listener.ts';
import { embeddedService } from '../../support/embedded-service.ts';
import { listen } from '../../support/listen.ts';
import { ask, createVal, type List, temporaryService } from '../support.ts';

type Service = { baseUrl: string; token: string };

const run = { version: 1, runStartAt: '2024-05-01T10:00:00Z', runEndAt: '2024-05-01T10:00:01Z' };
/** JSON writes the character `\u0001` with six bytes, so `bytes` is divided by 6. */
const control = (bytes: number) => '\u0001'.repeat(bytes / 6);

describe('a text is limited by its bytes', () => {
  const post = async (path: (id: string) => string, body: object) => {
    const service = await temporaryService();
    const { id } = await createVal(service, { name: 'v', code: 'c' });
    return (await ask(service, 'POST', path(id), { body })).status;
  };
  const runs = (id: string) => `/v1/vals/${id}/runs`;
  const versions = (id: string) => `/v1/vals/${id}/versions`;

  test.each([
    ['an error of 65,536 bytes', runs, { ...run, error: 'e'.repeat(65_536) }, 201],
    ['an error of as many control characters', runs, { ...run, error: '\u0001'.repeat(65_536) }, 413],
    ['an error of three bytes a character', runs, { ...run, error: '語'.repeat(30_000) }, 413],
    ['code of three bytes a character', versions, { code: '語'.repeat(256_000) }, 201],
    ['code of control characters', versions, { code: control(768_006) }, 413],
    ['a readme of control characters', versions, { code: 'd', readme: control(24_582) }, 413],
    ['a readme of three bytes a character', versions, { code: 'd', readme: '語'.repeat(8_192) }, 201],
  ])('%s', async (_, path, body, status) => {
    expect(await post(path, body)).toBe(status);
  });
});

async function addLargeRuns(service: Service, count: number): Promise<string> {
  const { id } = await createVal(service, { name: 'large', code: 'c' });
  for (let i = 0; i < count; i++) {
    // With one character such as 語, a string takes two bytes for each of its characters.
    const body = { ...run, error: `語${control(65_526)}` };
    expect((await ask(service, 'POST', `/v1/vals/${id}/runs`, { body })).status).toBe(201);
  }
  return `/v1/vals/${id}/runs`;
}

test('a page that gets too large ends early, and the next page continues', async () => {
  const service = await temporaryService();
  const path = await addLargeRuns(service, 100);
  const seen = new Set<unknown>();
  let pages = 0;
  for (let next: string | undefined = `${path}?limit=100&offset=0`; next; pages++) {
    const { text, body } = await ask(service, 'GET', next);
    expect(text.length).toBeLessThan(4.1 * 1024 * 1024);
    for (const { id } of (body as List).data) seen.add(id);
    next = (body as List).links.next;
  }
  expect({ seen: seen.size, pages }).toEqual({ seen: 100, pages: 2 });
});

test.runIf(process.platform === 'linux')(
  '60 connections that do not read leave the service small',
  async () => {
    const service = await embeddedService();
    const path = await addLargeRuns(service, 70);
    const { port, host } = new URL(service.baseUrl);
    const get = `GET ${path}?limit=100 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
    for (let i = 0; i < 60; i++) {
      const socket = connect(Number(port), '127.0.0.1').pause();
      onTestFinished(() => void socket.destroy());
      socket.write(get.repeat(8));
    }
    const statusOf = async (path: string) => (await ask(service, 'GET', path)).status;
    await expect.poll(() => statusOf('/v1/me')).toBe(429);
    for (let i = 0; i < 100; i++) expect(await statusOf('/healthz')).toBe(200);
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
    expect(Number(peak) / 1024).toBeLessThan(450);
  },
);

test('an answer that is not read in time ends its connection', async () => {
  const body = 'x'.repeat(30 * 1024 * 1024);
  const server = createServer(createListener(async () => ({ status: 200, body }), 1_000));
  const socket = connect(await listen(server), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  let read = 0;
  const reading = setInterval(() => {
    read += (socket.read(65_536) as Buffer | null)?.length ?? 0;
  }, 20);
  socket.pause();
  const [connection] = await once(server, 'connection');
  await once(connection, 'close');
  clearInterval(reading);
  socket.destroy();
  expect(read).toBeLessThan(body.length);
});

function isKept(object: WeakRef<object> | undefined): boolean {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return object?.deref() !== undefined;
}

test.each([
  ['before the answer', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', true],
  [
    'before the end of a refused body',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n',
    false,
  ],
])('a request whose caller leaves %s is not kept in memory', async (_, request, isBeforeAnswer) => {
  let incoming: WeakRef<IncomingMessage> | undefined;
  const server = createServer(
    createListener(async (given, outgoing) => {
      incoming = new WeakRef(given.incoming);
      const closed = once(outgoing, 'close');
      socket.destroy();
      if (isBeforeAnswer) await closed;
      return { status: 200, body: 'x' };
    }),
  );
  const socket = connect(await listen(server), '127.0.0.1');
  socket.write(request);
  await expect.poll(() => incoming).toBeDefined();
  await expect.poll(() => isKept(incoming)).toBe(false);
});

test('the text of an answer is not kept in memory until the body of its request arrives', async () => {
  let answer: WeakRef<object> | undefined;
  const server = createServer(
    createListener(async () => {
      const given = { status: 200, body: 'x' };
      answer = new WeakRef(given);
      return given;
    }),
  );
  const socket = connect(await listen(server), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n');
  await once(socket, 'data');
  await expect.poll(() => isKept(answer)).toBe(false);
});

test('a caller that stores too many bytes in a short time gets 429, and can still read', async () => {
  const service = await temporaryService({
    limits: { perSecond: 1_000, inFlight: 64, stored: { perSecond: 1_000, burst: 300_000, inFlight: 64 } },
  });
  const put = (i: number) =>
    ask(service, 'PUT', '/v1/vals', { body: { name: `v${i}`, code: 'c'.repeat(90_000) } });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await put(i)).status);
  expect(statuses).toEqual([201, 201, 201]);
  const refused = await put(3);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
  expect((await ask(service, 'GET', '/v1/me')).status).toBe(200);
});
