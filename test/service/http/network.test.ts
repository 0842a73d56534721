import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createRateLimit } from '../../../src/service/http/rate-limit.ts';
import { addPerson, beginPut, sayTo, statusIn, temporaryService } from '../support.ts';

const network = { host: '0.0.0.0', publicUrl: new URL('https://Vals.Example') };
const service = await temporaryService({ network });

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
const bearer = (token: string) => `Authorization: Bearer ${token}`;
const say = (lines: string[]) => sayTo(service.port, [...lines, bearer(service.token)]);

test.each([
  ['/v1/me', 'VALS.example', 200],
  ['/v1/me', 'vals.example:443', 200],
  ['/v1/me', 'vals.example:8443', 403],
  ['/v1/me', `127.0.0.1:${service.port}`, 403],
  ['http://vals.example/v1/me', 'vals.example', 200],
  ['http://evil.example/v1/me', 'vals.example', 403],
])('%s at the Host "%s" is answered with %i', async (target, host, status) => {
  const answer = await say([`GET ${target} HTTP/1.1`, `Host: ${host}`]);
  expect(statusIn(answer)).toBe(status);
  if (status === 200) expect(bodyOf(answer).url).toBe('https://vals.example/');
});

test('a service at an IPv6 address is found at its base URL', async () => {
  const ipv6 = await temporaryService({ network: { host: '::1' } });
  expect(ipv6.baseUrl).toBe(`http://[::1]:${ipv6.port}`);
  expect(await ipv6.statusOf('GET', '/v1/me')).toBe(200);
});

const local = await temporaryService();

test('a connection is kept longer than clients and proxies keep theirs', async () => {
  const socket = connect(service.port, '127.0.0.1');
  socket.write('GET /healthz HTTP/1.1\r\nHost: any\r\n\r\n');
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(`${answer}`.toLowerCase()).toContain('\r\nkeep-alive: timeout=150\r\n');
});

test('only health is answered without the right Host', async () => {
  for (const host of [[], ['Host: vals.example.com'], ['Host: no host/?']]) {
    const get = (path: string) => sayTo(local.port, [`GET ${path} HTTP/1.1`, ...host]);
    expect(await get('/healthz')).toMatch(/^HTTP\/1.1 200 .*"status":"ok"/s);
    expect(statusIn(await get('/v1/me'))).toBe(403);
  }
});

describe('limits', () => {
  test('hold in each second, however the requests are spread', () => {
    let now = 0;
    const { enter } = createRateLimit({ perSecond: 100, inFlight: 1_000 }, () => now);
    const entered = [0, 10, 510, 60_000].map((time) => {
      now = time;
      return Array.from({ length: 500 }, () => enter('ada')).filter((leave) => leave !== undefined).length;
    });
    expect(entered).toEqual([100, 1, 50, 100]);
  });

  test('a token above the limit gets 429 with Retry-After, and nobody else does', async () => {
    const limited = await temporaryService({ network, limits: { requests: { perSecond: 5, inFlight: 64 } } });
    const bob = await addPerson(limited, 'bob');
    const send20 = (...lines: string[]) =>
      Promise.all(Array.from({ length: 20 }, () => sayTo(limited.port, [...lines])));
    const get = ['GET /v1/vals/x HTTP/1.1', 'Host: vals.example'];
    const refused = (await send20(...get, bearer(limited.token))).filter((text) => statusIn(text) === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.toLowerCase()).toContain('\r\nretry-after: 1\r\n');
    expect(refused[0]).not.toContain('x-should-retry');
    expect(statusIn(await sayTo(limited.port, [...get, bearer(bob.token)]))).toBe(404);
    for (const [lines, status] of [
      [get, 404],
      [[...get, bearer('wrong')], 401],
      [['GET /healthz HTTP/1.1', 'Host: x'], 200],
    ] as const) {
      expect((await send20(...lines)).map(statusIn)).toEqual(Array(20).fill(status));
    }
  });

  test('count requests at a time, including requests whose body never arrives', async () => {
    const limited = await temporaryService({ limits: { requests: { perSecond: 1_000, inFlight: 2 } } });
    const slow = [1, 2].map(() => beginPut(limited, '{"name"'));
    const status = () => limited.statusOf('GET', '/v1/me');
    await expect.poll(status).toBe(429);
    for (const socket of slow) socket.destroy();
    await expect.poll(status).toBe(200);
  });
});
