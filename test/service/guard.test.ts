import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  putVal,
  sayTo,
  statusIn,
  statusOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from './support.ts';

let service: TemporaryService;
beforeAll(async () => {
  service = await temporaryService();
});

const filledIn = (line: string) =>
  line.replaceAll('PORT', `${service.port}`).replaceAll('TOKEN', service.token);

const say = (lines: string[], body?: string | Buffer) => sayTo(service.port, lines.map(filledIn), { body });

const SIGNED = 'Authorization: Bearer TOKEN';

test('every answer forbids caching and guessing its content type', async () => {
  for (const path of ['/v1/me', '/v1/nothing']) {
    const { headers } = await ask(service, 'GET', path);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  }
});

describe('Host', () => {
  test.each([
    ['127.0.0.1:PORT', 200],
    ['localhost:PORT', 200],
    ['LocalHost:PORT', 200],
    ['[::1]:PORT', 200],
    ['evil.example', 403],
    ['localhost.evil.example:PORT', 403],
    ['127.0.0.1:1', 403],
    ['', 403],
  ])('%s is answered with %i', async (host, status) => {
    const answer = await say(['GET /v1/me HTTP/1.1', `Host: ${host}`, SIGNED]);
    expect(statusIn(answer)).toBe(status);
    if (status !== 200) expect(answer).toContain('application/problem+json');
    if (status === 403)
      expect(answer).toContain(filledIn('it expects 127.0.0.1:PORT, but the request has the Host'));
  });

  test.each([
    ['no header', []],
    ['two headers', ['Host: 127.0.0.1:PORT', 'Host: evil.example']],
  ])('%s is refused', async (_, hosts) => {
    const answer = statusIn(await say(['GET /v1/me HTTP/1.1', ...hosts, SIGNED]));
    expect([400, 403]).toContain(answer);
  });

  test.each([
    ['http://127.0.0.1:PORT/v1/me', 200],
    ['http://evil.example/v1/me', 403],
    ['/v1/../v1/me', 200],
    ['*', 400],
  ])('with the request target %s the answer is %i', async (target, status) => {
    expect(statusIn(await say([`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1:PORT', SIGNED]))).toBe(status);
  });
});

test.each(['http://evil.example', 'http://127.0.0.1:PORT', ''])(
  'a request with the Origin "%s" is answered with 403',
  async (origin) => {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const lines = [`${method} /v1/me HTTP/1.1`, 'Host: 127.0.0.1:PORT', SIGNED, `Origin: ${origin}`];
      const answer = await say(lines);
      expect(statusIn(answer)).toBe(403);
      expect(answer).toContain(
        'The service refuses requests from web pages. This request has an Origin header.',
      );
      expect(answer.toLowerCase()).not.toContain('access-control');
    }
  },
);

describe('bodies', () => {
  const val = (code: string) => JSON.stringify({ name: 'v', code });

  test.each([
    ['application/json', 200],
    ['APPLICATION/JSON', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['application/json; charset=latin1', 415],
    ['text/plain', 415],
    ['', 415],
  ])('of type "%s" are answered with %i', async (type, status) => {
    await putVal(service, 'v', 'c');
    const headers = { 'Content-Type': type };
    expect(await statusOf(service, 'PUT', '/v1/vals', { raw: val('c'), headers })).toBe(status);
  });

  test.each([
    ['identity', 200],
    ['gzip', 415],
  ])('with the encoding %s are answered with %i', async (encoding, status) => {
    await putVal(service, 'v', 'c');
    const headers = { 'Content-Encoding': encoding };
    expect(await statusOf(service, 'PUT', '/v1/vals', { raw: val('c'), headers })).toBe(status);
  });

  test.each([
    ['cut off', '{"name":"v"'],
    ['empty', ''],
    ['not UTF-8', Buffer.from([...Buffer.from('{"name":"v","code":"'), 0xff, ...Buffer.from('"}')])],
  ])('that are %s are answered with 400', async (_, raw) => {
    expect(await ask(service, 'POST', '/v1/vals', { raw })).toMatchObject({ status: 400 });
  });

  test('may have escapes and duplicate keys, as JSON may', async () => {
    const answer = await ask(service, 'PUT', '/v1/vals', {
      raw: '{"name":"v","code":"1","code":"\\u0061\\ud83d\\ude00"}',
    });
    expect((answer.body as Val).code).toBe('a😀');
  });

  test('on a route that needs none are checked for their type, and ignored', async () => {
    expect(await statusOf(service, 'GET', '/v1/me', { raw: '{}' })).toBe(200);
    const headers = { 'Content-Type': 'text/plain' };
    expect(await statusOf(service, 'GET', '/v1/me', { raw: '{}', headers })).toBe(415);
  });

  const POST = ['POST /v1/vals HTTP/1.1', 'Host: 127.0.0.1:PORT', SIGNED, 'Content-Type: application/json'];

  test('that are announced as larger than 2 MiB are answered with 413, unread', async () => {
    expect(statusIn(await say([...POST, `Content-Length: ${2 * 1024 * 1024 + 1}`]))).toBe(413);
  });

  test('of exactly 2 MiB are read', async () => {
    const raw = val('c').padEnd(2 * 1024 * 1024, ' ');
    expect(await statusOf(service, 'PUT', '/v1/vals', { raw })).toBeLessThan(300);
  });

  test('that are too large are answered with 413 to a caller that reads after it has sent everything', async () => {
    const size = 20_000_000;
    const answer = await say([...POST, `Content-Length: ${size}`], Buffer.alloc(size, ' '));
    expect(statusIn(answer)).toBe(413);
  });

  test('of small chunks are read', async () => {
    const body = val('chunked').replace(/.{1,5}/g, (part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    const lines = [...POST.slice(1), 'Transfer-Encoding: chunked'];
    expect(statusIn(await say(['PUT /v1/vals HTTP/1.1', ...lines], `${body}0\r\n\r\n`))).toBeLessThan(300);
  });
});

test('a caller who disconnects during the body is no internal error', async () => {
  const errors: unknown[] = [];
  const statuses: number[] = [];
  const watched = await temporaryService({
    onInternalError: (failure) => errors.push(failure),
    onFinished: ({ method, status }) => {
      if (method === 'PUT') statuses.push(status);
    },
  });
  const head = [
    'PUT /v1/vals HTTP/1.1',
    `Host: 127.0.0.1:${watched.port}`,
    `Authorization: Bearer ${watched.token}`,
  ];
  const socket = connect(watched.port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
  for (let i = 0; i < 5; i++) await ask(watched, 'GET', '/v1/me');
  socket.resetAndDestroy();
  await expect.poll(() => statuses).toHaveLength(1);
  await ask(watched, 'GET', '/v1/me');
  expect(errors).toEqual([]);
});
