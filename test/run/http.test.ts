import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitStatus } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { deaf, isThere, startRun } from './folder.ts';

const serving = `import { word } from './lib/word.ts';
let release = () => {};
export default { async fetch(request: Request) {
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
    case '/hold': console.log('held'); await new Promise<void>((resolve) => (release = resolve)); return new Response(word);
    case '/release': release(); break;
    case '/pid': return new Response(String(process.pid));
    case '/print': console.log('printed'); break;
    case '/teapot': return new Response(null, { status: 418, statusText: 'Short and stout' });
  }
  return pathname.startsWith('//') ? new Response(request.url) : new Response(word);
} };`;

type Answered = [status: number | undefined, text: string];

async function serve(files: Record<string, string>, ...options: string[]) {
  const started = startRun(['--http', 'a.ts', ...options], files);
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

const files = { 'a.ts': serving, 'lib/word.ts': 'export const word: string = "one"' };

describe('vals run --http', () => {
  it('passes requests to the val, and shows a line for each', async () => {
    const { get, ask, url, port, shows, vals } = await serve(files);
    expect(await get('/?q=1')).toEqual([200, 'one']);
    const echoed = await fetch(`${url}/echo`, { method: 'PUT', body: 'x'.repeat(1_000_000) });
    expect([echoed.status, echoed.headers.get('x-method')]).toEqual([201, 'PUT']);
    expect((await echoed.text()).length).toBe(1_000_000);
    expect((await fetch(`${url}/cookies`)).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const statusTexts = [(await fetch(url)).statusText, (await fetch(`${url}/teapot`)).statusText];
    expect(statusTexts).toEqual(['OK', 'Short and stout']);
    expect(await get('//other.example/x')).toEqual([200, `${url}//other.example/x`]);
    expect(await ask({ headers: { origin: 'http://localhost:5173' } })).toEqual([200, 'one']);
    expect(await ask({ headers: { host: `localhost:${port}` } })).toEqual([200, 'one']);
    expect(await ask({ headers: { host: `evil.example:${port}` } })).toMatchObject({ 0: 403 });
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
    expect(await ask({ headers: upgrade })).toEqual([501, 'vals run does not serve WebSockets.\n']);
    await get('/print');
    await shows('stderr', 'printed\n');
    await shows('stderr', 'GET /?q=1 200 ');
    await shows('stderr', 'PUT /echo 201 ');
    vals.kill('SIGINT');
    const { exitCode, signal } = await vals;
    expect(exitStatus(exitCode, signal)).toBe(130);
  });

  it('goes on after a val that throws, crashes, exits or hangs', async () => {
    const { get, shows } = await serve(files, '--max-time', '2');
    expect(await get('/throw')).toEqual([500, 'Error: broken\n']);
    await shows('stderr', 'a.ts failed: Error: broken (a.ts:7:');
    expect((await get('/text'))[0]).toBe(500);
    expect(await get('/exit')).toEqual([500, 'a.ts ended with exit code 7.\n']);
    expect(await get('/crash')).toEqual([
      500,
      expect.stringContaining('a.ts failed: Error: crashed (a.ts:10:'),
    ]);
    await expect(get('/part')).rejects.toThrow('aborted');
    await shows('stderr', 'a.ts failed: Error: broke off (a.ts:11:');
    expect(await get('/')).toEqual([200, 'one']);
    expect(await get('/busy')).toEqual([504, 'a.ts took longer than 2 s and was ended.\n']);
    expect(await get('/')).toEqual([200, 'one']);
  });

  it('picks up changes, also of broken code, while requests under way finish', async () => {
    const { folder, get, shows } = await serve(files);
    const [, pid] = await get('/pid');
    const held = get('/hold');
    await shows('stderr', 'held');
    folder.write('lib/word.ts', 'export const word = "two"');
    await expect.poll(() => get('/')).toEqual([200, 'two']);
    folder.write('lib/word.ts', 'export const word = ;');
    await expect.poll(() => get('/')).toEqual([500, expect.stringContaining('lib/word.ts:1:21')]);
    folder.write('lib/word.ts', 'export const word = "three"');
    await expect.poll(() => get('/')).toEqual([200, 'three']);
    process.kill(Number(pid), 'SIGKILL');
    expect(await held).toEqual([500, 'a.ts was ended by SIGKILL.\n']);
  });

  it('answers each request after a save with the new code, on a kept connection too', async () => {
    const code = (word: string) =>
      `export default { async fetch(request: Request, env: NodeJS.ProcessEnv, ctx: { waitUntil(work: unknown): void }) {
        ctx.waitUntil(new Promise<void>((done) => setTimeout(() => { console.log('waited', env.PATH !== ''); done() }, 10)));
        return new Response('${word} ' + (await request.text()).length) } }`;
    const { ask, folder, shows } = await serve({ 'a.ts': code('one') });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect(await ask({ agent })).toEqual([200, 'one 0']);
    for (const word of ['two', 'three']) {
      folder.write('a.ts', code(word));
      expect(await ask({ agent, method: 'POST' }, 'x'.repeat(200_000))).toEqual([200, `${word} 200000`]);
      expect(await ask({ agent })).toEqual([200, `${word} 0`]);
    }
    await shows('stderr', 'waited true');
  });

  it('answers on a connection that was idle during a reload, then ends the old process', async () => {
    const { folder, get, port } = await serve(files);
    const [, pid] = await get('/pid');
    const unused = connect(Number(port), '127.0.0.1');
    const kept = connect(Number(port), '127.0.0.1');
    onTestFinished(() => [unused, kept].forEach((socket) => void socket.destroy()));
    let received = '';
    kept.on('data', (chunk) => (received += chunk));
    kept.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => received).toContain('one');
    folder.write('lib/word.ts', 'export const word = "two"');
    await expect.poll(() => get('/')).toEqual([200, 'two']);
    kept.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => received).toContain('two');
    await expect.poll(() => isThere(Number(pid))).toBe(false);
  });

  it('ends at once although connections are idle or have a request under way', async () => {
    const { get, port, vals, shows } = await serve(files);
    const [, pid] = await get('/pid');
    const unused = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void unused.destroy());
    await once(unused, 'connect');
    const held = get('/hold');
    await shows('stderr', 'held');
    const killedAt = Date.now();
    vals.kill('SIGINT');
    expect(await held).toEqual([500, 'a.ts was interrupted.\n']);
    await vals;
    expect(Date.now() - killedAt).toBeLessThan(1_500);
    await expect.poll(() => isThere(Number(pid))).toBe(false);
  });

  it('lets a page of another origin read its own errors', async () => {
    const { url } = await serve(files, '--max-time', '1');
    for (const path of ['/throw', '/exit', '/busy']) {
      const { status, headers } = await fetch(url + path);
      expect([status >= 500, headers.get('access-control-allow-origin')]).toEqual([true, '*']);
    }
  });

  it('lets a request under way finish on the old code, then ends its process', async () => {
    const waiting = `import { existsSync } from 'node:fs';
      export default ({ url }: Request) => new Response(url.endsWith('/') ? '' : new ReadableStream({ start(c) {
        c.enqueue(new TextEncoder().encode(process.pid + ' one'));
        const timer = setInterval(() => { if (existsSync('go')) { clearInterval(timer); c.close() } }, 20) } }))`;
    const { folder, open, get } = await serve({ 'a.ts': waiting });
    const answer = await open({ path: '/wait' });
    folder.write('a.ts', 'export default () => new Response("two")');
    await expect.poll(() => get('/')).toEqual([200, 'two']);
    folder.write('go', '');
    const [pid, word] = (await readText(answer)).split(' ');
    expect(word).toBe('one');
    await expect.poll(() => isThere(Number(pid))).toBe(false);
  });

  it('streams for longer than --max-time, and stops when the caller leaves', async () => {
    const { open, shows } = await serve(
      {
        'a.ts': `export default () => { let timer: NodeJS.Timeout; return new Response(new ReadableStream({
          start(c) { timer = setInterval(() => c.enqueue(new TextEncoder().encode('data: x\\n\\n')), 100) },
          cancel() { clearInterval(timer); console.log('cancelled') } }), { headers: { 'content-type': 'text/event-stream' } }) }`,
      },
      '--max-time',
      '3',
    );
    const answer = await open({ path: '/' });
    let events = 0;
    for await (const _event of answer) {
      events += 1;
      if (events === 35) break;
    }
    await shows('stderr', 'cancelled');
  });

  it('answers many requests on one connection, although the val reads no bodies', async () => {
    const { ask } = await serve({ 'a.ts': `export default () => new Response('x')` });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (const megabytes of [3, 10, 3, 1]) {
      expect(await ask({ method: 'POST', agent }, 'x'.repeat(megabytes * 1_000_000))).toEqual([200, 'x']);
    }
  });

  it('passes on headers, bodies and statuses as they are, and an answer of fetch decoded', async () => {
    const origin = createServer((_, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip', 'x-origin': '1' }).end(gzipSync('zipped'));
    });
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void origin.close());
    const { port: originPort } = origin.address() as AddressInfo;
    const code = `export default async (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/fetch') return fetch('http://127.0.0.1:${originPort}');
      if (pathname === '/304') return new Response(null, { status: 304, headers: { etag: '"1"', date: 'never' } });
      if (pathname === '/port') return Response.json((process as any)._getActiveHandles().find((h: any) => h.listening).address().port);
      if (pathname === '/long') return new Response('', { headers: { 'x-long': 'x'.repeat(15_000) } });
      return Response.json([request.method, ...request.headers]) }`;
    const { url, open, port, ask } = await serve({ 'a.ts': code });
    const [, text] = await ask({ method: 'POST', headers: { host: `localhost:${port}`, 'x-a': ['1', '2'] } });
    expect(JSON.parse(text)).toEqual([
      'POST',
      ['connection', 'keep-alive'],
      ['content-length', '0'],
      ['host', `localhost:${port}`],
      ['x-a', '1, 2'],
    ]);
    const fetched = await fetch(`${url}/fetch`);
    expect([fetched.headers.get('x-origin'), await fetched.text()]).toEqual(['1', 'zipped']);
    const { statusCode, rawHeaders } = await open({ path: '/304', agent: false });
    expect([statusCode, rawHeaders]).toEqual([304, ['date', 'never', 'etag', '"1"', 'Connection', 'close']]);
    const head = await open({ method: 'HEAD' });
    expect([head.statusCode, await readText(head)]).toEqual([200, '']);
    expect((await fetch(`${url}/long`)).headers.get('x-long')).toHaveLength(15_000);
    const [, ownPort] = await ask({ path: '/port' });
    await expect(fetch(`http://127.0.0.1:${ownPort}`)).rejects.toThrow('fetch failed');
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\nHost: localhost\r\nTrailer: x\r\n\r\n');
    expect(await readText(socket)).toMatch(/\r\n\r\n\["GET",\["host","localhost"\]\]$/);
  });

  it('starts again at the next request after a failed start, and when .env or a missing file is written', async () => {
    const code = `import { existsSync } from 'node:fs'; import { b } from './b';
      if (!existsSync('ok')) throw new Error('not yet'); export default () => new Response(b + process.env.WORD)`;
    const { folder, get } = await serve({ 'a.ts': code }, '--watch');
    expect(await get('/')).toEqual([500, 'a.ts imports ./b, and there is no such file (a.ts:1:57).\n']);
    folder.write('b.ts', 'export const b = "b"');
    expect(await get('/')).toEqual([500, expect.stringContaining('not yet')]);
    folder.write('ok', '');
    expect(await get('/')).toEqual([200, 'bundefined']);
    folder.write('.env', 'WORD=1');
    expect(await get('/')).toEqual([200, 'b1']);
  });

  it('asks nothing of the service', async () => {
    const service = await scriptedService([]);
    const { shows, text } = startRun(['--http', 'a.ts'], files, service.env);
    await shows('stdout', '\n');
    expect(await (await fetch(text.stdout.trim())).text()).toBe('one');
    expect(service.requests).toEqual([]);
  });

  it('takes a port and a host after the file, and then answers to every name', async () => {
    const { ask, url } = await serve(files, '--host', '0.0.0.0', '--port', '0');
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    expect(await ask({ headers: { host: 'my-machine.example' } })).toEqual([200, 'one']);
  });

  it('explains a val that has nothing to serve', async () => {
    const { get, shows, text } = await serve({ 'a.ts': '/* for a Request */ export default 5' });
    expect(await get('/x?q=1')).toEqual([
      500,
      expect.stringContaining('its default export is neither a function'),
    ]);
    await shows('stderr', 'GET /x?q=1 500 ');
    expect(text.stderr).not.toContain('hint:');
  });
});

it('vals run --watch runs again on each save of the file and of its imports, also after a failure', async () => {
  const { folder, vals, text, shows } = startRun(['--watch', 'a.ts'], {
    'a.ts': 'import { b } from "./b.ts"; export default () => b',
    'b.ts': 'export const b = "one"',
  });
  await shows('stdout', 'one\n');
  folder.write('b.ts', 'export const b = ');
  await shows('stderr', 'b.ts:1:18 has a syntax error');
  folder.write('b.ts', 'export const b = "two"');
  await shows('stdout', 'two\n');
  folder.write('a.ts', 'import "./c.ts"; export default () => "three"');
  await shows('stderr', 'imports ./c.ts, and there is no such file');
  folder.write('c.ts', '');
  await shows('stdout', 'three\n');
  const ended = once(vals, 'exit');
  vals.kill('SIGINT');
  await ended;
  expect(text.stderr).not.toMatch(/^error:/m);
});
