import { describe, expect, test } from 'vitest';
import { beginPut, sayTo, speak, statusIn, temporaryService } from './support.ts';

const service = await temporaryService();
const host = `127.0.0.1:${service.port}`;

const say = (...lines: string[]) => sayTo(service.port, [...lines, `Authorization: Bearer ${service.token}`]);

test('every answer forbids caching and guessing its content type', async () => {
  for (const path of ['/v1/me', '/v1/nothing']) {
    const { headers } = await service.ask('GET', path);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  }
});

test.each([
  [['Host: 127.0.0.1:PORT'], 200],
  [['Host: LocalHost:PORT'], 200],
  [['Host: [::1]:PORT'], 200],
  [['Host: evil.example'], 403],
  [['Host: localhost.evil.example:PORT'], 403],
  [['Host: 127.0.0.1:1'], 200],
  [['Host: '], 403],
  [[], 403],
  [['Host: 127.0.0.1:PORT', 'Host: evil.example'], 403],
])('a request with the headers %j is answered with %i', async (hosts, status) => {
  const lines = hosts.map((line) => line.replace('PORT', `${service.port}`));
  const answer = await say('GET /v1/me HTTP/1.1', ...lines);
  expect(statusIn(answer)).toBe(status);
  if (status === 403) expect(answer).toContain(`it expects ${host}, but the request has `);
});

test.each([
  [`http://${host}/v1/me`, 200],
  ['http://evil.example/v1/me', 403],
  ['/v1/../v1/me', 200],
  ['*', 400],
])('the request target %s is answered with %i', async (target, status) => {
  expect(statusIn(await say(`GET ${target} HTTP/1.1`, `Host: ${host}`))).toBe(status);
});

describe('a body', () => {
  const put = (raw: string | Buffer, headers = {}) => service.statusOf('PUT', '/v1/vals', { raw, headers });
  const val = JSON.stringify({ name: 'v', code: 'c' });
  const twoMebibytes = 2 * 1024 * 1024;

  test.each([
    ['cut off', '{"name":"v"'],
    ['empty', ''],
    ['not UTF-8', Buffer.from(val.replace('c"', '\xff"'), 'latin1')],
  ])('that is %s is answered with 400', async (_, raw) => {
    expect(await put(raw)).toBe(400);
  });

  test('may have 2 MiB, and a larger one is answered with 413', async () => {
    expect(await put(val.padEnd(twoMebibytes, ' '))).toBeLessThan(300);
    expect(await put(val.padEnd(twoMebibytes + 1, ' '))).toBe(413);
  });

  test('that is too large is answered before it is sent, and to a caller that reads only afterwards', async () => {
    const size = 20_000_000;
    for (const sent of ['', ' '.repeat(size)]) {
      const lines = [
        'PUT /v1/vals HTTP/1.1',
        `Host: ${host}`,
        `Authorization: Bearer ${service.token}`,
        'Content-Type: application/json',
        `Content-Length: ${size}`,
        'Connection: close',
      ];
      expect(statusIn(await speak(service.port, [...lines, '', sent].join('\r\n')))).toBe(413);
    }
  });
});

test('a caller who disconnects during the body is no internal error', async () => {
  const errors: unknown[] = [];
  const finished: { method: string; ms: number }[] = [];
  const watched = await temporaryService({
    onEvent(event) {
      if (event.kind === 'internal error') errors.push(event.failure);
      if (event.kind === 'answered') finished.push(event.request);
    },
  });
  const start = performance.now();
  const socket = beginPut(watched, '{');
  for (let i = 0; i < 5; i++) await watched.ask('GET', '/v1/me');
  socket.resetAndDestroy();
  await expect.poll(() => finished.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  const passedMs = performance.now() - start;
  for (const { ms } of finished) expect(ms).toBeLessThanOrEqual(passedMs);
  await watched.ask('GET', '/v1/me');
  expect(errors).toEqual([]);
});
