// What goes on until it is interrupted: requests to a val, and runs on each save.
import { rmSync } from 'node:fs';
import { type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { environment, program, temporaryFolder } from '../support/program.ts';
import { deaf, folderWith } from './folder.ts';

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

function start(args: readonly string[], files: Record<string, string>) {
  const folder = folderWith(files);
  const vals = execa(process.execPath, [program, 'run', ...args], {
    cwd: folder.path,
    env: environment(temporaryFolder()),
    extendEnv: false,
    reject: false,
  });
  onTestFinished(() => void vals.kill('SIGKILL'));
  const text = { stdout: '', stderr: '' };
  vals.stdout.on('data', (chunk) => (text.stdout += chunk));
  vals.stderr.on('data', (chunk) => (text.stderr += chunk));
  const shows = (stream: 'stdout' | 'stderr', words: string) =>
    expect.poll(() => text[stream], { timeout: 20_000 }).toContain(words);
  return { folder, vals, text, shows };
}

it('hands requests to the default export, picks up changes, and outlives what a val does', async () => {
  const { folder, vals, text, shows } = start(['--http', '--max-time', '2', 'a.ts'], {
    'a.ts': serving,
    'lib/word.ts': 'export const word: string = "one"',
  });
  await shows('stdout', '\n');
  const url = text.stdout.trim();
  const get = async (path: string) => {
    const response = await fetch(url + path);
    return [response.status, await response.text()];
  };
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

  const { hostname, port } = new URL(url);
  const answerTo = (options: RequestOptions) =>
    new Promise((resolve) =>
      request({ hostname, port, ...options }, async (answer) =>
        resolve([answer.statusCode, await readText(answer)]),
      ).end(),
    );
  expect(await answerTo({ headers: { host: `evil.example:${port}` } })).toMatchObject({ 0: 403 });
  expect(await answerTo({ path: '//evil.example/x' })).toEqual([200, `${url}//evil.example/x`]);
  expect(await answerTo({ path: 'http://evil.example/x' })).toMatchObject({ 0: 400 });
  expect(await answerTo({ method: 'TRACE' })).toMatchObject({ 0: 405 });

  folder.write('lib/word.ts', 'export const word = "two"');
  await expect.poll(() => get('/'), { timeout: 10_000 }).toEqual([200, 'two']);
  folder.write('lib/word.ts', 'export const word = ;');
  await expect
    .poll(() => get('/'), { timeout: 10_000 })
    .toEqual([500, expect.stringContaining('lib/word.ts:1:21')]);
  folder.write('lib/word.ts', 'export const word = "three"');
  await expect.poll(() => get('/'), { timeout: 10_000 }).toEqual([200, 'three']);

  await shows('stderr', 'GET / 200 ');
  expect(text.stderr).not.toContain('q=1');
  vals.kill('SIGINT');
  expect((await vals).exitCode).toBe(130);
});

const busy = `console.log("busy"); ${deaf}; export const n = 0`;

it('runs again on each save of the file and of what it imports, whatever comes of it', async () => {
  const { folder, vals, shows } = start(['--watch', 'a.ts', 'Ada'], {
    'a.ts': 'import { n } from "./lib/n.ts"; export default (name: string) => name + " " + n + "\\n"',
    'lib/n.ts': busy,
  });
  // Also of what the first run has imported and not yet come back from.
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
  expect((await vals).exitCode).toBe(130);
});
