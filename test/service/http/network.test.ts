import { once } from 'node:events';
import { BlockList, connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { loopbackAddresses } from '../../../src/lib/addresses.ts';
import { addPerson, ask, sayTo, statusIn, type TemporaryService, temporaryService } from '../support.ts';

const proxies = new BlockList();
proxies.addAddress('127.0.0.1', 'ipv4');
const network = { host: '0.0.0.0', publicUrl: new URL('https://Vals.Example'), proxies };

let service: TemporaryService;
beforeAll(async () => {
  service = await temporaryService({ network });
});

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

const say = (lines: string[], from?: string) =>
  sayTo(service.port, [...lines, `Authorization: Bearer ${service.token}`], { from });

describe('Host', () => {
  test.each([
    ['vals.example', 200],
    ['VALS.example', 200],
    ['vals.example:443', 200],
    ['vals.example:8443', 403],
    ['vals.example.evil.example', 403],
    ['127.0.0.1:PORT', 403],
    ['', 403],
  ])('"%s" is answered with %i', async (host, status) => {
    const name = host.replace('PORT', `${service.port}`);
    const answer = await say(['GET /v1/me HTTP/1.1', `Host: ${name}`]);
    expect(statusIn(answer)).toBe(status);
    if (statusIn(answer) === 200) expect(bodyOf(answer).url).toBe('https://vals.example/');
  });

  test.each([
    ['http://vals.example/v1/me', 200],
    ['http://evil.example/v1/me', 403],
  ])('the request target %s is answered with %i', async (target, status) => {
    expect(statusIn(await say([`GET ${target} HTTP/1.1`, 'Host: vals.example']))).toBe(status);
  });
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

describe.runIf(process.platform === 'linux')('a caller that is not the proxy', () => {
  const claims = ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1'];

  test.each([[[]], [claims]])(
    'is refused at the public URL, whatever headers it sends: %j',
    async (lines) => {
      const answer = await say(['GET /v1/me HTTP/1.1', 'Host: vals.example', ...lines], '127.0.0.2');
      expect(statusIn(answer)).toBe(403);
      expect(bodyOf(answer).detail).toContain('https://vals.example');
    },
  );

  test('may ask for the health of the service by any host name', async () => {
    expect(statusIn(await say(['GET /healthz HTTP/1.1', 'Host: 10.1.2.3'], '127.0.0.2'))).toBe(200);
  });
});

test('on an IPv6 address that takes IPv4 too, the proxy is known by its IPv4 address', async () => {
  const both = await temporaryService({ network: { ...network, host: '::' } });
  const get = async (from?: string) =>
    statusIn(await sayTo(both.port, ['GET /v1/vals/x HTTP/1.1', 'Host: vals.example'], { from }));
  expect(await get()).toBe(404);
  expect(await get('127.0.0.2')).toBe(403);
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
  for (const host of [[], ['Host: vals.example.com']]) {
    const get = (path: string) => sayTo(port, [`GET ${path} HTTP/${version}`, ...host]);
    expect(await get('/healthz')).toMatch(/^HTTP\/1.1 200 .*"status":"ok"/s);
    expect(statusIn(await get('/v1/me'))).toBe(403);
  }
});

describe('limits', () => {
  const limits = { perSecond: 5, inFlight: 64 };
  const withToken = (token: string) => `Authorization: Bearer ${token}`;

  test('a token above the limit gets 429 with Retry-After, and other tokens and strangers do not', async () => {
    const service = await temporaryService({ network, limits });
    const bob = await addPerson(service, 'bob');
    const get = (...lines: string[]) =>
      sayTo(service.port, ['GET /v1/vals/x HTTP/1.1', 'Host: vals.example', ...lines]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(withToken(service.token))));
    const refused = answers.filter((answer) => statusIn(answer) === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.toLowerCase()).toContain('\r\nretry-after: 1\r\n');
    expect(refused[0]).not.toContain('x-should-retry');
    expect(bodyOf(refused[0] ?? '')).toMatchObject({ status: 429, title: 'Too Many Requests' });
    expect(statusIn(await get(withToken(bob.token)))).toBe(404);
    const strangers = await Promise.all(Array.from({ length: 20 }, () => get()));
    expect(strangers.map(statusIn)).toEqual(Array(20).fill(404));
    const wrong = await Promise.all(Array.from({ length: 20 }, () => get(withToken('wrong'))));
    expect(wrong.map(statusIn)).toEqual(Array(20).fill(401));
  });

  test('do not apply to /healthz', async () => {
    const { port } = await temporaryService({ network, limits });
    const get = () => sayTo(port, ['GET /healthz HTTP/1.1', 'Host: x']);
    const answers = await Promise.all(Array.from({ length: 20 }, get));
    expect(answers.map(statusIn)).toEqual(Array(20).fill(200));
  });

  test('count requests at a time, including requests whose body never arrives', async () => {
    const { port, token } = await temporaryService({ limits: { perSecond: 1_000, inFlight: 2 } });
    const head = [`Host: 127.0.0.1:${port}`, withToken(token)];
    const put = ['PUT /v1/vals HTTP/1.1', ...head, 'Content-Type: application/json', 'Content-Length: 30'];
    const slow = ['1', '2'].map(() => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`${put.join('\r\n')}\r\n\r\n{"name"`);
      return socket;
    });
    const status = async () => statusIn(await sayTo(port, ['GET /v1/me HTTP/1.1', ...head]));
    await expect.poll(status).toBe(429);
    for (const socket of slow) socket.destroy();
    await expect.poll(status).toBe(200);
  });
});
