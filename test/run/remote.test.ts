import { createServer, type Server } from 'node:http';
import { expect, it } from 'vitest';
import { listen } from '../support/listen.ts';
import { temporaryFolder } from '../support/program.ts';
import { folderWith } from './folder.ts';

type Page = { type?: string; body?: string; status?: number; location?: string };

async function webOf(pages: Record<string, Page>) {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const { type = 'text/javascript', body = '', status = 200, location } = pages[path] ?? { status: 404 };
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return { url, asked, pages };
}

const pages = (): Record<string, Page> => ({
  '/greet': { status: 302, location: '/v2/greet.ts' },
  '/v2/greet.ts': {
    type: 'application/typescript',
    body: 'import { word } from "./word.js"; import { own } from "own"; import data from "/data.json";\nexport const greet = (name: string): string => word + own + name + data.n',
  },
  '/v2/word.js': { body: 'export const word = "hello "' },
  '/data.json': { type: 'application/json', body: '{"n":1}' },
  '/broken.ts': { type: 'application/typescript', body: 'export const x = ;' },
  '/throws.ts': { type: 'application/typescript', body: '\n  throw new Error("remote")' },
  '/relative.ts': { body: '1;\nimport "./absent.js"' },
  '/away': { status: 302, location: 'http://example.com/x.js' },
});
const own = {
  'node_modules/own/package.json': '{"name":"own","type":"module","exports":"./own.js"}',
  'node_modules/own/own.js': 'export const own = "dear "',
};

it('a val imports modules from the web, which are kept, and fetched again with --reload', async () => {
  const web = await webOf(pages());
  const home = temporaryFolder();
  const { runProcess } = folderWith({
    'a.ts': `import { greet } from '${web.url}/greet'; export default (name: string) => greet(name)`,
    ...own,
  });
  const greeting = async (...args: string[]) => (await runProcess([...args, 'Ada'], { home })).stdout;
  expect(await greeting('a.ts')).toBe('hello dear Ada1\n');
  expect(new Set(web.asked)).toEqual(new Set(['/greet', '/v2/greet.ts', '/v2/word.js', '/data.json']));
  web.asked.length = 0;
  web.pages['/v2/word.js'] = { body: 'export const word = "hi "' };
  expect(await greeting('a.ts')).toBe('hello dear Ada1\n');
  expect(web.asked).toEqual([]);
  expect(await greeting('--reload', 'a.ts')).toBe('hi dear Ada1\n');
  expect(await greeting('a.ts')).toBe('hi dear Ada1\n');
});

it.each([
  ['is not there', '/absent', /which cannot be fetched: the server answered 404 \(a\.ts:2:8\)\.$/],
  ['imports what is not there', '/relative.ts', /the server answered 404 \(http:\/\/127\.0\.0\.1:/],
  ['leads to http: elsewhere', '/away', /http:\/\/example\.com is not https:/],
  ['has a syntax error', '/broken.ts', /\/broken\.ts:1:18 has a syntax error/],
  ['throws', '/throws.ts', /\/throws\.ts:2:9\)\.$/],
  [
    'nobody serves',
    'https://127.0.0.1:1/x.js',
    /^a\.ts imports .+ cannot be fetched: .*ECONNREFUSED.* \(a\.ts:2:8\)\.$/,
  ],
])('a module on the web that %s', async (_what, path, says) => {
  const { url } = await webOf(pages());
  const address = new URL(path, url);
  const { exit, error } = await folderWith({ 'a.ts': `1;\nimport "${address}"` }).run(['--json', 'a.ts']);
  expect({ exit, message: error?.message }).toEqual({ exit: 12, message: expect.stringMatching(says) });
});
