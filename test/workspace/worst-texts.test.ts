import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { nextQueryOf, serviceMessageOf } from '../../src/api/records.ts';
import { nearest } from '../../src/lib/suggest.ts';
import { visible } from '../../src/lib/visible.ts';
import { firstLine } from '../../src/terminal/screen.ts';
import { createTextWidth } from '../../src/terminal/text-width.ts';
import { firstRelativeImport } from '../../src/workspace/sources/warnings.ts';
import { environment, folderOf, program, run, runAtTerminal, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

const many = 250_000;

const manifestFor = (service: string, names: readonly string[], idOf: (name: string) => string) => ({
  vals: Object.fromEntries(names.map((name) => [`${name}.ts`, { name, ids: { [service]: idOf(name) } }])),
});

/** A program that hangs is killed, and then has no exit code. */
const push = async (files: Record<string, string>) => {
  const service = await scriptedService([], () => ({ status: 404 }));
  const { exitCode, stderr } = await execa(process.execPath, [program, 'push', '--dry-run'], {
    env: environment(temporaryFolder(), service.env),
    extendEnv: false,
    cwd: folderOf({ 'vals.json': '{"vals":{}}', ...files }),
    reject: false,
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  return { exit: exitCode, stderr };
};

describe('a text that is made to be slow ends at once:', () => {
  it.each([
    ['an import with many spaces', `import${' '.repeat(many)}x`],
    ['an import with many lines', `import${'\n '.repeat(many)}"`],
    ['many imports', 'import a\n'.repeat(many / 9)],
    ['many exports of types', 'export type from '.repeat(many / 17)],
    ['many words "from"', `import ${'from '.repeat(many / 5)}`],
    ['many paths', "'./a' ".repeat(many / 6)],
    ['many quotes', `import ${"'./".repeat(many / 3)}`],
  ])('%s', async (_what, code) => {
    expect(await push({ 'a.ts': code })).toMatchObject({ exit: 0 });
  });

  it.each([
    ['many spaces', `a${' '.repeat(many)}x`],
    ['many stars', '*a'.repeat(many / 2)],
  ])('an ignore file with %s', async (_what, rule) => {
    expect(await push({ 'a.ts': 'a', '.gitignore': `# ${'-'.repeat(2_000)}\n${rule}\n` })).toEqual({
      exit: 10,
      stderr: expect.stringContaining('has a rule of more than 1000 characters in line 2'),
    });
  });

  it.each([
    ['1.2 MB', `# ${'-'.repeat(600_000)}`],
    ['12,000 rules', 'a\n'.repeat(6_000)],
    ['12,000 parts of rules', '**/a/**/b\n'.repeat(1_500)],
  ])('ignore files with %s', async (_what, rules) => {
    expect(await push({ 'a/a.ts': 'a', 'a/.gitignore': rules, 'b/.valsignore': rules })).toEqual({
      exit: 10,
      stderr: expect.stringContaining(
        'all ignore files together are larger than 1 MB or have more than 10,000 rules',
      ),
    });
  });

  it('a long name beside a misspelt word', () => {
    expect(nearest('hello'.repeat(80), ['x'.repeat(5_000_000)])).toEqual([]);
  });

  it('values that a screen shows', async () => {
    const spaces = ' '.repeat(many);
    expect(firstLine(`a${spaces}x`)).toEqual({ text: `a${spaces}x`, hasMore: false });
    expect(firstLine(` a${spaces}\r\n x`)).toEqual({ text: 'a', hasMore: true });
    const { wrap } = await createTextWidth([]);
    expect(wrap(`a b${spaces}`, 2)).toEqual(['a', 'b']);
  });

  it.each([
    ['wide characters', '漢字 '.repeat(many / 3)],
    ['accents', `${'x'.repeat(80)}${'\u0301 '.repeat(many / 2)}`],
    ['invisible characters', `${'\u200b'.repeat(many)}${'x'.repeat(80)}`],
  ])(
    'a key with many %s',
    async (_what, key) => {
      const service = await scriptedService([], () => ({
        body: { id: 'me', username: 'me', [key]: 'shown' },
      }));
      const { exit, screen } = await runAtTerminal(['me'], { env: service.env });
      expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining('shown') });
    },
    20_000,
  );

  it('answers of a service', () => {
    const request = { method: 'GET', path: '/' };
    const next = `/v1/vals?offset=1${'#'.repeat(many)}\n`;
    expect(nextQueryOf({ links: { next } }, request)?.toString()).toBe('offset=1');
    const longLink = { links: { next: `?${'a&'.repeat(many)}` } };
    expect(() => nextQueryOf(longLink, request)).toThrow('more than 8192 characters');
    const page = `<html>${'<title'.repeat(many)}`;
    expect(serviceMessageOf(page, (text) => text)).toBe('an HTML page');
  });
});

describe('the first import of a file beside the val', () => {
  it.each([
    ["import a from './a.ts'", './a.ts'],
    ["import './a.ts';", './a.ts'],
    ["import {\n  a,\n  b,\n} from '../a'", '../a'],
    ['export * from "./a"', './a'],
    ["import type from './a'", './a'],
    ["export default 1\nimport a from './a'", './a'],
    ["export type A = string\nimport a from './a'", './a'],
    ["import b from 'b';\nimport a from './a'", './a'],
    ["import type { A } from './a'", undefined],
    ["export type * from './a'", undefined],
    ["const a = './a'", undefined],
    ["const from = './a'", undefined],
    ["read('./a')", undefined],
    ["import a from 'a'", undefined],
  ])('of %j is %j', (code, found) => {
    expect(firstRelativeImport(code)).toBe(found);
  });

  it('is named in a warning', async () => {
    const cwd = folderOf({ 'a.ts': "import b from './b.ts'" });
    const { env } = await scriptedService([{ status: 201, body: { id: 'x', version: 1 } }]);
    const { stderr } = await run(['push', 'a.ts'], { cwd, env });
    expect(stderr).toContain('a.ts imports ./b.ts');
  });
});

it('a diff of more than 64 MB is refused', async () => {
  const half = 'a'.repeat(33 * 1_048_576);
  const service = await scriptedService([], () => ({ status: 404 }));
  const cwd = folderOf({ 'vals.json': '{"vals":{}}', 'a.ts': half, 'b.ts': half });
  expect(await run(['diff'], { cwd, env: service.env })).toMatchObject({
    exit: 10,
    stderr: expect.stringContaining('Compare fewer vals at a time, such as `vals diff a.ts`.'),
  });
  expect(await run(['diff', 'a.ts'], { cwd, env: service.env })).toMatchObject({ exit: 0 });
});

it('code with more than 2 million lines is neither compared nor merged', async () => {
  const val = { id: 'a', name: 'a', version: 2, code: '\n'.repeat(2_000_001) };
  const service = await scriptedService([], ({ path }) =>
    path.startsWith('/v1/vals/a') ? { body: val } : { status: 404 },
  );
  const ids = { [service.env.VALS_BASE_URL]: 'a' };
  const manifest = JSON.stringify({ vals: { 'a.ts': { name: 'a', ids } } });
  const cwd = folderOf({ 'vals.json': manifest, 'a.ts': 'mine' });
  for (const args of [['diff'], ['version', 'diff', 'a', '1'], ['pull', '--merge']]) {
    const { exit, stderr } = await run(args, { cwd, env: service.env });
    expect({ exit, stderr }).toEqual({
      exit: 10,
      stderr: expect.stringContaining('more than 2 million lines'),
    });
  }
});

it('an error with errors in errors is shown at once', async () => {
  const body = `${'{"errors":'.repeat(60)}{}${'}'.repeat(60)}`;
  const service = await scriptedService([], () => ({ status: 400, body }));
  const { exitCode, stderr } = await execa(process.execPath, [program, 'me'], {
    env: environment(temporaryFolder(), service.env),
    extendEnv: false,
    reject: false,
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 6, stderr: expect.stringContaining('gave no reason') });
});

it('a large file with conflict markers needs little memory', async () => {
  const lines = Array.from({ length: 1_500_000 }, (_, index) => index.toString(36));
  const code = ['<<<<<<< here', '=======', '>>>>>>> there', ...lines].join('\n');
  const service = await scriptedService([], () => ({ status: 404 }));
  const { exitCode, stdout } = await execa(
    process.execPath,
    ['--max-old-space-size=80', program, 'status', '--fields', 'status'],
    {
      env: environment(temporaryFolder(), service.env),
      extendEnv: false,
      cwd: folderOf({ 'vals.json': '{"vals":{}}', 'a.ts': code }),
      reject: false,
    },
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'unmerged' });
});

describe('many large files need little memory', () => {
  const code = 'a'.repeat(3 * 1_048_576);
  const names = Array.from({ length: 70 }, (_, index) => `a${index}`);
  const files = Object.fromEntries(names.map((name) => [`${name}.ts`, code]));

  it.each([
    ['status', ['status'], 0],
    ['diff', ['diff'], 10],
    ['push', ['push', '--dry-run'], 0],
    ['push of typed paths', ['push', '--dry-run', ...Object.keys(files)], 0],
    ['pull', ['pull'], 0],
  ])('%s', async (command, words, exit) => {
    const service = await scriptedService([], () => ({ status: 404 }));
    const ids = (name: string) => ({ ids: { [service.env.VALS_BASE_URL]: name } });
    const entries = names.map((name) => [`${name}.ts`, { name, ...(command === 'pull' && ids(name)) }]);
    const manifest = { 'vals.json': JSON.stringify({ vals: Object.fromEntries(entries) }) };
    const isWorkspace = command !== 'push of typed paths';
    const { exitCode, stderr } = await execa(
      process.execPath,
      ['--max-old-space-size=104', program, ...words],
      {
        env: environment(temporaryFolder(), service.env),
        extendEnv: false,
        cwd: folderOf({ ...files, ...(isWorkspace && manifest) }),
        reject: false,
      },
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: exit, stderr: expect.not.stringContaining('heap') });
  });
});

it('status keeps no code of the service', async () => {
  const code = 'a'.repeat(1_048_576);
  const service = await scriptedService([], ({ path }) => {
    const id = path.split('/')[3];
    return path.startsWith('/v1/vals/') ? { body: { id, name: id, version: 2, code } } : { status: 404 };
  });
  const names = Array.from({ length: 100 }, (_, index) => `a${index}`);
  const manifest = manifestFor(service.env.VALS_BASE_URL, names, (name) => name);
  const files = Object.fromEntries(names.map((name) => [`${name}.ts`, 'mine']));
  const args = ['--max-old-space-size=80', program, 'status'];
  const { exitCode, stdout } = await execa(process.execPath, args, {
    env: environment(temporaryFolder(), service.env),
    extendEnv: false,
    cwd: folderOf({ 'vals.json': JSON.stringify(manifest), ...files }),
    reject: false,
  });
  expect({ exitCode, rows: stdout.split('\n').length }).toEqual({ exitCode: 0, rows: names.length });
});

it.each([
  ['status', { code: 'a'.repeat(24 * 1_048_576) }],
  ['pull', { code: 'a'.repeat(24 * 1_048_576) }],
  ['status', { code: 'a', others: Array(400_000).fill({}) }],
])('%s keeps one large val in memory while it waits for another answer', async (word, fields) => {
  const service = await scriptedService([], ({ path }) => {
    const id = path.split('/')[3];
    if (path.startsWith('/v1/vals/')) {
      return { body: { id, name: id, version: 2, author: { id: 'me' }, ...fields } };
    }
    if (path !== '/v1/me') return { status: 404 };
    return (response) => void setTimeout(() => response.end('{"id":"me"}'), 3_000);
  });
  const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
  const manifest = manifestFor(service.env.VALS_BASE_URL, names, (name) => name);
  const args = ['--max-old-space-size=130', program, word];
  const { exitCode, stdout } = await execa(process.execPath, args, {
    env: environment(temporaryFolder(), service.env),
    extendEnv: false,
    cwd: folderOf({ 'vals.json': JSON.stringify(manifest) }),
    reject: false,
  });
  expect({ exitCode, rows: stdout.split('\n').length }).toEqual({ exitCode: 0, rows: names.length });
});

it.each([
  ['long code', { code: 'a'.repeat(24 * 1_048_576) }],
  ['many other values', { code: 'a', others: Array(400_000).fill({}) }],
])('copy keeps one large val with %s in memory while the other service is slow', async (_what, fields) => {
  const source = await scriptedService([], ({ path }) => {
    const id = path.split('/')[3];
    return { body: { id, name: id, version: 2, ...fields } };
  });
  let isSlow = true;
  const target = await scriptedService([], ({ method }) => {
    if (method === 'GET') return { status: 404 };
    const pauseMs = isSlow ? 3_000 : 0;
    setTimeout(() => {
      isSlow = false;
    }, pauseMs);
    return (response) => void setTimeout(() => response.writeHead(201).end('{"id":"a"}'), pauseMs);
  });
  const ids = Array.from({ length: 12 }, (_, index) => `4f2c0c1e-6a53-4bd2-9a2e-0000000000${index + 10}`);
  const args = ['--max-old-space-size=130', program, 'copy', ...ids, '--to', target.baseUrl];
  const { exitCode, stdout } = await execa(process.execPath, args, {
    env: environment(temporaryFolder(), { ...source.env, VALS_TO_TOKEN: 'other-token' }),
    extendEnv: false,
    reject: false,
  });
  expect({ exitCode, rows: stdout.split('\n').length }).toEqual({ exitCode: 0, rows: ids.length });
});

it('val rm of many large vals needs little memory', async () => {
  const code = 'a'.repeat(24 * 1_048_576);
  const service = await scriptedService([], ({ path }) => {
    const id = path.split('/')[3] ?? '';
    if (path === '/v1/me') return { body: { id: 'me' } };
    return { body: { id, name: id.replace('id-', ''), version: 2, author: { id: 'me' }, code } };
  });
  const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
  const manifest = manifestFor(service.env.VALS_BASE_URL, names, (name) => `id-${name}`);
  const args = ['--max-old-space-size=130', program, 'val', 'rm', ...names, '--yes', '--dry-run'];
  const { exitCode, stdout } = await execa(process.execPath, args, {
    env: environment(temporaryFolder(), service.env),
    extendEnv: false,
    cwd: folderOf({ 'vals.json': JSON.stringify(manifest) }),
    reject: false,
  });
  expect({ exitCode, rows: stdout.split('\n').length }).toEqual({ exitCode: 0, rows: names.length });
});

describe('many failures with large answers need little memory:', () => {
  const names = Array.from({ length: 200 }, (_, index) => `a${index}`);
  const manyValues = `[${'{},'.repeat(340_000)}{}]`;

  it.each([
    ['400 with many values', 400, manyValues, 6],
    ['400 with a long text', 400, 'a'.repeat(1_048_576), 6],
    ['an answer that is not JSON', 200, 'a'.repeat(1_048_576), 11],
  ])('%s', async (_what, status, body, exit) => {
    const service = await scriptedService([], ({ method }) =>
      method === 'PUT' ? { status, body } : { status: 404 },
    );
    const files = Object.fromEntries(names.map((name) => [`${name}.ts`, 'mine']));
    const args = ['--max-old-space-size=130', program, 'push', ...Object.keys(files)];
    const { exitCode, stdout } = await execa(process.execPath, args, {
      env: environment(temporaryFolder(), service.env),
      extendEnv: false,
      cwd: folderOf(files),
      reject: false,
    });
    expect({ exitCode, rows: stdout.split('\n').length }).toEqual({ exitCode: exit, rows: names.length });
  });
});

it('the wait of a large val for other large vals does not count towards its time limit', async () => {
  const code = 'a'.repeat(5 * 1_048_576);
  const source = await scriptedService([], ({ path }) => {
    const id = path.split('/')[3];
    return { body: { id, name: id, version: 1, code } };
  });
  const target = await scriptedService([], ({ method }) => {
    if (method === 'GET') return { status: 404 };
    return (response) => void setTimeout(() => response.writeHead(201).end('{"id":"a"}'), 1_500);
  });
  const ids = Array.from({ length: 6 }, (_, index) => `4f2c0c1e-6a53-4bd2-9a2e-0000000000${index + 10}`);
  const args = [program, 'copy', ...ids, '--to', target.baseUrl, '--timeout', '5'];
  const { exitCode, stderr } = await execa(process.execPath, args, {
    env: environment(temporaryFolder(), { ...source.env, VALS_TO_TOKEN: 'other-token' }),
    extendEnv: false,
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

it('a val with millions of control characters needs little memory', async () => {
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const code = '\u007f'.repeat(6_000_000);
  const service = await scriptedService([], () => ({ body: { id, name: 'a', version: 1, code } }));
  const args = ['--max-old-space-size=170', program, 'val', 'get', id, '--json'];
  const { exitCode, stdout } = await execa(process.execPath, args, {
    env: environment(temporaryFolder(), service.env),
    extendEnv: false,
    reject: false,
  });
  expect({ exitCode, hasCode: JSON.parse(stdout || '{}').code === code }).toEqual({
    exitCode: 0,
    hasCode: true,
  });
});

it.each([0, 1, 2])('a character at the border of two pieces is escaped or kept (%i)', (shift) => {
  const before = 'a'.repeat(65_536 - shift);
  expect(visible(`${before}\u202e😀\ud83d\n`.repeat(2))).toBe(`${before}\\u202e😀\\ud83d\\n`.repeat(2));
});

it('a version with millions of digits is shown at once', async () => {
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const versions = [{ version: '9'.repeat(10_000_000) }, { version: 1 }];
  const service = await scriptedService([], () => ({ body: versions }));
  const { exitCode, stdout } = await execa(process.execPath, [program, 'version', 'ls', id, '--color'], {
    env: environment(temporaryFolder(), service.env),
    extendEnv: false,
    reject: false,
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('current') });
});
