// Behind a proxy: what the service answers to, whom it believes, and what its links are made with.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { BlockList, connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAmong, loopbackAddresses } from '../../src/lib/addresses.ts';
import { callerOf } from '../../src/service/network.ts';
import { forEachAtMost } from '../support/at-most.ts';
import { ask, speak, statusIn, type TemporaryService, temporaryService } from './support.ts';

const proxies = new BlockList();
proxies.addAddress('127.0.0.1', 'ipv4');
const network = { host: '0.0.0.0', publicUrl: new URL('https://Vals.Example'), proxies };

let service: TemporaryService;
beforeAll(async () => {
  service = await temporaryService({ network });
});

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

const say = (lines: string[], from?: string) => {
  const signed = `Authorization: Bearer ${service.token}`;
  return speak(service.port, [...lines, signed, 'Connection: close', '', ''].join('\r\n'), from);
};

describe('Host', () => {
  test.each([
    ['vals.example', 200],
    ['VALS.example', 200],
    ['vals.example:443', 200],
    ['vals.example.', 403],
    ['vals.example:80', 403],
    ['vals.example:8443', 403],
    ['vals.example:', 400],
    ['www.vals.example', 403],
    ['vals.example.evil.example', 403],
    ['localhost:PORT', 403],
    ['127.0.0.1:PORT', 403],
    ['vals.example@evil.example', 400],
    ['vals.example, evil.example', 400],
    ['', 400],
  ])('"%s" is answered with %i', async (host, status) => {
    const name = host.replace('PORT', `${service.port}`);
    const answer = await say(['GET /v1/me HTTP/1.1', `Host: ${name}`]);
    expect(statusIn(answer)).toBe(status);
    if (statusIn(answer) === 200) expect(bodyOf(answer).url).toBe('https://vals.example/');
  });

  test.each([
    ['two headers', ['Host: vals.example', 'Host: evil.example']],
    ['two headers, the right one last', ['Host: evil.example', 'Host: vals.example']],
    ['the right one in X-Forwarded-Host', ['Host: evil.example', 'X-Forwarded-Host: vals.example']],
    ['the right one in Forwarded', ['Host: evil.example', 'Forwarded: host=vals.example;proto=https']],
  ])('%s is refused', async (_, hosts) => {
    expect([400, 403]).toContain(statusIn(await say(['GET /v1/me HTTP/1.1', ...hosts])));
  });

  test.each([
    ['http://vals.example/v1/me', 200],
    ['https://vals.example/v1/me', 200],
    ['http://evil.example/v1/me', 403],
    ['http://localhost/v1/me', 403],
  ])('the request target %s is answered with %i', async (target, status) => {
    expect(statusIn(await say([`GET ${target} HTTP/1.1`, 'Host: vals.example']))).toBe(status);
  });
});

test('forwarded headers change nothing in what is answered', async () => {
  const headers = ['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: http', 'X-Forwarded-Port: 1'];
  const answer = await say(['GET /v1/me HTTP/1.1', 'Host: vals.example', ...headers]);
  expect(bodyOf(answer).links.self).toBe('https://vals.example/v1/me');
});

test('links are made with the public URL', async () => {
  const behind = await temporaryService({
    network: { host: '127.0.0.1', publicUrl: new URL('http://localhost:9'), proxies: loopbackAddresses },
  });
  const direct = { baseUrl: `http://127.0.0.1:${behind.port}`, token: behind.token };
  const get = async (method: string, path: string, body?: object) => {
    const answer = await ask(direct, method, path, { body, headers: { Host: 'localhost:9' } });
    return answer.body as { links: Record<string, string>; url: string; id: string };
  };
  expect(behind.baseUrl).toBe('http://localhost:9');
  const made = await get('POST', '/v1/vals', { name: 'a', code: '1' });
  await get('POST', '/v1/vals', { name: 'b', code: '1' });
  expect(made).toMatchObject({
    url: `http://localhost:9/?val=${made.id}`,
    links: {
      self: `http://localhost:9/v1/vals/${made.id}`,
      module: `http://localhost:9/v1/vals/${made.id}/module`,
    },
  });
  const me = await get('GET', '/v1/me');
  const list = await get('GET', `/v1/users/${me.id}/vals?limit=1&offset=0`);
  expect(list.links).toEqual({
    self: `http://localhost:9/v1/users/${me.id}/vals?limit=1&offset=0`,
    next: expect.stringContaining(`http://localhost:9/v1/users/${me.id}/vals?limit=1&after=`),
  });
});

describe.runIf(process.platform === 'linux')('who is not the proxy', () => {
  test('is refused, with where to go instead', async () => {
    const answer = await say(['GET /v1/me HTTP/1.1', 'Host: vals.example'], '127.0.0.2');
    expect(statusIn(answer)).toBe(403);
    expect(bodyOf(answer).detail).toContain('https://vals.example');
  });

  test('is refused whatever it says of itself', async () => {
    const lines = ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1'];
    const answer = await say(['GET /v1/me HTTP/1.1', 'Host: vals.example', ...lines], '127.0.0.2');
    expect(statusIn(answer)).toBe(403);
  });

  test('may ask whether the service is well, by any name', async () => {
    const answer = await say(['GET /healthz HTTP/1.1', 'Host: 10.1.2.3'], '127.0.0.2');
    expect(statusIn(answer)).toBe(200);
  });
});

test('on an IPv6 address that takes IPv4 too, the proxy is known by its IPv4 address', async () => {
  const both = await temporaryService({ network: { ...network, host: '::' } });
  const request = `GET /v1/vals/x HTTP/1.1\r\nHost: vals.example\r\nConnection: close\r\n\r\n`;
  expect(statusIn(await speak(both.port, request))).toBe(404);
  expect(statusIn(await speak(both.port, request, '127.0.0.2'))).toBe(403);
});

describe('addresses', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.255.255.254', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['::2', false],
    ['::ffff:10.0.0.1', false],
    ['fe80::1%eth0', false],
    ['localhost', false],
    ['', false],
    [undefined, false],
  ])('%s is this machine: %s', (address, expected) => {
    expect(isAmong(loopbackAddresses, address)).toBe(expected);
  });

  const asked = (remoteAddress: string, forwarded?: string) =>
    callerOf(
      { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage,
      proxies,
    );

  test.each([
    ['a stranger is itself, whatever it says', '9.9.9.9', '1.1.1.1', '9.9.9.9'],
    ['whom the proxy names', '127.0.0.1', '9.9.9.9', '9.9.9.9'],
    ['the last one that the proxy names', '127.0.0.1', '6.6.6.6, 9.9.9.9', '9.9.9.9'],
    ['before a second proxy', '127.0.0.1', '6.6.6.6, 9.9.9.9, 127.0.0.1', '9.9.9.9'],
    ['the proxy, where it names nobody', '127.0.0.1', undefined, '127.0.0.1'],
    ['the proxy, where it names nonsense', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['a network of IPv6', '127.0.0.1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['the same network', '127.0.0.1', '2001:DB8:1:2::9', '2001:db8:1:2'],
    ['a short one', '::1', undefined, '0:0:0:0'],
    ['an IPv4 address in the form of IPv6', '::ffff:9.9.9.9', undefined, '0:0:0:0:0:ffff:909:909'],
  ])('%s', (_, peer, forwarded, caller) => {
    expect(asked(peer, forwarded)).toBe(caller);
  });
});

test('a connection is kept longer for a proxy than proxies keep theirs by default', async () => {
  const keepAlive = async ({ port }: { port: number }) => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nHost: any\r\n\r\n');
    const [answer] = await once(socket, 'data');
    socket.destroy();
    return /keep-alive: timeout=(\d+)/i.exec(`${answer}`)?.[1];
  };
  expect(await keepAlive(service)).toBe('150');
  expect(await keepAlive(await temporaryService())).toBe('5');
});

test.each(['1.0', '1.1'])('in HTTP/%s only health is answered without the right Host', async (version) => {
  const { port } = await temporaryService();
  for (const host of ['', 'Host: vals.example.com\r\n']) {
    const get = (path: string) =>
      speak(port, `GET ${path} HTTP/${version}\r\n${host}Connection: close\r\n\r\n`);
    expect(await get('/healthz')).toMatch(/^HTTP\/1.1 200 .*"status":"ok"/s);
    expect(statusIn(await get('/v1/me'))).toBe(host === '' ? 400 : 403);
  }
});

describe('limits', () => {
  const limits = { perSecond: 5, inFlight: 64 };

  test('beyond them: 429, when to come back, and the others are not touched', async () => {
    const limited = await temporaryService({ network, limits });
    const get = (from: string, token = '') =>
      speak(
        limited.port,
        `GET /v1/vals/x HTTP/1.1\r\nHost: vals.example\r\nX-Forwarded-For: ${from}\r\n${token}Connection: close\r\n\r\n`,
      );
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('9.9.9.9')));
    const refused = answers.filter((answer) => statusIn(answer) === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.toLowerCase()).toContain('\r\nretry-after: 1\r\n');
    expect(refused[0]).not.toContain('x-should-retry');
    expect(bodyOf(refused[0] ?? '')).toMatchObject({ status: 429, title: 'Too Many Requests' });
    expect(statusIn(await get('8.8.8.8'))).toBe(404);
    expect(statusIn(await get('9.9.9.9', `Authorization: Bearer ${limited.token}\r\n`))).toBe(404);
  });

  test('wrong tokens are counted by address, and beyond the limit not looked up', async () => {
    const tries = 5;
    const limited = await temporaryService({
      network,
      limits: { burst: tries, perSecond: 0.01, inFlight: 64 },
    });
    const get = (address: string, token: string) =>
      speak(
        limited.port,
        `GET /v1/me HTTP/1.1\r\nHost: vals.example\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      ).then(statusIn);
    const statuses: unknown[] = [];
    for (let i = 0; i <= tries; i++) statuses.push(await get('9.9.9.9', `wrong${i}`));
    expect(statuses).toEqual([...Array(tries).fill(401), 429]);
    expect(await get('9.9.9.9', limited.token)).toBe(429);
    expect(await get('9.9.9.8', limited.token)).toBe(200);
  });

  test('healthz has none', async () => {
    const limited = await temporaryService({ network, limits });
    const ask = () => speak(limited.port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(answers.map(statusIn)).toEqual(Array(20).fill(200));
  });

  test('so many at a time: those whose body does not come count', async () => {
    const limited = await temporaryService({
      limits: { perSecond: 1_000, inFlight: 2 },
    });
    const head = `Host: 127.0.0.1:${limited.port}\r\nAuthorization: Bearer ${limited.token}\r\n`;
    const slow = ['1', '2'].map(() => {
      const socket = connect(limited.port, '127.0.0.1');
      socket.write(
        `PUT /v1/vals HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 30\r\n\r\n{"name"`,
      );
      return socket;
    });
    const status = async () =>
      statusIn(await speak(limited.port, `GET /v1/me HTTP/1.1\r\n${head}Connection: close\r\n\r\n`));
    await expect.poll(status).toBe(429);
    for (const socket of slow) socket.destroy();
    await expect.poll(status).toBe(200);
  });

  test('there are none on the loopback address by default', async () => {
    const plain = await temporaryService();
    const request = `GET /v1/vals/x HTTP/1.1\r\nHost: localhost:${plain.port}\r\nConnection: close\r\n\r\n`;
    const statuses = new Set<number>();
    // Twice as many at a time as a team's service takes of one, and more than it takes in a second.
    await forEachAtMost(128, Array(600).fill(request), async (text) => {
      statuses.add(statusIn(await speak(plain.port, text)));
    });
    expect([...statuses]).toEqual([404]);
  });
});
