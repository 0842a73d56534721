import { describe, expect, it } from 'vitest';
import { bypassesProxy } from '../../../src/lib/host-names.ts';
import { forEachAtMost } from '../../support/cases.ts';
import { trusting } from '../../support/certificates.ts';
import { folderOfVals, runQuickly as run, runProcess } from '../../support/program.ts';
import { tunnellingProxy } from '../../support/proxy.ts';
import { rawService } from '../../support/raw-service.ts';
import { scriptedService, testToken } from '../../support/scripted-service.ts';
import { secureService, serviceFor } from '../../support/secure-service.ts';

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
    { baseUrl: 'https://vals.test', place: 'vals.test:443' },
    { baseUrl: 'http://vals.test:8080', place: 'vals.test:8080', secure: true },
  ])(
    'makes one tunnel for many requests: $baseUrl, TLS to the proxy: $secure',
    async ({ secure, ...row }) => {
      const cwd = folderOfVals(['a', 'b', 'c'], () => 'code');
      const seen: unknown[] = [];
      const service = serviceFor(new URL(row.baseUrl).protocol, (request, response) => {
        seen.push(request.headers.authorization, request.headers['proxy-authorization']);
        request.resume().on('end', () => response.end('{}'));
      });
      const proxy = await tunnellingProxy(service, secure);
      const scheme = secure ? 'https' : 'http';
      const env = { ...through(proxy.port, row.baseUrl, `ada:${password}@`, scheme), ...trusting };
      const result = await runProcess(['push', '.', '--concurrency', '1', '--allow-http', '--debug'], {
        env,
        cwd,
      });
      expect(result).toMatchObject({ exit: 0 });
      expect(result.stderr).not.toContain('word-9');
      expect(seen).toEqual(
        Array(3)
          .fill([`Bearer ${testToken}`, undefined])
          .flat(),
      );
      expect(proxy.asked).toHaveLength(1);
      const [head] = proxy.asked;
      expect(head).toContain(`CONNECT ${row.place} HTTP/1.1\r\n`);
      expect(head).toContain(`Basic ${Buffer.from(`ada:${decoded}`).toString('base64')}\r\n`);
      expect(head).not.toContain(testToken);
    },
  );

  it('does not vouch for the service: the certificate of the service is checked in the tunnel', async () => {
    const proxy = await tunnellingProxy(serviceFor('https:', () => {}));
    const env = { ...through(proxy.port, 'https://elsewhere.example'), ...trusting };
    const { exit, error } = await runProcess([...reading, '--json'], { env });
    expect({ exit, message: error?.message }).toEqual({
      exit: 7,
      message: 'The certificate of the service at https://elsewhere.example is for another host.',
    });
    expect(proxy.connections()).toBe(1);
  });

  it('with a bad certificate is named in the error', async () => {
    const proxy = await secureService('expired');
    const env = { ...through(proxy.port, 'https://vals.test', '', 'https'), ...trusting };
    const { exit, error } = await runProcess([...writing, '--json'], { env, input: 'code' });
    expect({ exit, message: error?.message }).toEqual({
      exit: 7,
      message: `The certificate of the proxy localhost:${proxy.port} has expired.`,
    });
    expect(proxy.connections()).toBe(1);
  });
});

describe('a proxy that makes no tunnel', () => {
  const established = 'HTTP/1.1 200 OK\r\n\r\n';
  const http = 'http' as const;
  const end = 'end' as const;
  const cases: [name: string, answer: string, attempts: number, says: RegExp, more?: 'http' | 'end'][] = [
    ['407', refusal(407), 1, /^The proxy \S+ rejected the user name and password\.$/],
    ['403', refusal(403), 1, /^The proxy \S+ refused the connection to the service \(status 403\)\.$/],
    [
      '502',
      refusal(502),
      4,
      /^Could not connect .* \(4 attempts\): the proxy \S+ answered with status 502\.$/,
    ],
    ['503 for http', refusal(503), 4, /answered with status 503\.$/, http],
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 4, /at the proxy \S+, the reply is not HTTP\.$/],
    [
      'half an answer',
      'HTTP/1.1 200',
      4,
      /at the proxy \S+, the connection was closed before the whole reply arrived\.$/,
      end,
    ],
    ['200, then the end', established, 4, /through the proxy \S+, the connection was reset\.$/, end],
  ];
  it('changes nothing, and errors that may pass are tried four times', async () => {
    const all = cases.map((row, index) => ({ row, args: index % 2 === 0 ? writing : reading }));
    await forEachAtMost(8, all, async ({ row: [name, answer, attempts, says, more], args }) => {
      let heard = '';
      const proxy = await rawService({
        received(socket, text) {
          heard += text;
          socket.write(answer);
          if (more === end) socket.end();
        },
      });
      const env = through(
        proxy.port,
        more === http ? 'http://vals.test' : 'https://vals.test',
        `ada:${password}@`,
      );
      const result = await run([...args, '--json', '--allow-http', '--debug'], { env, input: 'code' });
      const { exit, error } = result;
      expect({ name, exit, connections: proxy.connections(), message: error?.message }).toEqual({
        name,
        exit: 7,
        connections: attempts,
        message: expect.stringMatching(says),
      });
      expect(heard).not.toContain(testToken);
      expect(result.stderr).not.toMatch(/word-9|openssl/i);
    });
  }, 60_000);

  it('although it confirmed the tunnel leaves the outcome of a write without TLS unknown', async () => {
    const proxy = await rawService({
      received: (socket, text) => (text.startsWith('CONNECT') ? socket.write(established) : socket.destroy()),
    });
    const env = through(proxy.port, 'http://vals.test');
    expect(await run([...writing, '--allow-http'], { env, input: 'code' })).toMatchObject({ exit: 8 });
    expect(proxy.connections()).toBe(1);
    expect(await run([...reading, '--allow-http'], { env })).toMatchObject({ exit: 7 });
    expect(proxy.connections()).toBe(5);
  });

  it('because it never answers ends the command at the deadline, and nothing was changed', async () => {
    const proxy = await rawService({});
    const env = through(proxy.port, 'https://vals.test');
    const result = await run([...writing, '--timeout', '1'], { env, input: 'code' });
    expect(result).toMatchObject({ exit: 7 });
  });

  it('because nothing listens is named in the error, and the service is not', async () => {
    const { exit, error } = await run([...reading, '--json'], {
      env: through(1, 'https://vals.test'),
    });
    expect(exit).toBe(7);
    expect(error?.message).toContain('at the proxy 127.0.0.1:1, the connection was refused.');
  });

  it('because it answers 407 leads to a hint where to put the password', async () => {
    const proxy = await rawService({ received: (socket) => socket.write(refusal(407)) });
    const { error } = await run([...reading, '--json'], { env: through(proxy.port, 'https://vals.test') });
    expect(error).toMatchObject({
      message: `The proxy 127.0.0.1:${proxy.port} requires a user name and password.`,
      hint: expect.stringContaining(`HTTPS_PROXY to http://USER:PASSWORD@127.0.0.1:${proxy.port}`),
    });
  });
});

it('a service on this machine is never asked through a proxy', async () => {
  const service = await scriptedService([{ body: { id: 'u' } }]);
  const proxy = 'http://127.0.0.1:1';
  const env = { ...service.env, HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  expect(await run(reading, { env })).toMatchObject({ exit: 0 });
});

it('a host that NO_PROXY names is asked directly', async () => {
  const proxy = await rawService({ received: (socket) => socket.write(refusal(407)) });
  const env = { ...through(proxy.port, 'http://vals.invalid'), NO_PROXY: 'vals.invalid' };
  const { error } = await run([...reading, '--json', '--allow-http'], { env });
  expect(error?.message).toMatch(/^Could not connect to http:\/\/vals\.invalid/);
  expect(proxy.connections()).toBe(0);
});

describe('NO_PROXY', () => {
  it.each([
    ['', 'https://vals.example', false],
    ['*', 'https://vals.example', true],
    ['vals.example', 'https://vals.example', true],
    ['example', 'https://vals.example', true],
    ['*.vals.example', 'https://api.vals.example', true],
    ['ls.example', 'https://vals.example', false],
    ['a.example, vals.example', 'https://vals.example', true],
    ['vals.example:443', 'https://vals.example', true],
    ['vals.example:443', 'http://vals.example', false],
    ['vals.example:8443', 'https://vals.example', false],
    ['[2001:db8::1]', 'https://[2001:db8::1]', true],
    ['*,other.example', 'https://vals.example', false],
  ])('%j bypasses the proxy for %s: %s', (noProxy, origin, expected) => {
    expect(bypassesProxy(noProxy, origin)).toBe(expected);
  });
});
