import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { speak, statusIn } from '../service/support.ts';
import { environment, exitStatus, program } from '../support/program.ts';
import { deaf, folderWith, isThere, startRun } from './folder.ts';

const serving = `import { word } from './lib/word.ts';
export default async (request: Request) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/echo') return new Response(request.body, { status: 201, headers: { 'x-method': request.method } });
  if (pathname === '/throw') throw new Error('broken');
  if (pathname === '/busy') ${deaf};
  if (pathname === '/exit') process.exit(7);
  if (pathname === '/text') return 'text';
  if (pathname.startsWith('//')) return new Response(request.url);
  return new Response(word);
};`;

type Answered = [status: number | undefined, text: string];

async function serve(maxTime: string, files: Record<string, string>) {
  const started = startRun(['--http', '--max-time', maxTime, 'a.ts'], files);
  await started.shows('stdout', '\n');
  const url = started.text.stdout.trim();
  const { hostname, port } = new URL(url);
  const get = async (path: string): Promise<Answered> => {
    const response = await fetch(url + path);
    return [response.status, await response.text()];
  };
  const ask = (options: RequestOptions, body = '', isCutOff = false) =>
    new Promise<Answered>((resolve, reject) => {
      const asked = request({ hostname, port, ...options }, async (answer) =>
        resolve([answer.statusCode, await readText(answer)]),
      );
      asked.once('error', reject);
      if (isCutOff) asked.write(body);
      else asked.end(body);
    });
  return { ...started, url, port, get, ask };
}

it('vals run --http passes requests to the default export, picks up changes, and survives a val that fails', async () => {
  const { folder, vals, text, shows, url, port, get, ask } = await serve('2', {
    'a.ts': serving,
    'lib/word.ts': 'export const word: string = "one"',
  });
  expect(await get('/?q=1')).toEqual([200, 'one']);
  const echoed = await fetch(`${url}/echo`, { method: 'PUT', body: 'x'.repeat(1_000_000) });
  expect([echoed.status, echoed.headers.get('x-method'), (await echoed.text()).length]).toEqual([
    201,
    'PUT',
    1_000_000,
  ]);
  expect(await get('/throw')).toEqual([500, 'Error: broken\n']);
  await shows('stderr', 'a.ts failed: Error: broken (a.ts:5:');
  expect((await get('/text'))[0]).toBe(500);
  expect(await get('/exit')).toEqual([502, 'a.ts ended itself with exit code 7.\n']);
  expect(await get('/')).toEqual([200, 'one']);
  expect((await get('/busy'))[0]).toBe(504);
  expect(await get('/')).toEqual([200, 'one']);

  expect(await ask({ headers: { host: `evil.example:${port}` } })).toMatchObject({ 0: 403 });
  const twoHosts = ['Host', `127.0.0.1:${port}`, 'Host', 'evil.example'];
  expect(await ask({ headers: twoHosts })).toEqual([400, 'A request must have one Host header.\n']);
  for (const method of ['GET', 'POST']) {
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', `http://[::1]:${port}`, 'null', '']) {
      expect(await ask({ method, headers: { origin } })).toMatchObject({ 0: 403 });
    }
    expect(await ask({ method, headers: { origin: url } })).toMatchObject({ 0: 200 });
  }
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
  expect(await ask({ headers: image })).toMatchObject({ 0: 403 });
  expect(await ask({ headers: { ...image, 'sec-fetch-mode': 'navigate' } })).toMatchObject({ 0: 200 });
  expect(await ask({ path: '//evil.example/x' })).toEqual([200, `${url}//evil.example/x`]);
  expect(await ask({ path: 'http://evil.example/x' })).toMatchObject({ 0: 400 });
  expect(await ask({ method: 'TRACE' })).toMatchObject({ 0: 405 });
  const trailer = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nTrailer: x\r\n\r\n`;
  expect(statusIn(await speak(Number(port), trailer))).toBe(200);

  folder.write('lib/word.ts', 'export const word = "two"');
  await expect.poll(() => get('/')).toEqual([200, 'two']);
  folder.write('lib/word.ts', 'export const word = ;');
  await expect.poll(() => get('/')).toEqual([500, expect.stringContaining('lib/word.ts:1:21')]);
  folder.write('lib/word.ts', 'export const word = "three"');
  await expect.poll(() => get('/')).toEqual([200, 'three']);

  await shows('stderr', 'GET / 200 ');
  expect(text.stderr).not.toContain('q=1');
  vals.kill('SIGINT');
  const { exitCode, signal } = await vals;
  expect(exitStatus(exitCode, signal)).toBe(130);
});

const patient = `let release = () => {};
export default async (request: Request) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/read') return new Response(await request.text());
  if (pathname === '/never') await new Promise(() => {});
  if (pathname === '/later') await new Promise((resolve) => setTimeout(resolve, 3_000));
  if (pathname === '/hold') await new Promise<void>((resolve) => (release = resolve));
  if (pathname === '/release') release();
  return new Response(String(process.pid));
};`;
const twoSeconds = () => new Promise((resolve) => setTimeout(resolve, 2_000));

it('a caller that never ends its body gets 408, and other requests go on', async () => {
  const { get, ask } = await serve('4', { 'a.ts': patient });
  const [, pid] = await get('/');
  const headers = { 'content-length': '1000' };
  const cutOff = ask({ method: 'POST', path: '/read', headers }, 'the beginning', true);
  await twoSeconds();
  const held = get('/hold');
  expect(await cutOff).toEqual([408, 'The request did not arrive within 4 s.\n']);
  await get('/release');
  expect(await held).toEqual([200, pid]);
  expect(await get('/')).toEqual([200, pid]);
});

it('a caller whose body is larger than 100 MiB gets 413, and the val goes on', async () => {
  const { get, ask, shows } = await serve('60', { 'a.ts': patient });
  const [, pid] = await get('/');
  const sent = ask({ method: 'POST', path: '/read' }, 'x'.repeat(100 * 1_048_576 + 1), true);
  await shows('stderr', 'POST /read 413 ');
  await sent.catch(() => {});
  expect(await get('/')).toEqual([200, pid]);
});

it('a val that does not read the bodies of its requests answers all of them', async () => {
  const { ask } = await serve('10', { 'a.ts': `export default () => new Response('x')` });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (const megabytes of [3, 10, 3, 10, 1]) {
    const answer = ask({ method: 'POST', agent }, 'x'.repeat(megabytes * 1_000_000));
    expect(await answer).toEqual([200, 'x']);
  }
});

it('a request that cannot be forwarded gets 400, and does not keep a val alive that is ended', async () => {
  const { port, get, shows } = await serve('2', {
    'a.ts': serving,
    'lib/word.ts': 'export const word = String(process.pid)',
  });
  const [, pid] = await get('/');
  const headers = 'Content-Length: 3\r\nContent-Disposition: attachment; filename="\u00e9"\r\n';
  const bytes = Buffer.from(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\nabc`, 'latin1');
  expect(statusIn(await speak(Number(port), bytes))).toBe(400);
  await shows('stderr', 'POST / 400 ');
  expect((await get('/busy'))[0]).toBe(504);
  await expect.poll(() => isThere(Number(pid))).toBe(false);
});

it('the requests that a caller sends ahead on one connection are answered in turn, and at most 1,000 wait', async () => {
  const counting = `let now = 0, most = 0;
export default async (request: Request) => {
  if (request.url.endsWith('/most')) return new Response(String(most));
  most = Math.max(most, ++now);
  if (request.url.endsWith('/first')) await new Promise((resolve) => setTimeout(resolve, 1_000));
  now--;
  return new Response('one');
};`;
  const { port, get } = await serve('20', { 'a.ts': counting });
  await get('/most');
  const socket = connect(Number(port), '127.0.0.1');
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  socket.write(ask('/first') + ask('/').repeat(1_100));
  const answers = await readText(socket);
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(1_000);
  expect(answers).toContain('HTTP/1.1 429 ');
  expect(await get('/most')).toEqual([200, '1']);
});

it('a caller that leaves after several requests at once does not end the val', async () => {
  const { port, get } = await serve('2', { 'a.ts': patient });
  const [, pid] = await get('/');
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET /later HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(3));
  await once(socket, 'connect');
  await new Promise((resolve) => setTimeout(resolve, 500));
  socket.destroy();
  await twoSeconds();
  await twoSeconds();
  expect(await get('/')).toEqual([200, pid]);
});

it('a request that takes too long gets 504, and its process is replaced after its other requests', async () => {
  const { get, ask, shows } = await serve('4', { 'a.ts': patient });
  const [, pid] = await get('/');
  const never = get('/never');
  await twoSeconds();
  const later = get('/later');
  expect(await never).toMatchObject({ 0: 504 });
  expect(await later).toEqual([200, pid]);
  const [status, other] = await get('/');
  expect(status).toBe(200);
  expect(other).not.toBe(pid);
  await expect.poll(() => isThere(Number(pid))).toBe(false);
  expect(await ask({ method: 'POST', path: '/read' }, 'whole')).toEqual([200, 'whole']);
  await shows('stderr', 'GET /never 504 ');
});

it.each([
  ['blocks', `${deaf};`],
  ['waits for ever', 'setInterval(() => {}, 1_000); await new Promise(() => {});'],
])(
  'a val that %s before it can answer gets 504 and is ended, and a change of its file starts it again',
  async (_name, start) => {
    const ready = 'export default () => new Response("ready")';
    const { folder, shows, get } = await serve('1', { 'a.ts': start + ready });
    const tooLong = [504, 'a.ts took longer than 1 s and was ended.\n'];
    expect(await get('/')).toEqual(tooLong);
    expect(await get('/')).toEqual(tooLong);
    await shows('stderr', 'a.ts took longer than 1 s and was ended.');
    folder.write('a.ts', ready);
    await expect.poll(() => get('/')).toEqual([200, 'ready']);
  },
);

it('a val that waits for a promise that nothing can resolve gets 500, with the reason', async () => {
  const { get } = await serve('20', { 'a.ts': 'await new Promise(() => {})' });
  expect(await get('/')).toEqual([500, expect.stringMatching(/^a\.ts never finished: /)]);
});

it('a request that waits while the val computes is answered', async () => {
  const { get } = await serve('15', {
    'a.ts': `export default ({ url }: Request) => {
      if (url.endsWith('/compute')) ${deaf.replace(/\)$/, ', 6_000)')};
      return new Response(String(process.pid));
    }`,
  });
  const [[, pid]] = await Promise.all([get('/'), get('/')]);
  expect(await Promise.all([get('/compute'), get('/')])).toEqual([
    [200, pid],
    [200, pid],
  ]);
});

it('a val is ended if it computes without end for a caller that left, but not if it only waits', async () => {
  const code = patient.replace(
    'if',
    `if (pathname === '/busy') { console.log('computes'); ${deaf}; }
  if (pathname === '/wait') { console.log('waits'); await new Promise(() => {}); }
  if`,
  );
  const { url, get, shows } = await serve('4', { 'a.ts': code });
  const [, pid] = await get('/');
  const leave = async (path: string, words: string) => {
    const leaving = new AbortController();
    const left = fetch(url + path, { signal: leaving.signal }).catch(() => {});
    await shows('stderr', words);
    leaving.abort();
    await left;
  };
  await leave('/wait', 'waits');
  for (let count = 0; count < 3; count++) await twoSeconds();
  expect(await get('/')).toEqual([200, pid]);
  await leave('/busy', 'computes');
  await expect.poll(() => isThere(Number(pid))).toBe(false);
  await shows('stderr', 'GET /busy 504 ');
});

it('a val is replaced after a change, although a caller left while it started', async () => {
  const code = 'await new Promise((resolve) => setTimeout(resolve, 3_000));';
  const { url, folder, get } = await serve('20', { 'a.ts': code + patient });
  const leaving = new AbortController();
  const left = fetch(url, { signal: leaving.signal }).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 500));
  leaving.abort();
  await left;
  const [, pid] = await get('/');
  folder.write('a.ts', patient);
  await expect.poll(() => isThere(Number(pid))).toBe(false);
});

it('a caller that stops reading its answer does not end the val', async () => {
  const code = `export default ({ url }: Request) =>
    new Response(url.endsWith('/large') ? 'x'.repeat(50_000_000) : String(process.pid));`;
  const { port, get, shows } = await serve('2', { 'a.ts': code });
  const [, pid] = await get('/');
  const caller = connect(Number(port), '127.0.0.1').pause();
  caller.write(`GET /large HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await shows('stderr', 'GET /large 200 ');
  expect(await get('/')).toEqual([200, pid]);
});

it('a val that stops reading a large body gets 504, not 408', async () => {
  const { get, ask } = await serve('2', { 'a.ts': `export default () => { ${deaf} }` });
  const body = 'x'.repeat(20_000_000);
  expect(await ask({ method: 'POST' }, body)).toMatchObject({ 0: 504 });
  expect((await get('/'))[0]).toBe(504);
});

it.skipIf(process.platform === 'win32')(
  'a request is answered although the limit on open files is too low to start the val again',
  async () => {
    const { path } = folderWith({ 'a.ts': serving, 'lib/word.ts': 'export const word = "one"' });
    const words = ['-c', 'ulimit -n 1000 && exec "$0" "$1" run --http a.ts', process.execPath, program];
    const vals = execa('bash', words, { cwd: path, env: environment(path), extendEnv: false, reject: false });
    onTestFinished(() => void vals.kill('SIGKILL'));
    const [url] = await once(createInterface(vals.stdout), 'line');
    const get = async (path: string) => {
      const response = await fetch(url + path, { headers: { connection: 'close' } });
      return [response.status, await response.text()];
    };
    const idle = Array.from({ length: 900 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect(await get('/exit')).toMatchObject({ 0: 502 });
    expect(await get('/')).toEqual([500, 'The limit on open files is too low for running a val.\n']);
    vals.kill('SIGINT');
    const { exitCode, signal } = await vals;
    expect(exitStatus(exitCode, signal)).toBe(130);
  },
);

it('a val that answers with its own server, and not with valid HTTP, gets 502', async () => {
  const code = `import { writeSync } from 'node:fs'; import { type AddressInfo, createServer } from 'node:net';
    const statusLines: Record<string, string> = { code: '099 OK', text: '200 \\x01', header: '200 OK\\r\\nno header' };
    const server = createServer((socket) => socket.once('data', (data) => {
      if (data.includes('/close')) return socket.destroy();
      const line = statusLines[/\\/(\\w*)/.exec(data.toString())?.[1] ?? ''] ?? '200 OK';
      socket.end('HTTP/1.1 ' + line + '\\r\\nConnection: close\\r\\nContent-Length: 0\\r\\n\\r\\n');
    })).listen(0, '127.0.0.1', () => {
      const report = JSON.stringify({ listening: (server.address() as AddressInfo).port });
      writeSync(3, Buffer.concat([Buffer.of(0, report.length, 0, 0, 0), Buffer.from(report)]));
    });
    await new Promise(() => {});`;
  const { get, text } = await serve('9', { 'a.ts': code });
  const refusal = 'a.ts answered with a status or a header that HTTP does not allow.\n';
  expect(await get('/')).toEqual([200, '']);
  expect(await get('/code')).toEqual([502, refusal]);
  expect(await get('/text')).toEqual([502, refusal]);
  expect(await get('/header')).toEqual([502, refusal]);
  expect(await get('/close')).toEqual([502, 'a.ts closed the connection before it answered.\n']);
  expect(text.stderr).not.toContain('defect');
});

it('a val that reports its failure and then that it listens is ended', async () => {
  const code = `import { writeSync } from 'node:fs';
    console.log('pid ' + process.pid + '.');
    for (const report of [{ failed: { text: 'forged', stack: '' } }, { listening: 1 }]) {
      const bytes = Buffer.from(JSON.stringify(report));
      writeSync(3, Buffer.concat([Buffer.of(0, bytes.length, 0, 0, 0), bytes]));
    }
    setInterval(() => {}, 1_000);
    await new Promise(() => {});`;
  const { get, shows, text } = await serve('1', { 'a.ts': code });
  expect(await get('/')).toEqual([500, 'a.ts failed: forged.\n']);
  await shows('stderr', 'pid ');
  const pid = Number(/pid (\d+)\./.exec(text.stderr)?.[1]);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isThere(pid)).toBe(false);
});

const busy = `console.log("busy"); ${deaf}; export const n = 0`;

it('vals run --watch runs again on each save of the file and of its imports, also after a failure', async () => {
  const { folder, vals, shows } = startRun(['--watch', 'a.ts', 'Ada'], {
    'a.ts': 'import { n } from "./lib/n.ts"; export default (name: string) => name + " " + n + "\\n"',
    'lib/n.ts': busy,
  });
  await shows('stderr', 'busy');
  folder.write('lib/n.ts', 'export const n = 1');
  await shows('stdout', 'Ada 1\n');
  folder.write('lib/n.ts', 'export const n = 2');
  await shows('stdout', 'Ada 2\n');
  folder.write('lib/n.ts', 'export const n = ;');
  await shows('stderr', 'lib/n.ts:1:18 has a syntax error');
  folder.write('lib/n.ts', busy.replace('busy', 'again'));
  await shows('stderr', 'again');
  folder.write('lib/n.ts', 'export const n = 4');
  await shows('stdout', 'Ada 4\n');
  rmSync(join(folder.path, 'lib'), { recursive: true });
  await shows('stderr', 'there is no such file');
  folder.write('lib/n.ts', 'export const n = 5');
  await shows('stdout', 'Ada 5\n');
  vals.kill('SIGINT');
  const { exitCode, signal } = await vals;
  expect(exitStatus(exitCode, signal)).toBe(130);
});
