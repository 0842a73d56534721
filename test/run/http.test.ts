import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { isRunning } from '../../src/core/lib/system.ts';
import { exitStatus } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { deaf, startRun } from './folder.ts';

// Each test has one server for many requests, because a server is two processes.

const serving = `import { word } from './lib/word.ts';
export default { async fetch(request: Request, env: NodeJS.ProcessEnv, ctx: { waitUntil(work: unknown): void }) {
  const { pathname } = new URL(request.url);
  switch (pathname) {
    case '/echo': return new Response(request.body, { status: 201, headers: { 'x-method': request.method } });
    case '/throw': throw new Error('broken');
    case '/busy': console.log('busy'); ${deaf};
    case '/exit': process.exit(7);
    case '/crash': setTimeout(() => { throw new Error('crashed') }); return new Promise(() => {});
    case '/part': return new Response(new ReadableStream({ pull() { throw new Error('broke off') } }));
    case '/text': return 'text';
    case '/cookies': return new Response(null, { headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']] });
    case '/hold': console.log('held'); return new Promise(() => {});
    case '/pid': return new Response(String(process.pid));
    case '/port': return Response.json((process as any)._getActiveHandles().find((h: any) => h.listening).address().port);
    case '/304': return new Response(null, { status: 304, headers: { etag: '"1"', date: 'never' } });
    case '/headers': return Response.json([request.method, ...request.headers]);
    case '/fetch': return fetch('http://127.0.0.1:' + request.headers.get('x-port'));
    case '/later': ctx.waitUntil(new Promise<void>((done) => setTimeout(() => {
      console.log('waited for ' + word, env.PATH !== ''); done() }, 500))); break;
    case '/events': {
      let timer: NodeJS.Timeout;
      return new Response(new ReadableStream({
        start(c) { timer = setInterval(() => c.enqueue(new TextEncoder().encode('data: ' + word + '\\n\\n')), 50) },
        cancel() { clearInterval(timer); console.log('cancelled') } }), { headers: { 'content-type': 'text/event-stream' } });
    }
  }
  return pathname.startsWith('//') ? new Response(request.url) : new Response(word + (process.env.WORD ?? ''));
} };`;
const files = { 'a.ts': serving, 'lib/word.ts': 'export const word: string = "one"' };

type Answered = [status: number | undefined, text: string];

async function serve(files: Record<string, string>, options: readonly string[], env = {}) {
  const started = startRun(['--http', 'a.ts', ...options], files, env);
  await started.shows('stdout', '\n');
  const url = started.text.stdout.trim();
  const { hostname, port } = new URL(url);
  const open = (options: RequestOptions, body = '') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request({ hostname, port, ...options }, resolve)
        .once('error', reject)
        .end(body);
    });
  const ask = async (options: RequestOptions, body = ''): Promise<Answered> => {
    const answer = await open(options, body);
    return [answer.statusCode, await readText(answer)];
  };
  return { ...started, url, port, open, ask, get: (path: string) => ask({ path }) };
}

it('vals run --http passes requests and answers on, asks nothing of the service, and ends', async () => {
  const origin = await scriptedService([], () => (answer) => {
    answer.writeHead(200, { 'content-encoding': 'gzip', 'x-origin': '1' }).end(gzipSync('zipped'));
  });
  const service = await scriptedService([]);
  const { get, ask, open, url, port, shows, vals, ended } = await serve(files, [], service.env);

  expect(await get('/?q=1')).toEqual([200, 'one']);
  const echoed = await fetch(`${url}/echo`, { method: 'PUT', body: 'x'.repeat(1_000_000) });
  expect([echoed.status, echoed.headers.get('x-method')]).toEqual([201, 'PUT']);
  expect((await echoed.text()).length).toBe(1_000_000);
  expect((await fetch(`${url}/cookies`)).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await get('//other.example/x')).toEqual([200, `${url}//other.example/x`]);
  const [, text] = await ask({ path: '/headers', method: 'POST', headers: { 'x-a': ['1', '2'] } });
  expect(JSON.parse(text)).toEqual([
    'POST',
    ['connection', 'keep-alive'],
    ['content-length', '0'],
    ['host', `127.0.0.1:${port}`],
    ['x-a', '1, 2'],
  ]);
  const fetched = await fetch(`${url}/fetch`, { headers: { 'x-port': new URL(origin.baseUrl).port } });
  expect([fetched.headers.get('x-origin'), await fetched.text()]).toEqual(['1', 'zipped']);
  const { statusCode, rawHeaders } = await open({ path: '/304', agent: false });
  expect([statusCode, rawHeaders]).toEqual([304, ['date', 'never', 'etag', '"1"', 'Connection', 'close']]);

  expect(await ask({ headers: { host: `localhost:${port}` } })).toEqual([200, 'one']);
  expect(await ask({ headers: { host: `evil.example:${port}` } })).toMatchObject({ 0: 403 });
  const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
  expect(await ask({ headers: upgrade })).toEqual([501, 'vals run does not serve WebSockets.\n']);
  const [, ownPort] = await get('/port');
  await expect(fetch(`http://127.0.0.1:${ownPort}`)).rejects.toThrow('fetch failed');
  await shows('stderr', 'GET /?q=1 200 ');
  await shows('stderr', 'PUT /echo 201 ');

  const [, pid] = await get('/pid');
  const unused = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void unused.destroy());
  await once(unused, 'connect');
  const held = get('/hold');
  await shows('stderr', 'held');
  vals.kill('SIGINT');
  expect(await held).toEqual([500, 'a.ts was interrupted.\n']);
  const { exit, signal } = await ended;
  expect(exitStatus(exit, signal)).toBe(130);
  await expect.poll(() => isRunning(Number(pid))).toBe(false);
  expect(service.requests).toEqual([]);
});

it('vals run --http goes on after a val that throws, crashes or exits', async () => {
  const { get, shows } = await serve(files, []);
  expect(await get('/throw')).toEqual([500, 'Error: broken\n']);
  await shows('stderr', 'a.ts failed: Error: broken (a.ts:6:');
  expect((await get('/text'))[0]).toBe(500);
  await expect(get('/part')).rejects.toThrow('aborted');
  await shows('stderr', 'a.ts failed: Error: broke off (a.ts:10:');
  expect(await get('/exit')).toEqual([500, 'a.ts ended with exit code 7.\n']);
  expect(await get('/crash')).toEqual([500, expect.stringContaining('a.ts failed: Error: crashed (a.ts:9:')]);
  expect(await get('/')).toEqual([200, 'one']);
});

it('--max-time ends a val that hangs, and not a stream, and the next request is answered', async () => {
  const { get, open, url, shows } = await serve(files, ['--max-time', '2']);
  // On a busy machine, a val may need longer than the limit to start, and is started again at the next request.
  const isThere = () => expect.poll(() => get('/')).toEqual([200, 'one']);
  await isThere();
  const answer = await open({ path: '/events' });
  const startedAt = Date.now();
  for await (const _event of answer) if (Date.now() - startedAt > 2_300) break;
  await shows('stderr', 'cancelled');
  const tooLate = await fetch(`${url}/busy`);
  expect([tooLate.status, await tooLate.text()]).toEqual([504, 'a.ts took longer than 2 s and was ended.\n']);
  // A page of another origin can read the error.
  expect(tooLate.headers.get('access-control-allow-origin')).toBe('*');
  await isThere();
});

it('vals run --http answers each request after a save with the new code, while others finish on the old code', async () => {
  const { folder, ask, get, open, shows, vals, ended } = await serve(files, ['--watch']);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const [, pid] = await get('/pid');
  expect(await ask({ agent, path: '/later' })).toEqual([200, 'one']);
  const events = await open({ path: '/events' });
  folder.write('lib/word.ts', 'export const word = "two"');
  expect(await ask({ agent, method: 'POST' }, 'x'.repeat(200_000))).toEqual([200, 'two']);
  expect(await ask({ agent })).toEqual([200, 'two']);
  const [event] = await once(events, 'data');
  expect(`${event}`).toContain('data: one');
  await shows('stderr', 'waited for one true');
  expect(isRunning(Number(pid))).toBe(true);
  events.destroy();
  await expect.poll(() => isRunning(Number(pid))).toBe(false);

  folder.write('lib/word.ts', 'export const word = ;');
  expect(await get('/')).toEqual([500, expect.stringContaining('lib/word.ts:1:21')]);
  folder.write('lib/word.ts', 'import "./new.ts"; export const word = "three"');
  expect(await get('/')).toEqual([
    500,
    expect.stringContaining('imports ./new.ts, and there is no such file'),
  ]);
  folder.write('lib/new.ts', '');
  expect(await get('/')).toEqual([200, 'three']);
  folder.write('.env', 'WORD=1');
  expect(await get('/')).toEqual([200, 'three1']);
  const [, last] = await get('/pid');
  const held = get('/hold');
  await shows('stderr', 'held');
  process.kill(Number(last), 'SIGKILL');
  expect(await held).toEqual([500, 'a.ts was ended by SIGKILL.\n']);
  vals.kill('SIGINT');
  const { exit, signal } = await ended;
  expect(exitStatus(exit, signal)).toBe(130);
});

it('a val that fails at its start is started again at the next request, and --host answers to every name', async () => {
  const code = `import { existsSync } from 'node:fs';
    export default existsSync('ok') ? () => new Response('ok') : /* for a Request */ 5`;
  const options = ['--host', '0.0.0.0', '--port', '0'];
  const { folder, ask, get, url, shows, text } = await serve({ 'a.ts': code }, options);
  expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  const nothing = expect.stringContaining('its default export is neither a function');
  expect(await get('/x?q=1')).toEqual([500, nothing]);
  await shows('stderr', 'GET /x?q=1 500 ');
  expect(text.stderr).not.toContain('hint:');
  folder.write('ok', '');
  expect(await ask({ headers: { host: 'my-machine.example' } })).toEqual([200, 'ok']);
});
