import { describe, expect, it } from 'vitest';
import { trusting } from '../../../support/certificates.ts';
import { listen } from '../../../support/listen.ts';
import { folderOfVals, runQuickly as run, runProcess } from '../../../support/program.ts';
import { tunnellingProxy } from '../../../support/proxy.ts';
import { rawService } from '../../../support/raw-service.ts';
import { scriptedService, testToken } from '../../../support/scripted-service.ts';
import { serviceFor } from '../../../support/secure-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const reading = ['me'];
const writing = ['version', 'new', id];
const password = 'p%40ss%3Aword-9';
const decoded = 'p@ss:word-9';

// undici sends the host of an https: proxy as its server name, and Node 26 allows no IP address there.
const hostOf = (scheme: string) => (scheme === 'https' ? 'localhost' : '127.0.0.1');

const through = (port: number, baseUrl: string, credentials = '', scheme = 'http') => ({
  [baseUrl.startsWith('https') ? 'HTTPS_PROXY' : 'HTTP_PROXY']:
    `${scheme}://${credentials}${hostOf(scheme)}:${port}`,
  VALS_BASE_URL: baseUrl,
  VALS_TOKEN: testToken,
});

const refusal = (status: number) =>
  `HTTP/1.1 ${status} No\r\nproxy-authenticate: Basic\r\ncontent-length: 9\r\n\r\n${testToken.slice(0, 9)}`;

describe('a proxy', () => {
  it.each([
    { baseUrl: 'https://vals.test', place: 'vals.test:443', scheme: 'http' },
    { baseUrl: 'http://vals.test:8080', place: 'vals.test:8080', scheme: 'https' },
  ])('at $scheme makes one tunnel for many requests to $baseUrl', async ({ baseUrl, place, scheme }) => {
    const seen: unknown[] = [];
    const service = serviceFor(new URL(baseUrl).protocol, (request, response) => {
      seen.push([request.headers.authorization, request.headers['proxy-authorization']]);
      request.resume().on('end', () => response.end('{}'));
    });
    const proxy = await tunnellingProxy(await listen(service), scheme === 'https');
    const env = { ...through(proxy.port, baseUrl, `ada:${password}@`, scheme), ...trusting };
    const cwd = folderOfVals(['a', 'b', 'c'], () => 'code');
    const args = ['push', '.', '--concurrency', '1', '--allow-http', '--debug'];
    const { exit, stderr } = await runProcess(args, { env, cwd });
    expect(exit).toBe(0);
    expect(stderr).not.toContain('word-9');
    expect(seen).toEqual(Array(3).fill([`Bearer ${testToken}`, undefined]));
    expect(proxy.asked).toHaveLength(1);
    const [head] = proxy.asked;
    expect(head).toContain(`CONNECT ${place} HTTP/1.1\r\n`);
    expect(head).toContain(`Basic ${Buffer.from(`ada:${decoded}`).toString('base64')}\r\n`);
    expect(head).not.toContain(testToken);
  });

  it('does not vouch for the service, whose certificate is checked in the tunnel', async () => {
    const proxy = await tunnellingProxy(await listen(serviceFor('https:', () => {})));
    const env = { ...through(proxy.port, 'https://elsewhere.example'), ...trusting };
    const { exit, error } = await runProcess([...writing, '--json'], { env, input: 'code' });
    const says = /^Could not connect to https:\/\/elsewhere\.example: Hostname.IP does not match/;
    expect({ exit, message: error?.message }).toEqual({ exit: 7, message: expect.stringMatching(says) });
  });
});

describe('a proxy that makes no tunnel changes nothing', () => {
  const established = 'HTTP/1.1 200 OK\r\n\r\n';
  const credentials = `ada:${password}@`;
  it.each<[what: string, answer: string, attempts: number, says: RegExp, ends?: boolean]>([
    ['407', refusal(407), 4, /Proxy response \(407\)/],
    ['200, then the end', established, 4, /the connection was closed/, true],
  ])('after %s', async (_what, answer, attempts, says, ends = false) => {
    let heard = '';
    const proxy = await rawService({
      received(socket, text) {
        heard += text;
        socket.write(answer);
        if (ends) socket.end();
      },
    });
    const env = through(proxy.port, 'https://vals.test', credentials);
    for (const args of [writing, reading]) {
      const before = proxy.connections();
      const result = await run([...args, '--json', '--allow-http', '--debug'], { env, input: 'code' });
      const message = expect.stringMatching(says);
      expect(result).toMatchObject({ exit: 7, error: { message } });
      expect(result.stderr).not.toMatch(/word-9|openssl/i);
      expect(proxy.connections() - before).toBe(attempts);
    }
    expect(heard).not.toContain(testToken);
  });

  it.each<[what: string, handlers: Parameters<typeof rawService>[0]]>([
    ['at once', { connected: (socket) => socket.destroy() }],
    ['after the request', { received: (socket) => socket.end() }],
  ])('that closes the connection %s gets one connection for each attempt', async (_what, handlers) => {
    const proxy = await rawService(handlers);
    const env = through(proxy.port, 'https://vals.test');
    for (const args of [writing, reading]) {
      const before = proxy.connections();
      expect(await run(args, { env, input: 'code' })).toMatchObject({ exit: 7 });
      expect(proxy.connections() - before).toBe(4);
    }
  });

  it('unless it confirmed the tunnel: then the outcome of a write without TLS is unknown', async () => {
    const proxy = await rawService({
      received: (socket, text) => (text.startsWith('CONNECT') ? socket.write(established) : socket.destroy()),
    });
    const env = through(proxy.port, 'http://vals.test');
    expect(await run([...writing, '--allow-http'], { env, input: 'code' })).toMatchObject({ exit: 8 });
    expect(proxy.connections()).toBe(1);
    expect(await run([...reading, '--allow-http'], { env })).toMatchObject({ exit: 7 });
    expect(proxy.connections()).toBe(5);
  });

  it('at the deadline, if it never answers', async () => {
    const proxy = await rawService({});
    const env = through(proxy.port, 'https://vals.test');
    expect(await run([...writing, '--timeout', '1'], { env, input: 'code' })).toMatchObject({ exit: 7 });
  });
});

it('a service on this machine is never asked through a proxy', async () => {
  const service = await scriptedService([{ body: { id: 'u' } }]);
  const proxy = 'http://127.0.0.1:1';
  const env = { ...service.env, HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  expect(await run(reading, { env })).toMatchObject({ exit: 0 });
});

it.each(['vals.invalid', '*'])('a host that NO_PROXY names is asked directly: %s', async (noProxy) => {
  const proxy = await rawService({ received: (socket) => socket.write(refusal(407)) });
  const env = { ...through(proxy.port, 'http://vals.invalid'), NO_PROXY: noProxy };
  const { error } = await run([...reading, '--json', '--allow-http'], { env });
  expect(error?.message).toBe('Could not connect to http://vals.invalid: there is no host with that name.');
  expect(proxy.connections()).toBe(0);
});
