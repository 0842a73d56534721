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
    body: 'import { word } from "./word.jsx"; import { own } from "own"; import data from "/data.json";\nexport const greet = (name: string): string => word + own + name + data.n',
  },
  '/v2/word.jsx': { body: '/** @jsx String */ export const word = <hello /> + " "' },
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
  const { run } = folderWith({
    'a.ts': `import { greet } from '${web.url}/greet'; export default (name: string) => greet(name)`,
    ...own,
  });
  const greeting = async (...args: string[]) => (await run([...args, 'Ada'], { home })).stdout;
  expect(await greeting('a.ts')).toBe('hello dear Ada1\n');
  expect(new Set(web.asked)).toEqual(new Set(['/greet', '/v2/greet.ts', '/v2/word.jsx', '/data.json']));
  web.asked.length = 0;
  web.pages['/v2/word.jsx'] = { body: 'export const word = "hi "' };
  expect(await greeting('a.ts')).toBe('hello dear Ada1\n');
  expect(web.asked).toEqual([]);
  expect(await greeting('--reload', 'a.ts')).toBe('hi dear Ada1\n');
});

it('a module on the web that cannot be had or run is an error that says why', async () => {
  const { url } = await webOf(pages());
  const { run } = folderWith({
    'a.ts':
      'export default (...urls: string[]) => Promise.all(urls.map((url) => import(url).catch(({ message }) => message)))',
    'b.ts': `1;\nimport "${url}/absent"`,
    'c.ts': `import "${url}/throws.ts"`,
  });
  const failures: [path: string, says: RegExp][] = [
    ['/absent', /^a\.ts imports .+ which cannot be fetched: the server answered 404\.$/],
    ['/relative.ts', /the server answered 404 \(http:\/\/127\.0\.0\.1:/],
    ['/away', /http:\/\/example\.com is not https:/],
    ['/broken.ts', /\/broken\.ts:1:18 has a syntax error/],
    ['https://127.0.0.1:1/x.js', /cannot be fetched: .*ECONNREFUSED/],
  ];
  const { stdout } = await run(['a.ts', ...failures.map(([path]) => new URL(path, url).href)]);
  expect(JSON.parse(stdout)).toEqual(failures.map(([, says]) => expect.stringMatching(says)));
  const placed = { exit: 12, error: { message: expect.stringMatching(/404 \(b\.ts:2:8\)\.$/) } };
  expect(await run(['--json', 'b.ts'])).toMatchObject(placed);
  const thrown = { exit: 12, error: { message: expect.stringMatching(/\/throws\.ts:2:9\)\.$/) } };
  expect(await run(['--json', 'c.ts'])).toMatchObject(thrown);
});
