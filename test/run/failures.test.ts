import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { reportReader } from '../../src/run/protocol.ts';
import { transpile } from '../../src/run/transpile.ts';
import { install } from '../support/copy.ts';
import { environment, program, run, temporaryFolder } from '../support/program.ts';
import { folderWith } from './folder.ts';

type Failure = [name: string, files: Record<string, string>, message: string, hint?: string];

const cases: Failure[] = [
  [
    'throws in a file beside it',
    {
      'a.ts':
        'import { f } from "./lib/f.ts";\nexport default (x: string) => {\n  return f(x as any, 1 as number);\n}',
      'lib/f.ts':
        'interface A { a: 1 }\nexport const f = (a: A, b: number) => { throw new TypeError("boom") }',
    },
    'a.ts failed: TypeError: boom (lib/f.ts:2:47).',
  ],
  ['rejects with a text', { 'a.ts': 'export default () => Promise.reject("why")' }, 'a.ts failed: why.'],
  [
    'throws later',
    { 'a.ts': 'setTimeout(() => { throw new Error("late") }); await new Promise(() => {})' },
    '(a.ts:1:26)',
  ],
  [
    'declares a name twice, after code with types',
    { 'a.ts': 'let a: number = 1;\nlet b: any = 2, a = 3;' },
    'a.ts:2:17 has a syntax error',
  ],
  [
    'throws below code that the transpiler moves',
    {
      'a.ts':
        'enum Level {\n  Low,\n  High,\n}\nnamespace N { export const level = Level.High }\n\n' +
        'export default () => {\n  throw new Error("é" + N.level)\n}',
    },
    'a.ts failed: Error: é1 (a.ts:8:9).',
  ],
  [
    'has an invalid regular expression',
    { 'a.ts': 'enum E { A, B }\nexport default () => E.A || /(/' },
    'a.ts:2:29 has a syntax error: Invalid regular expression',
  ],
  [
    'has a syntax error after a character of several bytes',
    { 'a.ts': 'const é = "é"; const x = ;' },
    'a.ts:1:26 has a syntax error',
  ],
  [
    'imports a name that is not exported',
    { 'a.ts': 'import { b } from "./b.ts"; b', 'b.ts': 'export const c = 1' },
    "does not provide an export named 'b'",
  ],
  [
    'throws an error of 20 MB',
    { 'a.ts': 'export default () => { throw new Error("x".repeat(20_000_000)) }' },
    'a.ts failed: Error: xxx',
  ],
  [
    'imports no file',
    { 'a.ts': '1;\nimport "./b.ts"' },
    'imports ./b.ts, and there is no such file (a.ts:2:8)',
  ],
  [
    'imports no package',
    { 'a.ts': 'import "npm:@s/p@2/x"' },
    'no such package is installed (a.ts:1:8)',
    'npm install @s/p@2',
  ],
  ...['a@.', 'a@..', 'a@~/b', 'a.tgz', 'a.tar.gz', 'a.tar-gz', 'a@1.tgz', '-a', 'npm:-a', 'a@c:b', '~'].map(
    (word): Failure => [
      `imports ${word}, which is a file or a folder for npm`,
      { 'a.ts': `import "${word}"` },
      'no such package is installed (a.ts:1:8)',
      'Fix the import, then run the val again.',
    ],
  ),
  [
    'imports no package of JSX',
    { 'a.tsx': 'export default () => <a />' },
    'a.tsx imports react/jsx-runtime',
    'npm install react`',
  ],
  [
    'imports an address',
    { 'a.ts': 'import "https://esm.sh/zod"' },
    'which Node does not load (a.ts:1:8)',
    'npm install',
  ],
  ['imports jsr', { 'a.ts': 'import "jsr:@std/fs"' }, 'which Node does not load', 'npm install'],
  [
    'imports an address of two million characters, below a long comment',
    { 'a.ts': `//${"'".repeat(1_000_000)}\nawait import("https:" + "'".repeat(2e6))` },
    'a.ts has an import whose address has more than 1,000 characters.',
    'Fix the import',
  ],
  [
    'imports an address of 1,000 characters, below a long comment',
    { 'a.ts': `//${"'".repeat(1_000_000)}\nawait import("https:" + "'".repeat(994))` },
    'which Node does not load.',
  ],
  [
    'imports a package with a name of two million characters',
    { 'a.ts': 'await import("x".repeat(2e6))' },
    'a.ts has an import whose address has more than 1,000 characters.',
  ],
  [
    'reports a failed import of two million characters itself',
    {
      'a.ts': `import { writeSync } from 'node:fs';
        const report = Buffer.from(JSON.stringify({ failed: { text: '', stack: '', failedImport: { specifier: 'x'.repeat(2e6), from: import.meta.url, code: '' } } }));
        const head = Buffer.alloc(5);
        head.writeUInt32LE(report.length, 1);
        const frame = Buffer.concat([head, report]);
        for (let from = 0; from < frame.length; ) from += writeSync(3, frame, from);
        await new Promise((resolve) => setTimeout(resolve, 60_000));`,
    },
    'wrote to file descriptor 3',
  ],
  [
    'tries imports that fail, without end',
    { 'a.ts': 'for (let i = 0; ; i++) await import("./" + i).catch(() => {})' },
    'a.ts was ended: too many of its imports failed.',
  ],
  [
    'tries the same missing import 1,100 times',
    {
      'a.ts':
        'for (let i = 0; i < 1_100; i++) await import("./b").catch(() => {}); throw new Error("survived")',
    },
    'a.ts failed: Error: survived',
  ],
  [
    'imports code of more than 1,048,576 characters',
    { 'a.ts': 'import "./b.ts"', 'b.ts': `//${'x'.repeat(1_048_575)}` },
    'b.ts cannot be transpiled: it has more than 1,048,576 characters.',
  ],
  [
    'imports code with a million nested brackets',
    { 'a.ts': 'import "./b.ts"', 'b.ts': `export default ${'('.repeat(1e6)}` },
    'b.ts cannot be transpiled: its code is nested too deeply.',
  ],
  [
    'imports code that crashes esbuild, and then other code',
    {
      'a.ts':
        'await import("./b.ts").catch(() => {}); const { c } = await import("./c.ts"); throw new Error(c)',
      'b.ts': `export default ${'!'.repeat(1e6)}1`,
      'c.ts': 'export const c: string = "works"',
    },
    'a.ts failed: Error: works',
  ],
  ['returns a value that JSON lacks', { 'a.ts': 'export default () => 1n' }, 'cannot be written as JSON'],
  ['returns a function', { 'a.ts': 'export default () => () => {}' }, 'a value of type function'],
  [
    'throws null while its value is written as JSON',
    { 'a.ts': 'export default () => ({ toJSON() { throw null } })' },
    'cannot be written as JSON: null',
  ],
  [
    'is nested too deeply for V8',
    { 'a.ts': `${'{'.repeat(15_000)}${'}'.repeat(15_000)}` },
    'a.ts cannot be compiled: RangeError: Maximum call stack size exceeded.',
  ],
  [
    'crashes esbuild',
    { 'a.ts': `export default ${'!'.repeat(1e6)}1` },
    'a.ts cannot be transpiled: esbuild, the transpiler, ended unexpectedly.',
  ],
  ['ends itself', { 'a.ts': 'export default () => process.exit(3)' }, 'ended itself with exit code 3'],
  ['never settles', { 'a.ts': 'export default () => new Promise(() => {})' }, 'never finished'],
  ['never settles at its top', { 'a.ts': 'await new Promise(() => {})' }, 'never finished'],
  [
    'kills itself',
    { 'a.ts': 'process.kill(process.pid, "SIGTERM"); await new Promise((r) => setTimeout(r, 9999))' },
    'was ended by SIGTERM',
  ],
  [
    'closes every stream',
    {
      'a.ts':
        'import { closeSync } from "node:fs"; export default () => { for (const n of [0, 1, 2, 3]) closeSync(n); return 1 }',
    },
    'was ended by SIGKILL',
  ],
  [
    'breaks off half-way',
    {
      'a.ts': 'export default () => new Response(new ReadableStream({ pull() { throw new Error("cut") } }))',
    },
    'Error: cut',
  ],
];

it('nested blocks do not make the transpiled code large', async () => {
  const source = { name: 'a.ts', code: '{'.repeat(2_000) + '}'.repeat(2_000) };
  const { code } = await transpile(source, new AbortController().signal);
  expect(code.length).toBeLessThan(10_000);
});

it.skipIf(process.platform === 'win32')('vals run does not run a val without a watchdog', async () => {
  const { path } = folderWith({ 'a.ts': 'console.log("has run"); export default () => 1' });
  const args = ['--require', resolve('test/run/no-shell.cjs'), program, 'run', '--json', 'a.ts'];
  const env = environment(temporaryFolder());
  const options = { cwd: path, env, extendEnv: false, reject: false };
  const { exitCode, stdout, stderr } = await execa(process.execPath, args, options);
  expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' });
  expect(stderr).toContain(
    'a.ts was not run, because its watchdog could not be started: spawn /no/shell ENOENT.',
  );
  expect(stderr).not.toContain('has run');
});

describe('vals run reports a val that', () => {
  it.each(cases)('%s', async (_name, files, message, hint = '') => {
    const { exit, stdout, error } = await folderWith(files).run(['--json', Object.keys(files)[0] ?? '']);
    expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' });
    expect(error).toMatchObject({ kind: 'run_failed', exit: 12, message: expect.stringContaining(message) });
    expect(error?.hint ?? '').toContain(hint);
  });

  it.skipIf(process.platform === 'win32').each([
    ['a large file by many paths', 70, 'b.ts', 'a.ts imports more than 64 MB of code.'],
    ['a small file by too many paths', 5_100, 'c.json', 'a.ts imports more than 5,000 files.'],
  ])('imports %s', async (_what, count, file, message) => {
    const code = `for (let i = 0; i < ${count}; i++) await import("./" + [...i.toString(2)].join("/") + "/${file}")`;
    const { path, run } = folderWith({ 'a.ts': code, 'b.ts': `//${'x'.repeat(1_000_000)}`, 'c.json': '0' });
    for (const link of ['0', '1']) symlinkSync('.', join(path, link));
    const { exit, error } = await run(['--json', 'a.ts']);
    expect({ exit, message: error?.message }).toEqual({ exit: 12, message });
  });

  it('has a syntax error in a function, in the built program too', async () => {
    const { runProcess } = folderWith({ 'a.ts': 'export default () => {\n  const x: number = ;\n}' });
    const { exit, stderr } = await runProcess(['a.ts']);
    expect({ exit, said: stderr.includes('a.ts:2:21 has a syntax error') }).toEqual({ exit: 12, said: true });
  });

  it('throws, with only the frames of its own code', async () => {
    const { runProcess } = folderWith({
      'a.ts': 'function f(): never {\n  throw new Error("one\\ntwo");\n}\nexport default () => f()',
    });
    expect(await runProcess(['a.ts'])).toMatchObject({
      exit: 12,
      stdout: '',
      stderr:
        'Error: one\ntwo\n    at f (a.ts:2:9)\n    at default (a.ts:4:22)\nerror: a.ts failed: Error: one (a.ts:2:9).\n',
    });
  });

  it('throws an error with causes, and shows the causes', async () => {
    const { run } = folderWith({
      'a.ts':
        'export default () => { throw new Error("one", { cause: new TypeError("two", { cause: 3 }) }) }',
    });
    const { exit, stderr } = await run(['a.ts']);
    expect(exit).toBe(12);
    expect(stderr).toMatch(/^Error: one\ncaused by TypeError: two\ncaused by 3\n/);
  });

  it('prints a stack, with the lines of the source', async () => {
    const { runProcess } = folderWith({
      'a.ts': 'enum E {\n A,\n B,\n}\nexport default () => {\n  console.error(new Error("E" + E.A).stack)\n}',
    });
    const { stderr } = await runProcess(['a.ts']);
    expect(stderr).toMatch(/^Error: E0\n {4}at \S+ \(file:.*\/a\.ts:6:17\)\n/);
  });

  it.each([
    ['text', '"garbage, and more of it"'],
    ['null', 'Buffer.from([0, 4, 0, 0, 0, ...Buffer.from("null")])'],
    [
      'imports without reading the answers',
      `((text) => Buffer.concat(Array(999).fill(Buffer.from([0, text.length, 0, 0, 0, ...Buffer.from(text)]))))('{"load":{"specifier":"./a.ts","from":"x"}}')`,
    ],
    [
      'an import from a module with a very long name',
      `((text) => Buffer.from([0, text.length & 255, text.length >> 8, 0, 0, ...Buffer.from(text)]))('{"load":{"specifier":"./a.ts","from":"file:///' + "x".repeat(20_000) + '"}}')`,
    ],
  ])('writes %s to the pipe of vals', async (_what, bytes) => {
    const { run } = folderWith({
      'a.ts': `import { writeFileSync } from "node:fs"; writeFileSync(3, ${bytes}); await new Promise((r) => setTimeout(r, 9_999))`,
    });
    const { exit, error } = await run(['--json', 'a.ts']);
    expect({ exit, message: error?.message }).toEqual({
      exit: 12,
      message: 'a.ts was ended: it wrote to file descriptor 3, which is reserved.',
    });
  });

  it.each([
    ['in pieces of one byte, without end', [frame('{"value":"text"}')]],
    ['and then writes more of it, without end', [frame('{"value":"text"}'), frame('{"done":true}')]],
  ])('returns a text %s', async (_how, frames) => {
    const bytes = JSON.stringify([...Buffer.concat(frames)]);
    const code = `import { writeFileSync } from "node:fs"; writeFileSync(3, Buffer.from(${bytes}));
const pieces = Buffer.concat(Array(20_000).fill(Buffer.from([1, 1, 0, 0, 0, 65]))); for (;;) writeFileSync(3, pieces)`;
    const { exit, error } = await folderWith({ 'a.ts': code }).runProcess([
      '--json',
      '--max-time',
      '1',
      'a.ts',
    ]);
    expect({ exit, message: error?.message }).toEqual({
      exit: 12,
      message: 'a.ts took longer than 1 s and was ended.',
    });
  });

  const slowToTranspile = `namespace a${'.a'.repeat(1_500)} { export let x = 1 }`;
  it.each([
    ['is', { 'a.ts': slowToTranspile }],
    ['imports a file that is', { 'a.ts': 'import "./b.ts"', 'b.ts': slowToTranspile }],
  ])('%s slow to transpile, and does not wait for esbuild', async (_what, files) => {
    const startedAt = Date.now();
    const { exit, error } = await folderWith(files).runProcess(['--json', '--max-time', '1', 'a.ts']);
    expect({ exit, message: error?.message }).toEqual({
      exit: 12,
      message: 'a.ts took longer than 1 s and was ended.',
    });
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it.skipIf(process.platform === 'win32')('gives its pipe to a program that goes on', async () => {
    const code = `import { spawn } from 'node:child_process';
      const stdio = ['ignore', 'ignore', 'ignore', 3];
      console.log('pid ' + spawn('sleep', ['100'], { detached: true, stdio }).pid + '.'); process.exit()`;
    const { runProcess } = folderWith({ 'a.ts': code });
    const { exit, stderr } = await runProcess(['--allow-all', '--max-time', '2', 'a.ts']);
    const pid = Number(/pid (\d+)\./.exec(stderr)?.[1]);
    process.kill(pid);
    expect({ exit, timedOut: stderr.includes('took longer than 2 s') }).toEqual({ exit: 12, timedOut: true });
  });

  it('fills its memory', async () => {
    const { runProcess } = folderWith({
      'a.ts': 'const a: unknown[] = []; for (;;) a.push(new Array(999).fill(0.5))',
    });
    const env = { NODE_OPTIONS: '--max-old-space-size=20' };
    const { exit, stderr } = await runProcess(['--allow-all', 'a.ts'], { env });
    expect({ exit, said: stderr.includes('ran out of memory') }).toEqual({ exit: 12, said: true });
    expect(stderr).toContain('`vals run --allow-all <val>`');
  });
});

const frame = (text: string, kind = 0): Buffer => {
  const head = Buffer.from([kind, 0, 0, 0, 0]);
  head.writeUInt32LE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
};

it.each([
  ['JSON that is cut off', frame('{"done":')],
  ['a report without its parts', frame('{"failed":{"text":1}}')],
  ['a length of 4 GB', Buffer.from([0, 255, 255, 255, 255])],
  ['a port that does not exist', frame('{"listening":70000}')],
  ['an error without a number', frame('{"failed":{"text":"","stack":"","failure":"length"}}')],
  [
    'a stack that takes hours to search',
    frame(JSON.stringify({ failed: { text: '', stack: `  at ${' (file:'.repeat(200_000)}` } })),
  ],
  ['a frame of an unknown kind', frame('{"done":true}', 7)],
  ['bytes before a value', frame('A', 1)],
  ['empty bytes of a value', Buffer.concat([frame('{"value":"text"}'), frame('', 1)])],
  ['a report of 5 MB', frame(JSON.stringify({ done: true, rest: 'x'.repeat(5_000_000) }))],
])('a message of a val is refused if it is %s', (_what, bytes) => {
  const read = reportReader(
    () => {},
    () => {},
  );
  expect(() => read(bytes)).toThrow();
});

it.each([
  ['esbuild', () => {}],
  [
    'the binary of esbuild',
    (modules: string) => cpSync('node_modules/esbuild', join(modules, 'esbuild'), { recursive: true }),
  ],
])('without %s, the error says how to install vals', async (_what, fill) => {
  const { folder } = await install();
  const modules = join(folder, 'node_modules');
  rmSync(modules);
  mkdirSync(modules);
  fill(modules);
  const { path } = folderWith({ 'a.ts': '' });
  const { exitCode, stderr } = await execa(process.execPath, [join(folder, 'bin/vals.js'), 'run', 'a.ts'], {
    cwd: path,
    env: environment(path),
    extendEnv: false,
    reject: false,
  });
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 10,
    stderr: expect.stringMatching(
      /^error: The transpiler, esbuild, cannot be started\.\nhint: Install vals again/,
    ),
  });
});

it.each([
  [['absent.ts'], 10, 'absent.ts does not exist'],
  [['a.ts/b.ts'], 10, 'a.ts/b.ts does not exist'],
  [['loop.ts'], 10, 'loop.ts does not exist'],
  [['loop'], 2, 'No service is chosen'],
  [['folder/'], 2, 'folder/ is a folder, not a file.'],
  [['absent'], 2, 'No service is chosen'],
  [['--at', '1', 'a.ts'], 2, '--at chooses a version of a val on the service'],
  [['--port', '0', 'a.ts'], 2, '--port works only with --http'],
  [['--watch', 'a.ts'], 2, '--watch never ends'],
  [['--max-time', '0', 'a.ts'], 2, '--max-time must be a number of seconds'],
])('vals run %j is exit %i', async (args, exit, message) => {
  const { path } = folderWith({ 'a.ts': '', 'folder/b.ts': '' });
  for (const link of ['loop', 'loop.ts']) symlinkSync(link, join(path, link));
  const result = await run(['run', '--json', ...args], { cwd: path, env: { PATH: path } });
  expect(result).toMatchObject({ exit, stdout: '', error: { message: expect.stringContaining(message) } });
});
