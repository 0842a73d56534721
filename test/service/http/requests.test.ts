import { describe, expect, test } from 'vitest';
import { beginPut, behindProxy, sayTo, speak, statusIn, temporaryService } from '../support.ts';

const service = await temporaryService();
const outside = await temporaryService({ network: behindProxy });
const host = `127.0.0.1:${service.port}`;
const { id } = await service.createVal({ name: 'there', code: 'c' });
const absent = '00000000-0000-4000-8000-000000000000';

const bearer = (token: string) => `Authorization: Bearer ${token}`;
const json = 'Content-Type: application/json';

test.each<[string, string[], number]>([
  ['/v1/me', ['Host: 127.0.0.1:PORT'], 200],
  ['/v1/me', ['Host: LocalHost:PORT'], 200],
  ['/v1/me', ['Host: [::1]:1'], 200],
  ['/v1/me', ['Host: evil.example'], 403],
  ['/v1/me', [], 403],
  ['/v1/me', ['Host: 127.0.0.1:PORT', 'Host: evil.example'], 403],
  ['http://evil.example/v1/me', ['Host: 127.0.0.1:PORT'], 403],
  ['*', ['Host: 127.0.0.1:PORT'], 400],
  ['/healthz', [], 200],
])('on loopback, %s with the headers %j is answered with %i', async (target, hosts, status) => {
  const lines = [`GET ${target} HTTP/1.1`, ...hosts].map((line) => line.replace('PORT', `${service.port}`));
  const answer = await sayTo(service.port, [...lines, bearer(service.token)]);
  expect(statusIn(answer)).toBe(status);
  if (status === 403) expect(answer).toContain(`it expects ${host}, but the request has `);
});

test.each([
  ['/v1/me', 'vals.example:443', 200],
  ['/v1/me', 'vals.example:8443', 403],
  ['/v1/me', '127.0.0.1:PORT', 403],
  ['http://evil.example/v1/me', 'vals.example', 403],
])('with a public URL, %s at the Host "%s" is answered with %i', async (target, name, status) => {
  const lines = [`GET ${target} HTTP/1.1`, `Host: ${name.replace('PORT', `${outside.port}`)}`];
  const answer = await sayTo(outside.port, [...lines, bearer(outside.token)]);
  expect(statusIn(answer)).toBe(status);
  if (status === 200) expect(answer).toContain('"url":"https://vals.example/"');
});

test('a service at an IPv6 address is found at its base URL', async () => {
  const ipv6 = await temporaryService({ network: { host: '::1' } });
  expect(ipv6.baseUrl).toBe(`http://[::1]:${ipv6.port}`);
  expect(await ipv6.statusOf('GET', '/v1/me')).toBe(200);
});

test.each([
  ['POST', `/v1/vals/${absent}/versions`, 404],
  ['DELETE', "/v1/vals/'%20OR%201=1", 404],
  ['GET', `/v1/vals/${id}/versions/${'9'.repeat(400)}`, 404],
  ['DELETE', `/v1/vals/${id}/versions/latest`, 400],
  ['GET', '/v1/me/', 404],
  ['DELETE', '/v1/me', 405],
])('%s %s is answered with %i, as a problem', async (method, path, status) => {
  const body = method === 'POST' ? { code: 'x' } : undefined;
  expect(await service.ask(method, path, { body })).toMatchObject({
    status,
    headers: { 'content-type': 'application/problem+json', ...(status === 405 && { allow: 'GET, HEAD' }) },
    body: { type: 'about:blank', status, title: expect.any(String), message: expect.any(String) },
  });
});

test('an Idempotency-Key is accepted, and nothing is kept for it', async () => {
  const headers = { 'Idempotency-Key': 'key' };
  const post = (name: string) => service.statusOf('POST', '/v1/vals', { body: { name, code: 'c' }, headers });
  expect([await post('once'), await post('once'), await post('other')]).toEqual([201, 409, 201]);
});

describe('a body', () => {
  const put = (raw: string | Buffer, type = 'application/json') =>
    service.statusOf('PUT', '/v1/vals', { raw, headers: { 'Content-Type': type } });
  const val = JSON.stringify({ name: 'v', code: 'é' });
  const twoMebibytes = 2 * 1024 * 1024;

  test.each([
    ['cut off', '{"name":"v"'],
    ['empty', ''],
    ['an array', '[]'],
    ['not UTF-8', Buffer.from(val, 'latin1')],
  ])('that is %s is answered with 400', async (_, raw) => {
    expect(await put(raw)).toBe(400);
  });

  test('is JSON, whatever its header says, and of no matter to an unknown route', async () => {
    for (const type of ['text/plain', '']) expect(await put(val, type)).toBeLessThan(300);
    const question = { raw: 'x', headers: { 'Content-Type': 'application/xml; charset=utf-16' } };
    expect(await service.statusOf('POST', '/v1/nowhere', question)).toBe(404);
  });

  test('may have 2 MiB, and a larger one is answered with 413, also before and after it is sent', async () => {
    expect(await put(val.padEnd(twoMebibytes - 1, ' '))).toBeLessThan(300);
    expect(await put(val.padEnd(twoMebibytes, ' '))).toBe(413);
    const size = 20_000_000;
    const head = ['PUT /v1/vals HTTP/1.1', `Host: ${host}`, bearer(service.token), json];
    for (const sent of ['', ' '.repeat(size)]) {
      const lines = [...head, `Content-Length: ${size}`, 'Connection: close', '', sent];
      expect(statusIn(await speak(service.port, lines.join('\r\n')))).toBe(413);
    }
  });

  test('whose caller disconnects is no internal error', async () => {
    const errors: unknown[] = [];
    const finished: string[] = [];
    const watched = await temporaryService({
      onEvent(event) {
        if (event.kind === 'internal error') errors.push(event.failure);
        if (event.kind === 'answered') finished.push(event.request.method);
      },
    });
    const socket = beginPut(watched, '{');
    for (let i = 0; i < 5; i++) await watched.ask('GET', '/v1/me');
    socket.resetAndDestroy();
    await expect.poll(() => finished).toContain('PUT');
    await watched.ask('GET', '/v1/me');
    expect(errors).toEqual([]);
  });
});

test('a token with 64 requests under way gets 429 with Retry-After, and nobody else does', async () => {
  const bob = await service.addPerson('bob');
  const slow = Array.from({ length: 64 }, () => beginPut(service, '{"name"'));
  const statusOfMe = () => service.statusOf('GET', '/v1/me');
  await expect.poll(statusOfMe).toBe(429);
  const { headers } = await service.ask('GET', '/v1/me');
  expect(headers).toMatchObject({ 'retry-after': '1' });
  expect(headers).not.toHaveProperty('x-should-retry');
  expect(await bob.statusOf('GET', '/v1/me')).toBe(200);
  for (const socket of slow) socket.destroy();
  await expect.poll(statusOfMe).toBe(200);
});
