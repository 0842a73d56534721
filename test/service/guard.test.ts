// Who is let in, and what bodies are read: raw requests on raw sockets.
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask, speak, temporaryService, type Val } from './support.ts';

let service: Awaited<ReturnType<typeof temporaryService>>;
beforeAll(async () => {
  service = await temporaryService();
});

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

/** A request with PORT and TOKEN filled in; the connection ends after it. */
const say = (lines: string[], body: string | Buffer = '') => {
  const head = [...lines, 'Connection: close', '', '']
    .join('\r\n')
    .replaceAll('PORT', `${service.port}`)
    .replaceAll('TOKEN', service.token);
  return speak(service.port, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
};

const SIGNED = 'Authorization: Bearer TOKEN';

test('every answer says that it is not to be kept or guessed at', async () => {
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
    ['evil.example:PORT', 403],
    ['localhost.evil.example:PORT', 403],
    ['127.0.0.1', 403],
    ['localhost', 403],
    ['127.0.0.1:1', 403],
    ['127.0.0.1:PORT@evil.example', 400],
    ['0.0.0.0:PORT', 403],
    ['127.1:PORT', 403],
    ['127.0.0.1:PORT, evil.example', 400],
    ['', 400],
  ])('%s: %i', async (host, status) => {
    const answer = await say(['GET /v1/me HTTP/1.1', `Host: ${host}`, SIGNED]);
    expect(statusOf(answer)).toBe(status);
    if (status !== 200) expect(answer).toContain('application/problem+json');
  });

  test.each([
    ['none', [], 400],
    ['two', ['Host: 127.0.0.1:PORT', 'Host: evil.example'], 400],
  ])('%s: %i', async (_, hosts, status) => {
    const answer = statusOf(await say(['GET /v1/me HTTP/1.1', ...hosts, SIGNED]));
    expect([status, 403]).toContain(answer);
  });

  test.each([
    ['http://127.0.0.1:PORT/v1/me', 200],
    ['http://evil.example/v1/me', 403],
    ['/v1/../v1/me', 200],
    ['//evil.example/v1/me', 404],
    ['*', 400],
    ['/v1\\me', 400],
  ])('the request target %s: %i', async (target, status) => {
    expect(statusOf(await say([`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1:PORT', SIGNED]))).toBe(status);
  });
});

test.each(['http://evil.example', 'null', 'http://127.0.0.1:PORT', ''])(
  'Origin "%s": 403',
  async (origin) => {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const lines = [`${method} /v1/me HTTP/1.1`, 'Host: 127.0.0.1:PORT', SIGNED, `Origin: ${origin}`];
      const answer = await say(lines);
      expect(statusOf(answer)).toBe(403);
      expect(answer.toLowerCase()).not.toContain('access-control');
    }
  },
);

describe('headers', () => {
  const me = ['GET /v1/me HTTP/1.1', 'Host: 127.0.0.1:PORT', SIGNED];
  const others = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: x`);

  // Each request has three of its own besides.
  test.each([
    ['100', 200, others(97)],
    ['101', 431, others(98)],
    ['the one that forbids it behind 100 others', 431, [...others(97), 'Origin: http://evil.example']],
    ['1,003', 431, others(1_000)],
  ])('%s: %i', async (_, status, headers) => {
    const answer = await say([...me, ...headers]);
    expect(statusOf(answer)).toBe(status);
    if (status !== 200) expect(answer).toContain('application/problem+json');
  });

  test.each([
    ['Authorization, the right one first,', 401, [SIGNED, 'Authorization: Bearer wrong']],
    ['Authorization, the right one last,', 401, ['Authorization: Bearer wrong', SIGNED]],
    ['Origin', 403, [SIGNED, 'Origin: http://evil.example', 'Origin: null']],
    ['Content-Length', 400, [SIGNED, 'Content-Length: 0', 'Content-Length: 5']],
  ])('%s twice: %i', async (_, status, headers) => {
    const answer = await say(['GET /v1/me HTTP/1.1', 'Host: 127.0.0.1:PORT', ...headers]);
    expect(statusOf(answer)).toBe(status);
  });
});

describe('bodies', () => {
  const val = (code: string) => JSON.stringify({ name: 'v', code });

  test.each([
    ['application/json', 200],
    ['APPLICATION/JSON', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['application/json; charset=latin1', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data', 415],
    ['application/json, text/plain', 415],
    ['application/jsonp', 415],
    ['', 415],
  ])('of type "%s": %i', async (type, status) => {
    await ask(service, 'PUT', '/v1/vals', { body: { name: 'v', code: 'c' } });
    const answer = await ask(service, 'PUT', '/v1/vals', {
      raw: val('c'),
      headers: { 'Content-Type': type },
    });
    expect(answer.status).toBe(status);
  });

  test.each([
    ['identity', 200],
    ['gzip', 415],
    ['br', 415],
    ['gzip, identity', 415],
  ])('with the encoding %s: %i', async (encoding, status) => {
    await ask(service, 'PUT', '/v1/vals', { body: { name: 'v', code: 'c' } });
    const headers = { 'Content-Encoding': encoding };
    expect((await ask(service, 'PUT', '/v1/vals', { raw: val('c'), headers })).status).toBe(status);
  });

  test.each([
    ['cut off', '{"name":"v"'],
    ['empty', ''],
    ['not UTF-8', Buffer.from([...Buffer.from('{"name":"v","code":"'), 0xff, ...Buffer.from('"}')])],
    [
      'with a surrogate in UTF-8',
      Buffer.from([...Buffer.from('{"name":"v","code":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
    ],
    ['with a BOM', `\ufeff${val('c')}`],
    ['with two documents', `${val('c')}${val('c')}`],
    ['with a raw NUL', `${val('c')}\0`],
  ])('%s: 400', async (_, raw) => {
    expect(await ask(service, 'POST', '/v1/vals', { raw })).toMatchObject({ status: 400 });
  });

  test('with escapes and duplicate keys are read as JSON is', async () => {
    const answer = await ask(service, 'PUT', '/v1/vals', {
      raw: '{"name":"v","code":"1","code":"\\u0061\\ud83d\\ude00"}',
    });
    expect((answer.body as Val).code).toBe('a😀');
  });

  test('that are absent where one is needed: 400', async () => {
    expect(statusOf(await say(['POST /v1/vals HTTP/1.1', 'Host: 127.0.0.1:PORT', SIGNED]))).toBe(400);
  });

  test('on a route that takes none are checked at the door and then left alone', async () => {
    expect((await ask(service, 'GET', '/v1/me', { raw: '{}' })).status).toBe(200);
    expect(
      (await ask(service, 'GET', '/v1/me', { raw: '{}', headers: { 'Content-Type': 'text/plain' } })).status,
    ).toBe(415);
  });

  const POST = ['POST /v1/vals HTTP/1.1', 'Host: 127.0.0.1:PORT', SIGNED, 'Content-Type: application/json'];

  test('announced as larger than 4 MiB: 413, unread', async () => {
    expect(statusOf(await say([...POST, `Content-Length: ${4 * 1024 * 1024 + 1}`]))).toBe(413);
  });

  test('of exactly 4 MiB are read', async () => {
    const raw = val('c').padEnd(4 * 1024 * 1024, ' ');
    expect((await ask(service, 'PUT', '/v1/vals', { raw })).status).toBeLessThan(300);
  });

  test('too large, sent to the end before its sender listens, on a connection that ends with it: 413', async () => {
    const size = 20_000_000;
    const answer = await say([...POST, `Content-Length: ${size}`], Buffer.alloc(size, ' '));
    expect(statusOf(answer)).toBe(413);
  });

  test('in endless chunks: 413 and the connection ends, whoever keeps sending', async () => {
    const head = [...POST, 'Transfer-Encoding: chunked', '', '']
      .join('\r\n')
      .replaceAll('PORT', `${service.port}`)
      .replaceAll('TOKEN', service.token);
    const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`);
    const socket = connect(service.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.write(head);
    const sending = setInterval(() => {
      for (let i = 0; i < 16 && !socket.destroyed; i++) socket.write(chunk);
    }, 1);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(sending);
    expect(statusOf(answer)).toBe(413);
  });

  test('in chunks are read when they are small', async () => {
    const body = val('chunked').replace(/.{1,5}/g, (part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    const lines = [...POST.slice(1), 'Transfer-Encoding: chunked'];
    expect(statusOf(await say(['PUT /v1/vals HTTP/1.1', ...lines], `${body}0\r\n\r\n`))).toBeLessThan(300);
  });

  test('with broken chunks: 400', async () => {
    const answer = await say([...POST, 'Transfer-Encoding: chunked'], 'zz\r\nnonsense\r\n');
    expect(statusOf(answer)).toBe(400);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('that break off leave the service well', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      `POST /v1/vals HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${service.token}\r\n`,
    );
    socket.write('Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
    socket.write('{"name":"broken');
    socket.destroy();
    expect((await ask(service, 'GET', '/v1/me')).status).toBe(200);
  });
});

test.each([
  ['nonsense', 'hello\r\n\r\n', 400],
  ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  [
    'a bare LF smuggle',
    'GET /v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
  ['endless headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('%s: a problem, and the end', async (_, text, status) => {
  const answer = await speak(service.port, text);
  expect(statusOf(answer)).toBe(status);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toContain('Content-Type: application/problem+json');
  expect(head).toContain('x-should-retry: false');
  expect(JSON.parse(body)).toMatchObject({ type: 'about:blank', status });
});
