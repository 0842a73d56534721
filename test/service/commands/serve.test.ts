import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startService } from '../../../src/service/index.ts';
import {
  folderOf,
  folderOfVals,
  run,
  runProcess,
  startProcess,
  temporaryFolder,
  valNames,
} from '../../support/program.ts';
import { embeddedService } from '../support/embedded-service.ts';

const pem = resolve('test/support/certificates/good.pem');
const tls = ['--tls-cert', pem, '--tls-key', pem];
const url = ['--public-url', 'https://vals.test'];

describe('invalid options of vals serve', () => {
  test.each<[string[], string]>([
    [['--host', '0.0.0.0'], '--host 0.0.0.0 needs --public-url'],
    [['--host', 'vals.test', ...url], '--host takes an address of this machine, not "vals.test"'],
    [tls, '--tls-cert needs --public-url'],
    [[...url, '--tls-cert', pem], '--tls-cert needs --tls-key too'],
    [
      ['--public-url', 'http://localhost:1', ...tls],
      '--tls-cert needs a --public-url that begins with https://',
    ],
    [
      ['--public-url', 'http://localhost:1', '--host', '0.0.0.0'],
      '--host 0.0.0.0 needs a --public-url that begins with https://',
    ],
    [['--public-url', 'vals.test'], '--public-url takes an https:// URL'],
    [['--public-url', 'http://vals.test'], '--public-url is http://'],
    [['--public-url', 'https://ada:geheim@vals.test'], '--public-url takes a host name'],
    [['--public-url', 'https://vals.test/vals'], '--public-url takes a host name'],
    [['--rate=0'], '--rate takes a whole number from 1 to 999999'],
    [['--keep-runs=90'], '--keep-runs takes a time'],
    [['--metrics-host', '0.0.0.0'], '--metrics-host works only with --metrics-port'],
    [['--metrics-port', '0', '--metrics-host', 'x'], '--metrics-host takes an address'],
  ])('end with exit 2: %j', async (args, message) => {
    const { exit, stdout, error } = await run(['serve', '--json', '--port', '0', ...args]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(error?.message).toContain(message);
    expect(error?.hint).toMatch(/\.$/);
    expect(JSON.stringify(error)).not.toContain('geheim');
  });

  test.each<[string[], string]>([
    [[...url, '--tls-cert', 'no.pem', '--tls-key', pem], 'no.pem does not exist'],
    [[...url, '--tls-cert', '.', '--tls-key', pem], 'is a folder, not a regular file'],
    [['--host', '192.0.2.1', ...url], '192.0.2.1 is not an address of this machine'],
  ])('end with exit 10: %j', async (args, message) => {
    const { exit, stdout, error } = await run(['serve', '--json', '--port', '0', ...args]);
    expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
    expect(error?.message).toContain(message);
  });
});

async function serviceWithOwner(args: string[]) {
  const data = join(temporaryFolder(), 'vals.db');
  const { token = '', close } = await startService({ file: data, port: 0 });
  await close();
  const service = await embeddedService({ at: data, args });
  const log = await service.logged('Listening on');
  const port = Number(/, port (\d+);/.exec(log)?.[1]);
  return { ...service, token, port, data, shownToken: service.token, log };
}

function send(port: number, method: string, path: string, headers: Record<string, string>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const outgoing = request({ port, host: '127.0.0.1', path, method, headers, agent });
  return { outgoing, answer: answerOf(outgoing) };
}

const answerOf = (outgoing: ClientRequest) =>
  new Promise<{ status?: number; connection?: string; text: string }>((done, fail) => {
    outgoing.on('error', fail);
    outgoing.on('response', async (incoming: IncomingMessage) => {
      let text = '';
      for await (const chunk of incoming) text += chunk;
      done({ status: incoming.statusCode, connection: incoming.headers.connection, text });
    });
  });

test('vals serve with a public URL prints no token, and Ctrl-C does not wait for kept connections', async () => {
  const service = await serviceWithOwner(['--host', '127.0.0.1', ...url]);
  expect(service.baseUrl).toBe('https://vals.test');
  expect(service.shownToken).toBeUndefined();
  expect(service.log).toContain('Listening on 127.0.0.1, port ');
  expect(service.log).toContain('answers only requests to https://vals.test');
  expect(service.log).not.toContain(service.token);
  const { outgoing, answer } = send(service.port, 'GET', '/v1/me', { Host: 'vals.test' });
  outgoing.end();
  await answer;
  const start = performance.now();
  expect(await service.end('SIGINT')).toBe(130);
  expect(performance.now() - start).toBeLessThan(3_000);
});

test.each([
  [[], /^error: Unexpected: /],
  [['--log', 'json'], /^\{"time":"[^"]+","level":"error","message":"Unexpected: .+"\}\n$/],
])('a defect ends vals serve %j', async (args, message) => {
  const cwd = folderOf({
    'defect.cjs': 'setInterval(() => { if (process.listenerCount("uncaughtException")) null.x; }, 20);',
  });
  const env = { NODE_OPTIONS: `--require ${join(cwd, 'defect.cjs')}` };
  const { ended } = startProcess(['serve', '--port', '0', ...args], { cwd, env });
  expect(await ended).toMatchObject({ exit: 1, stderr: expect.stringMatching(message) });
});

test.each([[[]], [['--quiet']]])(
  '--log json writes a failed start as a line of the log %j',
  async (flags) => {
    const { exit, stdout, stderr } = await runProcess([
      'serve',
      '--log',
      'json',
      '--host',
      '0.0.0.0',
      ...flags,
    ]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      time: expect.any(String),
      level: 'error',
      message: expect.stringMatching(/^--host 0\.0\.0\.0 needs --public-url.* For example/),
    });
  },
);

test('--log json writes an object for each request, and --metrics-port serves metrics', async () => {
  const service = await embeddedService({ args: ['--log', 'json', '--metrics-port', '0'] });
  const log = await service.logged('/metrics.');
  const address = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(log)?.[0];
  await fetch(`${service.baseUrl}/v1/vals/absent?query=secret`);
  const lines = (await service.logged('"ms"')).trim().split('\n');
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time, level: 'info', message: `Metrics on ${address}.` },
    { time, method: 'GET', route: '/v1/vals/{id}', status: 404, ms: expect.any(Number) },
  ]);
  const metrics = await (await fetch(`${address}`)).text();
  expect(metrics).toContain('vals_http_requests_total{method="GET",route="/v1/vals/{id}",status="404"} 1');
});

describe('SIGTERM', () => {
  const body = JSON.stringify({ name: 'late', code: 'it came' });

  test('finishes requests under way, closes kept connections, and ends with exit 0', async () => {
    const service = await serviceWithOwner(url);
    const headers = { Host: 'vals.test', Authorization: `Bearer ${service.token}` };
    const first = send(service.port, 'GET', '/v1/me', headers);
    first.outgoing.end();
    expect(await first.answer).toMatchObject({ status: 200, connection: 'keep-alive' });
    const json = {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': `${body.length}`,
      Expect: '100-continue',
    };
    const late = send(service.port, 'PUT', '/v1/vals', json);
    await once(late.outgoing, 'continue');
    late.outgoing.write(body.slice(0, 5));

    service.signal('SIGTERM');
    await expect
      .poll(() => fetch(`http://127.0.0.1:${service.port}/healthz`).catch(() => 'refused'))
      .toBe('refused');
    late.outgoing.end(body.slice(5));
    expect(await late.answer).toMatchObject({ status: 201, connection: 'close' });
    expect(await service.end()).toBe(0);
    const env = { VALS_LOCAL: '1', VALS_DATA_DIR: dirname(service.data) };
    expect((await run(['ls', '--fields', 'name'], { env })).stdout).toBe('late\n');
  });
});

test('a push of 60 files to a service that allows 30 requests per second succeeds', async () => {
  const folder = folderOfVals(valNames(60));
  const { env } = await embeddedService({ args: ['--rate', '30'] });
  const start = performance.now();
  const { exit, stdout, stderr } = await run(['push', folder, '--json'], { env });
  expect(performance.now() - start).toBeGreaterThan(900);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const statuses = (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);
  expect(statuses).toEqual(Array(60).fill('created'));
  const names = await run(['ls', '--all', '--fields', 'name'], { env });
  expect(names.stdout.trimEnd().split('\n')).toHaveLength(60);
});
