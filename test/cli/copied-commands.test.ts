import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { shell } from '../../src/lib/shell-command.ts';
import { folderOf, run } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

it.each([
  'hello.ts',
  ';touch x;',
  "it's",
  '$(touch x)',
  '`touch x`',
  'a b',
  '~',
  '*',
  '',
  '\\',
  "\\'",
  "\\\\'a\\b",
  '"',
  'ä',
])('a shell reads %j as one unchanged word', async (word) => {
  const command = shell`printf %s. ${word} end`.slice(1, -1);
  expect((await execa('sh', ['-c', command])).stdout).toBe(`${word}.end.`);
});

it('no backslash stands before a quote in the quotes, because fish would not end the quotes there', () => {
  const command = shell`vals diff ${"a\\' ; touch x #"}`.slice(1, -1);
  expect(command).toBe(String.raw`vals diff 'a'\\''\'' ; touch x #'`);
});

it('a word that begins with = or % is quoted, because zsh and fish would replace it', () => {
  expect(shell`vals push ${'=deploy'} ${'%self'}`).toBe("`vals push '=deploy' '%self'`");
});

it('a file name that begins with a dash does not become an option', () => {
  expect(shell`vals push ${'--force.ts'}`).toBe('`vals push ./--force.ts`');
});

it('a plain word gets no quotes, and several words are joined', () => {
  expect(shell`vals val get ${'hello'} --at ${['1', 'a/b@2']}`).toBe('`vals val get hello --at 1 a/b@2`');
});

it('an address in a hint is quoted', async () => {
  const service = await scriptedService([{ status: 401, body: {} }]);
  const env = { ...service.env, VALS_TOKEN: '', VALS_BASE_URL: `${service.env.VALS_BASE_URL}/a;touch(x)` };
  const { exit, stderr } = await run(['me'], { env });
  expect(exit).toBe(4);
  expect(stderr).toContain(`\`vals login --base-url '${env.VALS_BASE_URL}'\``);
});

it("a hint shows the user's own word for a val, in quotes", async () => {
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const service = await scriptedService([
    { body: { id: 'u1', username: 'ada' } },
    { body: { data: [{ id, name: 'my val' }] } },
    { body: { data: [] } },
    { status: 404, body: {} },
  ]);
  const { exit, stderr } = await run(['version', 'get', 'my val', '9'], { env: service.env });
  expect(exit).toBe(3);
  expect(stderr).toContain("`vals version ls 'my val'`");
});

it.each([
  [['diff', 'b.ts'], "Did you mean '$(touch x)/b.ts'?"],
  [['val', 'get', 'b.ts'], "Did you mean '$(touch x)/b.ts'?"],
  [['val', 'create', 'n', 'link.ts'], "/.hidden/$(touch x).ts'."],
])('%j shows the names of a cloned repository in quotes, or does not propose them', async (args, shown) => {
  const service = await scriptedService([], () => ({ body: { data: [] } }));
  const val = (name: string) => ({ name, ids: { [service.baseUrl]: `id of ${name}` } });
  const vals = { 'a.ts': val('$(touch x)'), '$(touch x)/b.ts': val('b'), 'c.ts': val('--all') };
  const cwd = folderOf({ 'vals.json': JSON.stringify({ vals }), '.hidden/$(touch x).ts': '1' });
  symlinkSync('.hidden/$(touch x).ts', join(cwd, 'link.ts'));
  expect((await run(args, { cwd, env: service.env })).stderr).toContain(shown);
});

it('a hint of `vals run` does not name a val of the service, because a file may have the same name', async () => {
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const code = 'import { writeFileSync } from "node:fs"; writeFileSync("x", "")';
  const service = await scriptedService([{ body: { id, name: 'hello', version: 1, code } }]);
  const { exit, stderr } = await run(['run', '--no-report', id], { env: service.env });
  expect(exit).toBe(12);
  expect(stderr).toMatch(/`vals run --allow-write \S+ <val\|file>`/);
});

it.each(["x'; touch x #", "`x'; touch x #"])(
  'the word for one val does not change the quotes around the id %j of another val',
  async (id) => {
    const first = { id: '\\', name: 'first' };
    const second = { id, name: 'second' };
    const me = { id: 'u1', username: 'ada' };
    const lists = [me, { data: [first, second] }, { data: [] }].map((body) => ({ body }));
    const service = await scriptedService(lists, ({ method, path }) => {
      if (method === 'GET') return { body: path.endsWith('/%5C') ? first : second };
      return path.endsWith('/%5C') ? { status: 204 } : { status: 500, body: {} };
    });
    const words = ['val', 'rm', 'first', 'second', '--yes', '--timeout', '1'];
    const { stderr } = await run(words, { env: service.env });
    expect(stderr).toContain('`vals val get second`');
  },
);

it('no source file puts a value into a command without quoting it', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const byHand = files.filter((file) =>
    /\\`(?:vals|npm|chmod|openssl) [^`]*\$\{(?!topic|line|alias|path|command|word|tree|known)/.test(
      readFileSync(join('src', file), 'utf8'),
    ),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(byHand).toEqual([]);
});

it('the word for one val does not remove the quotes around a proposed id', async () => {
  const good = { id: "'", name: 'good' };
  const other = { id: 'x$(touch x)', name: 'other' };
  const service = await scriptedService([], ({ method, path }) => {
    if (method !== 'GET') return { status: 204 };
    if (path.startsWith('/v1/vals/')) return { body: path.includes('touch') ? other : good };
    return { body: path === '/v1/me' ? { id: 'u1', username: 'ada' } : { data: [good] } };
  });
  const entry = { name: 'bad', ids: { [service.baseUrl]: other.id } };
  const cwd = folderOf({ 'bad.ts': 'bad', 'vals.json': JSON.stringify({ vals: { 'bad.ts': entry } }) });
  const { stderr } = await run(['val', 'rm', 'good', 'bad', '--yes'], { cwd, env: service.env });
  expect(stderr).toContain("give its id: 'x$(touch x)'");
});
