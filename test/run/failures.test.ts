import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { describe as describeThrown } from '../../src/run/child/fail.ts';
import { install } from '../support/install.ts';
import { environment, run } from '../support/program.ts';
import { folderWith } from './folder.ts';

type Failure = [name: string, files: string | Record<string, string>, message: string, hint?: string];

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
  ['rejects with a text', 'export default () => Promise.reject("why")', 'a.ts failed: why.'],
  [
    'throws later',
    'setTimeout(() => { throw new Error("late") }); await new Promise(() => {})',
    'a.ts failed: Error: late (a.ts:1:26).',
  ],
  [
    'leaves a rejection unhandled after its return',
    'export default () => { void (async () => { await 0; throw new Error("late") })() }',
    'a.ts failed: Error: late (a.ts:1:59).',
  ],
  ['ends itself', 'export default () => process.exit(3)', 'a.ts ended with exit code 3.'],
  [
    'has a failing node:test',
    { 'a.test.ts': 'import test from "node:test"; test("fails", () => { throw new Error("no") })' },
    'a.test.ts ended with exit code 1.',
  ],
  [
    'declares a name twice, after code with types',
    'let a: number = 1;\nlet b: any = 2, a = 3;',
    'a.ts:2:17 has a syntax error',
  ],
  [
    'throws below code that the transpiler moves',
    'enum Level {\n  Low,\n  High,\n}\nnamespace N { export const level = Level.High }\n\n' +
      'export default () => {\n  throw new Error("é" + N.level)\n}',
    'a.ts failed: Error: é1 (a.ts:8:9).',
  ],
  [
    'has an invalid regular expression',
    'export default () => /(/',
    'a.ts failed: SyntaxError: Invalid regular expression: /(/: Unterminated group (a.ts:1:22).',
  ],
  [
    'has a syntax error after a character of several bytes',
    'const é = "é"; const x = ;',
    'a.ts:1:26 has a syntax error',
  ],
  [
    'imports a file with a syntax error',
    { 'a.ts': 'import "./b.js"', 'b.js': 'const x = ;' },
    'b.js:1:11 has a syntax error',
  ],
  [
    'imports an ES module with a syntax error',
    { 'a.ts': 'export default () => import("./b.mjs")', 'b.mjs': 'export const x = ;' },
    'b.mjs:1:18 has a syntax error',
  ],
  [
    'imports a name that is not exported',
    { 'a.ts': 'import { b } from "./b.ts"; b', 'b.ts': 'export const c = 1' },
    "a.ts failed: SyntaxError: The requested module './b.ts' does not provide an export named 'b' (a.ts:1:19).",
    "./b.ts exports c. For example: import { c } from './b.ts'.",
  ],
  ['imports no file', '1;\nimport "./b.ts"', 'a.ts imports ./b.ts, and there is no such file (a.ts:2:8).'],
  [
    'imports no package',
    'import "npm:@s/p@2/x"',
    'a.ts imports npm:@s/p@2/x, and no such package is installed (a.ts:1:8).',
    '`npm install @s/p`',
  ],
  [
    'imports a default export that is not there',
    {
      'a.ts': 'import p from "p"; p',
      'node_modules/p/package.json': '{"name":"p","exports":"./p.mjs"}',
      'node_modules/p/p.mjs': 'export const q = 1',
    },
    "does not provide an export named 'default' (a.ts:1:15).",
    "import * as all from 'p'",
  ],
  [
    'uses a word where it cannot stand',
    'export default () => { break }',
    'a.ts:1:24 has a syntax error: Cannot use "break" here.',
  ],
  [
    'throws an error whose message has many lines',
    'export default () => { throw Object.assign(new Error("[\\n  { \\"a\\": 1 }\\n]"), { name: "ZodError" }) }',
    'a.ts failed: ZodError: [ { "a": 1 } ] (a.ts:1:',
  ],
  ['exports a class', 'export default class A {}', 'Export a function, or an object with a fetch method'],
  [
    'uses __dirname in an ES module',
    'export default () => __dirname',
    'a.ts failed: ReferenceError: __dirname is not defined (a.ts:1:22).',
    '`import.meta.dirname`',
  ],
  [
    'fails with a cause',
    'export default () => { throw new TypeError("fetch failed", { cause: new Error("no route") }) }',
    'a.ts failed: TypeError: fetch failed: no route (a.ts:1:30).',
  ],
  [
    'has a name with characters that mean something in an address',
    { 'a#%?.ts': '\nenum E { A }\nthrow new Error("placed")' },
    'a#%?.ts failed: Error: placed (a#%?.ts:3:7).',
  ],
  [
    'imports a path of tsconfig.json that leads nowhere',
    { 'a.ts': 'import "@lib/b"', 'tsconfig.json': '{"compilerOptions":{"paths":{"@lib/*":["./lib/*"]}}}' },
    'a.ts imports @lib/b, and there is no such file (a.ts:1:8).',
    'Check "paths" and "baseUrl" in tsconfig.json.',
  ],
  [
    'imports no package of JSX',
    { 'a.tsx': 'export default () => <a />' },
    'a.tsx imports react/jsx-runtime',
    '`npm install react`',
  ],
  ['uses Deno', 'export default () => Deno.cwd()', 'Deno is not defined', 'which has no `Deno`'],
  [
    'expects a Request',
    'export default (request: Request) => new URL(request.url)',
    "Cannot read properties of undefined (reading 'url') (a.ts:1:54).",
    'add --http before the file or val.',
  ],
  [
    'is an object with fetch and expects a Request',
    'export default { fetch: (r: { path: string }) => r.path.length }',
    'Cannot read properties of undefined',
    'add --http before the file or val.',
  ],
  [
    'exports the fetch method of an object',
    'const app = { fetch: (a: any) => a.b }\nexport default app.fetch',
    'Cannot read properties of undefined',
    'add --http before the file or val.',
  ],
  ['returns a value that JSON lacks', 'export default () => 1n', 'cannot be written as JSON'],
  ['returns a function', 'export default () => () => {}', 'a value of type function'],
  ['returns too much', 'export default () => "x".repeat((64 << 20) + 1)', 'a.ts returned more than 64 MiB'],
  ['never settles', 'export default () => new Promise(() => {})', 'a.ts never finished'],
  ['never settles at its top', 'await new Promise(() => {})', 'a.ts never finished'],
  [
    'kills itself',
    'process.kill(process.pid, "SIGTERM"); await new Promise((r) => setTimeout(r, 9999))',
    'a.ts was ended by SIGTERM',
  ],
  [
    'breaks off half-way',
    'export default () => new Response(new ReadableStream({ pull() { throw new Error("cut") } }))',
    'a.ts failed: Error: cut',
  ],
  [
    'takes too long',
    'export default () => { for (;;); }',
    'a.ts took longer than 1 s and was ended.',
    'add --max-time <seconds> before the file or val.',
  ],
];

describe('vals run reports a val that', () => {
  it.each(cases)('%s', async (_name, code, message, hint = '') => {
    const files = typeof code === 'string' ? { 'a.ts': code } : code;
    const args = ['--json', '--max-time', message.includes('1 s') ? '1' : '30', Object.keys(files)[0] ?? ''];
    const { exit, stdout, error } = await folderWith(files).run(args);
    expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' });
    expect(error).toMatchObject({ kind: 'run_failed', exit: 12, message: expect.stringContaining(message) });
    expect(error?.hint ?? '').toContain(hint);
  });

  it('throws, with the frames of its code and not of Node or vals', async () => {
    const code = 'function f(): never {\n  throw new Error("one\\ntwo");\n}\nexport default () => f()';
    expect(await folderWith({ 'a.ts': code }).runProcess(['a.ts'])).toMatchObject({
      exit: 12,
      stdout: '',
      stderr:
        'Error: one\ntwo\n    at f (a.ts:2:9)\n    at default (a.ts:4:22)\nerror: a.ts failed: Error: one (a.ts:2:9).\n',
    });
  });

  it('throws an error with a cause, other errors and properties', async () => {
    const code = `export default () => { throw Object.assign(new AggregateError([new Error("inner")], "all",
      { cause: new TypeError("why") }), { status: 418 }) }`;
    const { stderr } = await folderWith({ 'a.ts': code }).run(['a.ts']);
    for (const part of ['AggregateError: all', 'Error: inner', '[cause]: TypeError: why', 'status: 418']) {
      expect(stderr).toContain(part);
    }
    expect(stderr).not.toMatch(/node:|main\.cjs/);
  });

  it('throws, after its own listeners, with causes as deep as Node shows them', async () => {
    const code = `process.on('uncaughtExceptionMonitor', ({ message }) => console.log('saw ' + message));
      let error = new Error('cause 0'); for (let i = 1; i < 5; i++) error = new Error('cause ' + i, { cause: error });
      throw error`;
    const { exit, stdout, stderr } = await folderWith({ 'a.ts': code }).runProcess(['a.ts']);
    expect({ exit, stdout }).toEqual({ exit: 12, stdout: 'saw cause 4\n' });
    expect(stderr).toContain('Error: cause 0');
  });

  it('prints a stack, with the lines of the source', async () => {
    const code =
      'enum E {\n A,\n B,\n}\nexport default () => {\n  console.error(new Error("E" + E.A).stack)\n}';
    const { runProcess, path } = folderWith({ 'a.ts': code });
    expect((await runProcess(['a.ts'])).stderr).toContain(`(${path}/a.ts:6:17)`);
  });

  it.skipIf(process.platform === 'win32')('gives its channels to a program that goes on', async () => {
    const code = `import { spawn } from 'node:child_process';
      const stdio = ['ignore', 'ignore', 'ignore', 3, 4];
      console.log('pid ' + spawn('sleep', ['100'], { detached: true, stdio }).pid + '.'); process.exit()`;
    const { runProcess } = folderWith({ 'a.ts': code });
    const { exit, stdout } = await runProcess(['--allow-all', 'a.ts']);
    process.kill(Number(/pid (\d+)\./.exec(stdout)?.[1]));
    expect(exit).toBe(0);
  });

  it('fills its memory', async () => {
    const code = 'const a: unknown[] = []; for (;;) a.push(new Array(999).fill(0.5))';
    const env = { NODE_OPTIONS: '--max-old-space-size=40' };
    const { exit, stderr } = await folderWith({ 'a.ts': code }).runProcess(['a.ts'], { env });
    expect({ exit, said: stderr.includes('a.ts ran out of memory') }).toEqual({ exit: 12, said: true });
  });
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
  [['folder/'], 2, 'folder/ is a folder, not a file.'],
  [['.'], 2, '. is a folder, not a file.'],
  [['--at', '1', 'a.ts'], 2, 'Only a val on the service has versions, but a.ts is a file.'],
  [['--port', '0', 'a.ts'], 2, '--port works only with --http'],
  [['--host', '0.0.0.0', 'a.ts'], 2, '--host works only with --http'],
  [['--http', 'a.ts', 'x'], 2, 'With --http, a val gets no arguments, but x was given.'],
  [['--watch', 'a.ts'], 2, '--watch never ends'],
  [['--max-time', '0', 'a.ts'], 2, '--max-time must be a number of seconds'],
  [['--env', 'VALS_TOKEN', 'a.ts'], 2, 'never gets environment variables whose names begin with VALS_'],
  [['--env', 'ABSENT', 'a.ts'], 2, 'the variable ABSENT is not set'],
  [['--inspect=here', 'a.ts'], 2, '--inspect needs a port'],
  [['--env', '=x', 'a.ts'], 2, '--env needs the name of a variable'],
  [['--dotenv', 'absent.env', 'a.ts'], 10, 'absent.env does not exist'],
])('vals run %j is exit %i', async (args, exit, message) => {
  const { path } = folderWith({ 'a.ts': '', 'folder/b.ts': '' });
  const result = await run(['run', '--json', ...args], { cwd: path, env: { PATH: path } });
  expect(result).toMatchObject({ exit, stdout: '', error: { message: expect.stringContaining(message) } });
});

it('a val without a service: the hint says that options of vals stand before the val', async () => {
  const { exit, error } = await run(['run', '--json', 'absent', '--local'], { env: {} });
  expect({ exit, error }).toMatchObject({ exit: 2, error: { message: 'No service is chosen.' } });
  expect(error?.hint).toContain('add --local before the file or val');
});

it('of the properties of an error, only texts reach vals', () => {
  const thrown = describeThrown(Object.assign(new Error('no'), { code: 7, permission: {}, resource: '/a' }));
  expect(thrown).toEqual({ text: 'Error: no', whole: expect.any(String), resource: '/a' });
});
