import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fasterBy } from '../support/clocks.ts';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { secureService } from '../support/secure-service.ts';
import { folderWith, startRun } from './folder.ts';
import { own, pages, secureWebOf, webOf } from './web.ts';

it('a val imports modules from the web, which are kept, and fetched again with --reload', async () => {
  const web = await secureWebOf(pages());
  const home = temporaryFolder();
  const { runProcess } = folderWith({
    'a.ts': `import { greet } from '${web.url}/greet'; export default (name: string) => greet(name)`,
    ...own,
  });
  const options = { home, env: web.env };
  const greeting = async (...args: string[]) => (await runProcess([...args, 'Ada'], options)).stdout;
  expect(await greeting('a.ts')).toBe('hello dear Ada1\n');
  expect(new Set(web.asked)).toEqual(new Set(['/greet', '/v2/greet.ts', '/v2/word.jsx', '/data.json']));
  web.asked.length = 0;
  web.pages['/v2/word.jsx'] = { body: 'export const word = "hi "' };
  expect(await greeting('a.ts')).toBe('hello dear Ada1\n');
  expect(web.asked).toEqual([]);
  expect(await greeting('--reload', 'a.ts')).toBe('hi dear Ada1\n');
});

it('of a server of this machine nothing is kept', async () => {
  const web = await webOf({ '/x.js': { body: 'export default "mine" // text' } });
  const home = temporaryFolder();
  const { run, runProcess } = folderWith({ 'a.ts': `import x from '${web.url}/x.js'; export default x` });
  expect(await run(['a.ts'], { home })).toMatchObject({ stdout: 'mine\n' });
  const kept = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const texts = kept.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(texts.filter((text) => text.includes('mine'))).toEqual([]);
  web.pages['/x.js'] = { body: 'export default "another"' };
  expect(await runProcess(['a.ts'], { home })).toMatchObject({ stdout: 'another\n' });
});

it('a module on the web that cannot be had or run is an error that says why', async () => {
  const { url } = await webOf(pages());
  const { run, write } = folderWith({
    'b.ts': `1;\nimport "${url}/absent"`,
    'c.ts': `import "${url}/throws.ts"`,
    'd.ts': 'export default (url: string) => import(url)',
  });
  const failures: [path: string, says: RegExp][] = [
    ['/absent', /^a\.ts imports .+ which cannot be fetched: the server answered 404 \(a\.ts:1:/],
    ['/relative.ts', /the server answered 404 \(http:\/\/127\.0\.0\.1:/],
    ['/away', /http:\/\/example\.com is not https:/],
    ['/broken.ts', /\/broken\.ts:1:18 has a syntax error/],
    ['https://127.0.0.1:1/x.js', /cannot be fetched: the connection was refused/],
  ];
  const imports = failures.map(([path]) => `import('${new URL(path, url)}').catch((e) => e.message)`);
  write('a.ts', `export default () => Promise.all([${imports}])`);
  const { stdout } = await run(['a.ts']);
  expect(JSON.parse(stdout)).toEqual(failures.map(([, says]) => expect.stringMatching(says)));
  const placed = { exit: 12, error: { message: expect.stringMatching(/404 \(b\.ts:2:8\)\.$/) } };
  expect(await run(['--json', 'b.ts'])).toMatchObject(placed);
  const thrown = { exit: 12, error: { message: expect.stringMatching(/\/throws\.ts:2:9\)\.$/) } };
  expect(await run(['--json', 'c.ts'])).toMatchObject(thrown);
  const env = { VALS_BASE_URL: url, VALS_TOKEN: 'a-token' };
  write('e.ts', `import '${url}/v1/mine.ts'`);
  const hidden = { exit: 12, error: { hint: expect.stringContaining('The val may be private.') } };
  expect(await run(['--json', 'e.ts'], { env })).toMatchObject(hidden);
  const { stdout: computed } = await run(['d.ts', `${url}/v2/word.jsx`]);
  expect(computed).toBe('{"word":"hello "}\n');
});

it('of an address that this machine does not trust, or that is not secure, the error says what to do', async () => {
  const { port } = await secureService('self-signed');
  const failures = [
    [`https://127.0.0.1:${port}/x.js`, 'self-signed certificate', 'NODE_EXTRA_CA_CERTS'],
    ['http://example.com/x.js', 'http: is allowed only for loopback addresses', 'from an https: address'],
  ] as const;
  for (const [url, reason, hint] of failures) {
    const { exit, error } = await folderWith({ 'a.ts': `import "${url}"` }).run(['--json', 'a.ts']);
    expect({ exit, error }).toMatchObject({ exit: 12, error: { hint: expect.stringContaining(hint) } });
    expect(error?.message).toMatch(`a.ts imports ${url}, which cannot be fetched: `);
    expect(error?.message).toContain(reason);
    expect(error?.message).toContain('(a.ts:1:8).');
  }
});

it('an import that is not reached is not fetched, and one that is reached waits as long as a request may take', async () => {
  const { baseUrl: url } = await scriptedService([], () => () => {});
  const { run } = folderWith({
    'a.ts': `export default async (reached?: string) => {
      if (reached) await import('${url}/never.ts'); return 'ran' }; if (!true) import('./broken.ts')`,
    'broken.ts': 'const x = ;',
  });
  expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: 'ran\n', stderr: '' });
  const options = { clock: fasterBy(50), env: { VALS_TIMEOUT: '20' } };
  const message = expect.stringMatching(/never\.ts, which cannot be fetched: .* \(a\.ts:2:/);
  expect(await run(['--json', 'a.ts', 'x'], options)).toMatchObject({ exit: 12, error: { message } });
});

it('what could not be fetched is fetched again at the next request', async () => {
  const web = await webOf({});
  const code = `export default async () => new Response((await import('${web.url}/x.js')).x)`;
  const { text, shows } = startRun(['--http', 'a.ts'], { 'a.ts': code });
  await shows('stdout', '\n');
  const answer = await fetch(text.stdout.trim());
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('404')]);
  web.pages['/x.js'] = { body: 'export const x = "there"' };
  expect(await (await fetch(text.stdout.trim())).text()).toBe('there');
});
