import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import Libsql from 'libsql';
import { describe, expect, test } from 'vitest';
import { InterruptedError } from '../../../src/core/errors.ts';
import { startService } from '../../../src/service/start-service.ts';
import { ends, folderOf, run, runOnScreen, startProcess, temporaryFolder } from '../../support/program.ts';
import { errorIn } from '../../support/signals.ts';
import { embeddedService } from '../support/embedded-service.ts';
import { seedRuns } from '../support/seeds.ts';
import { clientOf, temporaryService, type Val } from '../support.ts';

const pem = resolve('test/support/certificates/good.pem');
const tls = ['--tls-cert', pem, '--tls-key', pem];
const url = ['--public-url', 'https://vals.test'];
const httpUrl = ['--public-url', 'http://localhost:1'];

test.each<[number, string[], string]>([
  [2, ['--host', '0.0.0.0'], '--host 0.0.0.0 needs --public-url'],
  [2, ['--host', 'vals.test', ...url], '--host takes an address of this machine, not "vals.test"'],
  [2, tls, '--tls-cert needs --public-url'],
  [2, [...url, '--tls-cert', pem], '--tls-cert needs --tls-key too'],
  [2, [...httpUrl, ...tls], '--tls-cert needs a --public-url that begins with https://'],
  [2, [...httpUrl, '--host', '0.0.0.0'], '--host 0.0.0.0 needs a --public-url that begins with https://'],
  [2, ['--public-url', 'https://ada:geheim@vals.test'], '--public-url takes a host name'],
  [2, ['--metrics-host', '0.0.0.0'], '--metrics-host works only with --metrics-port'],
  [10, [...url, '--tls-cert', 'no.pem', '--tls-key', pem], 'no.pem does not exist'],
  [10, ['--host', '192.0.2.1', ...url], '192.0.2.1 is not an address of this machine'],
])('vals serve ends with exit %i: %j', async (exit, args, message) => {
  const result = await run(['serve', '--json', '--port', '0', ...args]);
  expect(result).toMatchObject({ exit, stdout: '' });
  expect(result.error?.message).toContain(message);
  expect(result.error?.hint).toMatch(/\.$/);
  expect(result.stderr).not.toContain('geheim');
});

async function storeWithOwner() {
  const data = join(temporaryFolder(), 'vals.db');
  const { token = '', close } = await startService({ file: data, port: 0 });
  await close();
  return { data, token };
}

test('vals serve prints its address first, keeps its token, and shares its data with --local', async () => {
  const data = join(temporaryFolder(), 'vals.db');
  const first = await embeddedService({ at: data });
  const local = { VALS_LOCAL: '1', VALS_DATA_DIR: dirname(data) };
  const push = (env: Record<string, string>, input: string) =>
    run(['push', '-', '--name', 'shared', '--no-check'], { env, input });
  const codeIn = async (env: Record<string, string>) =>
    (await run(['get', 'shared', '--code'], { env })).stdout;
  await push(first.env, '// é 𝄞\r\nexport default "\u0000";');
  expect(await codeIn(local)).toBe('// é 𝄞\r\nexport default "\u0000";');
  await push(local, '// from --local');
  expect(await codeIn(first.env)).toBe('// from --local');
  expect(await first.end('SIGTERM')).toBe(0);

  const second = await embeddedService({ at: data });
  expect(second.token).toBe(first.token);
  expect(await second.end('SIGINT')).toBe(130);
  expect(errorIn(second.printed.stderr)).toMatchObject({ kind: 'interrupted', exit: 130 });
  await expect(fetch(second.baseUrl)).rejects.toThrow();
});

test('vals serve prints the address alone, and logs each request without its query and secrets', async () => {
  const { data, token } = await storeWithOwner();
  const { baseUrl, printed, end } = await embeddedService({ at: data, json: false });
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ['/v1/me/runs?limit=1', `/${token}?key=${token}`, '/a%1Bb/\u202e']) {
    await fetch(`${baseUrl}${path}`, { headers });
  }
  await fetch(`${baseUrl}/v1/me`);
  const local = clientOf({ baseUrl, token });
  const { body } = await local.ask('POST', '/v1/me/tokens', { body: { name: 'ci' } });
  const made = body as { id: string; token: string };
  const ci = clientOf({ baseUrl, token: made.token });
  const { id } = (await ci.putVal('pay', '1')).body as Val;
  await ci.ask('PUT', `/v1/vals/${id}`, { body: { readme: 'r', privacy: 'public' } });
  await ci.ask('DELETE', `/v1/vals/${id}`);
  await local.ask('DELETE', `/v1/me/tokens/${made.id}`);
  expect(await end('SIGTERM')).toBe(0);
  expect(printed.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  const log = printed.stderr.replace(/ \d+ms/g, '');
  expect(log.trimEnd().split('\n')).toEqual([
    'local GET /v1/me/runs 200',
    'local GET /*** 404',
    'local GET /a%1Bb/%E2%80%AE 404',
    'GET /v1/me 401',
    `local POST /v1/me/tokens 201 token ci ${made.id}`,
    `local (ci) PUT /v1/vals 201 val ${id}`,
    `local (ci) PUT /v1/vals/${id} 204 changed readme, privacy (public)`,
    `local (ci) DELETE /v1/vals/${id} 204`,
    `local DELETE /v1/me/tokens/${made.id} 204 token ci ${made.id}`,
  ]);
});

test('--log json writes each request, an internal error with its stack, and serves metrics', async () => {
  const { data, token } = await storeWithOwner();
  await seedRuns({ file: data }, [{}]);
  const args = ['--log', 'json', '--metrics-port', '0'];
  const { baseUrl, logged, end, printed } = await embeddedService({ at: data, args });
  const address = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(await logged('/metrics.'))?.[0];
  await fetch(`${baseUrl}/v1/vals/${token}?query=secret`);
  const store = new Libsql(data);
  store.exec('UPDATE runs SET ended = 9000000000000000');
  store.close();
  const answer = await fetch(`${baseUrl}/runs`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toMatch(/RangeError|^ +at /m);
  const metrics = await (await fetch(`${address}`)).text();
  expect(metrics).toContain('vals_http_requests_total{method="GET",route="/v1/vals/{id}",status="404"} 1');
  expect(await end('SIGTERM')).toBe(0);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const stack = /^Internal error in GET \/runs: RangeError: .*\n +at /;
  const lines = printed.stderr.trim().split('\n');
  const byLocal = { person: 'local', token: 'first', owner: 'local' };
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time, level: 'info', message: `Metrics on ${address}.` },
    { time, method: 'GET', route: '/v1/vals/{id}', status: 404, ms: expect.any(Number), val: '***' },
    { time, level: 'error', message: expect.stringMatching(stack) },
    { time, method: 'GET', route: '/runs', status: 500, ms: expect.any(Number), ...byLocal },
  ]);
});

test('--log json writes a failed start as a line of the log', async () => {
  const words = 'serve --log json --host 0.0.0.0 --quiet';
  const { exit, stdout, stderr } = await run(words.split(' '));
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  const message = expect.stringMatching(/^--host 0\.0\.0\.0 needs --public-url.* For example/);
  expect(JSON.parse(stderr)).toEqual({ time: expect.any(String), level: 'error', message });
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

test('vals serve goes on answering if the reader of its log stops reading', async () => {
  const { baseUrl, end } = await embeddedService({ unreadLog: true });
  const longPath = `${baseUrl}/${'x'.repeat(200)}`;
  for (let count = 0; count < 400; count++) expect((await fetch(longPath)).status).toBe(404);
  expect(await end('SIGTERM')).toBe(0);
});

test.each([
  { platform: 'linux', set: 'export VALS_BASE_URL=', token: 'export VALS_TOKEN=' },
  { platform: 'win32', set: "$env:VALS_BASE_URL = '", token: "$env:VALS_TOKEN = '" },
] as const)('vals serve shows a person on $platform how to use it and see its pages', async (each) => {
  const pressed = new AbortController();
  const { exit, screen } = await runOnScreen(['serve', '--port', '0', '--data', 'team.db'], {
    columns: 200,
    platform: each.platform,
    signal: pressed.signal,
    heard({ screen }) {
      if (screen.includes('Press Ctrl-C')) pressed.abort(new InterruptedError(130));
    },
  });
  expect(exit).toBe(130);
  expect(screen).toContain(`${each.set}http://127.0.0.1:`);
  expect(screen).toContain(each.token);
  expect(screen).toContain('`vals open`');
});

test.each([
  'postgres:u:SECRET',
  'postgres:/u:SECRET@h/x',
  'postgres://u:1/SECRET@h/x',
  'postgres://u:SECRET',
  'mysql://u:SECRET@h/x',
])('nothing that refuses the malformed address %s repeats it', async (address) => {
  const cwd = temporaryFolder();
  const data = join(cwd, 'store.db');
  await run(['user', 'add', 'ada', '--data', data]);
  for (const [words, env] of [
    [['serve', '--port', '0', '--database', address], {}],
    [['serve', '--port', '0', '--data', address], {}],
    [['user', 'ls'], { VALS_DATABASE: address }],
    [['backup', '--data', data, address], {}],
  ] as const) {
    const { exit, stdout, stderr } = await run([...words, '--debug'], { cwd, env });
    expect({ exit, stdout, stderr }).toEqual({
      ...{ exit: 2, stdout: '', stderr: expect.stringContaining('address of a') },
    });
    expect(stderr).not.toContain('SECRET');
  }
  expect(readdirSync(cwd).filter((name) => !name.startsWith('store.db'))).toEqual([]);
});

describe('with a public URL', () => {
  async function serveAtUrl() {
    const { data, token } = await storeWithOwner();
    const service = await embeddedService({ at: data, args: url });
    const log = await service.logged('Listening on');
    const port = Number(/Listening on 127\.0\.0\.1, port (\d+);/.exec(log)?.[1]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { Host: 'vals.test', Authorization: `Bearer ${token}` };
    const send = (method: string, path: string, more = {}) => {
      const options = { port, host: '127.0.0.1', path, method, headers: { ...headers, ...more }, agent };
      const outgoing = request(options);
      const answer = once(outgoing, 'response').then(async ([incoming]: IncomingMessage[]) => {
        if (incoming) await textOf(incoming);
        return { status: incoming?.statusCode, connection: incoming?.headers.connection };
      });
      return { outgoing, answer };
    };
    const first = send('GET', '/v1/me');
    first.outgoing.end();
    expect(await first.answer).toEqual({ status: 200, connection: 'keep-alive' });
    return { ...service, token, port, data, shownToken: service.token, log, send };
  }

  test('no token is printed, Ctrl-C does not wait for kept connections, and the error for another Host names it', async () => {
    const { baseUrl, shownToken, log, token, port, end } = await serveAtUrl();
    expect({ baseUrl, shownToken }).toEqual({ baseUrl: 'https://vals.test', shownToken: undefined });
    expect(log).toContain('answers only requests to https://vals.test');
    expect(log).not.toContain(token);
    const env = { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: token };
    const expected = `The service rejected the address: it expects https://vals.test, but the request has the Host 127.0.0.1:${port}.`;
    const { exit, error } = await run(['me', '--json'], { env });
    expect({ exit, message: error?.message }).toEqual({
      exit: 4,
      message: expect.stringContaining(expected),
    });
    expect(error?.message).toMatch(/--public-url.*\$http_host/);
    // If it waited, it would be ended by the signal.
    expect(await end('SIGINT')).toBe(130);
  });

  test('SIGTERM finishes requests under way, closes kept connections, and ends with exit 0', async () => {
    const { port, send, signal, end, data } = await serveAtUrl();
    const body = JSON.stringify({ name: 'late', code: 'it came' });
    const late = send('PUT', '/v1/vals', {
      'Content-Type': 'application/json',
      'Content-Length': `${body.length}`,
      Expect: '100-continue',
    });
    await once(late.outgoing, 'continue');
    late.outgoing.write(body.slice(0, 5));
    signal('SIGTERM');
    const health = () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => 'refused');
    await expect.poll(health).toBe('refused');
    late.outgoing.end(body.slice(5));
    expect(await late.answer).toEqual({ status: 201, connection: 'close' });
    expect(await end()).toBe(0);
    const env = { VALS_LOCAL: '1', VALS_DATA_DIR: dirname(data) };
    expect((await run(['ls', '--fields', 'name'], { env })).stdout).toBe('late\n');
  });
});

test('vals open shows a page of vals serve for one visit, and says that --local has none', async () => {
  const { env, baseUrl } = await temporaryService();
  await run(['push', '-', '--name', 'hello'], { env, input: '1' });
  const { url } = JSON.parse((await run(['open', '--json'], { env })).stdout);
  const first = await fetch(url, { redirect: 'manual' });
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await fetch(new URL(`${first.headers.get('location')}`, baseUrl), { headers: { cookie } });
  expect(await page.text()).toContain('hello');
  expect((await fetch(url, { redirect: 'manual' })).headers.get('set-cookie')).toBeNull();
  const local = await run(['open', '--local']);
  expect(local).toMatchObject(ends(2, 'vals serve'));
});
