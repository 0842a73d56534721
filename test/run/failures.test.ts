import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { install } from '../support/install.ts';
import { ends, environment, folderOf, run, runOnScreen } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { folderWith, startRun } from './folder.ts';

// One process fails again and again, once for each request.
const failing = `enum Level {
  Low,
  High,
}
import { f } from "./lib/f.ts";
export default async (request: Request) => {
  switch (new URL(request.url).pathname) {
    case '/beside': return f(1 as any, 2 as number);
    case '/moved': throw new Error("é" + Level.High);
    case '/text': return Promise.reject("why");
    case '/stack': console.error(new Error("shown").stack); throw 1;
    case '/zod': throw Object.assign(new Error('[\\n  { "a": 1 }\\n]'), { name: "ZodError" });
    case '/cause': throw new TypeError("fetch failed", { cause: new Error("no route") });
    case '/file': return import("./b.ts");
    case '/package': return import("npm:@s/p@2/x");
    case '/fits': return import("./lib");
    case '/imports': return import("#lib");
    case '/js': return import("./broken.js");
    case '/mjs': return import("./broken.mjs");
    case '/name': return import("./name.ts");
    case '/regexp': return import("./regexp.ts");
    case '/jsx': return import("./jsx.tsx");
    case '/lines': throw new Error("a\u2028b\u2029c");
  }
}`;

const messages = {
  '/beside': 'a.ts failed: TypeError: boom (lib/f.ts:2:47).',
  '/moved': 'a.ts failed: Error: é1 (a.ts:9:26).',
  '/text': 'a.ts failed: why.',
  '/stack': '/a.ts:11:34)',
  '/zod': 'a.ts failed: ZodError (a.ts:12:',
  '/cause': 'a.ts failed: TypeError: fetch failed (a.ts:13:26).',
  '/file': 'a.ts imports ./b.ts, and there is no such file (a.ts:14:33).',
  '/package': 'a.ts imports npm:@s/p@2/x, and no such package is installed (a.ts:15:36).',
  '/fits': "a.ts imports ./lib, and there is no such file (a.ts:16:33). Write './lib/index.ts'.",
  '/imports': 'a.ts imports #lib, and package.json has no such import (a.ts:17:36).',
  '/js': 'broken.js:1:11 has a syntax error',
  '/mjs': 'broken.mjs:1:18 has a syntax error',
  '/name': "The requested module './other.ts' does not provide an export named 'b' (name.ts:1:19).",
  '/regexp': 'SyntaxError: Invalid regular expression: /(/: Unterminated group (regexp.ts:1:22).',
  '/jsx': 'jsx.tsx imports react/jsx-runtime, and no such package is installed.',
  '/lines': 'a.ts failed: Error: a\\u2028b\\u2029c (a.ts:23:26).',
};

it('under --json, the error is the last line at a terminal too, after a hint', async () => {
  const { path: cwd } = folderWith({ 'a.ts': 'throw new Error("boom")' });
  const args = ['run', '--json', '--no-color', 'a.ts', '--timeout=3'];
  const { exit, screen } = await runOnScreen(args, { cwd });
  expect({ exit, screen }).toMatchObject({ exit: 12, screen: expect.stringContaining('went to the val') });
  expect(JSON.parse(screen.trimEnd().split('\n').at(-1) ?? '').error.kind).toBe('run_failed');
});

it('a failure is reported with its place in the source', async () => {
  const { text, shows } = startRun(['--http', 'a.ts'], {
    'a.ts': failing,
    'lib/f.ts': 'interface A { a: 1 }\nexport const f = (a: A, b: number) => { throw new TypeError("boom") }',
    'broken.js': 'const x = ;',
    'broken.mjs': 'export const x = ;',
    'name.ts': 'import { b } from "./other.ts"; b',
    'other.ts': 'export const c = 1',
    'regexp.ts': 'export default () => /(/',
    'jsx.tsx': 'export default () => <a />',
    'lib/index.ts': '',
    'package.json': '{}',
  });
  await shows('stdout', '\n');
  for (const [path, message] of Object.entries(messages)) {
    const { status } = await fetch(text.stdout.trim() + path);
    expect([path, status]).toEqual([path, 500]);
    await shows('stderr', message);
  }
});

describe('vals run reports a val that', () => {
  it('throws, with the frames of its code and not of Node or vals', async () => {
    const code = 'function f(): never {\n  throw new Error("one\\ntwo");\n}\nexport default () => f()';
    expect(await folderWith({ 'a.ts': code }).runProcess(['a.ts'])).toMatchObject({
      exit: 12,
      stdout: '',
      stderr:
        'Error: one\ntwo\n    at f (a.ts:2:9)\n    at default (a.ts:4:22)\nerror: a.ts failed: Error: one (a.ts:2:9).\n',
    });
  });

  it('throws, after its own listeners, with causes as deep as Node shows them, errors and properties', async () => {
    const code = `process.on('uncaughtExceptionMonitor', ({ message }) => console.log('saw ' + message));
      let cause = new Error('cause 0'); for (let i = 1; i < 4; i++) cause = new Error('cause ' + i, { cause });
      throw Object.assign(new AggregateError([new Error("inner")], "all", { cause }), { status: 418 })`;
    const { exit, stdout, stderr } = await folderWith({ 'a.ts': code }).runProcess(['a.ts']);
    expect({ exit, stdout }).toEqual({ exit: 12, stdout: 'saw all\n' });
    for (const part of ['AggregateError: all', 'Error: inner', '[cause]: Error: cause 0', 'status: 418']) {
      expect(stderr).toContain(part);
    }
    expect(stderr).not.toMatch(/node:|main\.cjs/);
  });
});

it.each(['./a%2fb.ts', './%zz.ts', 'file://host/b.ts', './a%00b.ts', 'https://['])(
  'an import of %s, which no file or server can have, is an error of the val',
  async (specifier) => {
    const caught = `import(${JSON.stringify(specifier)}).catch(() => 'caught')`;
    const { runProcess } = folderWith({
      'a.ts': `export default () => ${caught}`,
      'b.ts': `import ${JSON.stringify(specifier)};`,
    });
    expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout: 'caught\n' });
    expect(await runProcess(['b.ts'])).toMatchObject({
      exit: 12,
      stderr: expect.not.stringContaining('defect'),
    });
  },
);

it('without esbuild, the error says how to install vals', async () => {
  const { folder } = await install();
  rmSync(join(folder, 'node_modules'));
  mkdirSync(join(folder, 'node_modules'));
  const { path } = folderWith({ 'a.ts': '' });
  const { exitCode, stderr } = await execa(process.execPath, [join(folder, 'bin/vals.js'), 'run', 'a.ts'], {
    cwd: path,
    env: environment(path),
    extendEnv: false,
    reject: false,
  });
  expect(exitCode).toBe(10);
  expect(stderr).toMatch(/^error: The transpiler, esbuild, cannot be started\.\nhint: Install vals again/);
});

it.each([
  ['lib', 'lib is a folder here, and no file.'],
  ['absent', 'There is no file absent here.'],
  ['ageInDays', 'There is a file ageInDays.ts. To run it, run `vals run ageInDays.ts`.'],
  ['plain', 'There is a file ./plain. To run it, run `vals run ./plain`.'],
])('vals run %s, which is neither a val nor a file, says what there is', async (word, sentence) => {
  const cwd = folderOf({ 'lib/a.ts': '', 'ageInDays.ts': '', plain: '' });
  const { env } = await startStrict({ list: true });
  const { exit, stderr } = await run(['run', word], { env, cwd });
  expect({ exit, stderr }).toEqual(ends(3, `There is no val named ${word}.`));
  expect(stderr).toContain(sentence);
  expect(await run(['run', word], { cwd })).toMatchObject(ends(2, sentence));
});

it("vals run takes another owner's val by its owner and name", async () => {
  const { env, edit } = await startStrict({ alias: true });
  edit('hello', "export default () => 'hello'");
  for (const word of ['ada/hello', '@ada/hello'])
    expect(await run(['run', word], { env })).toMatchObject({ exit: 0, stdout: 'hello\n' });
});

it.each([
  [['absent.ts'], 10, 'absent.ts does not exist'],
  [['folder/'], 2, 'folder/ is a folder, not a file.'],
  [['a.ts@1'], 2, 'Only a val on the service has versions, but a.ts is a file.'],
  [['--port', '0', 'a.ts'], 2, '--port works only with --http'],
  [['--http', 'a.ts', 'x'], 2, 'With --http, a val gets no arguments, but x was given.'],
  [['--watch', 'a.ts'], 2, '--watch never ends'],
  [['--max-time', '0', 'a.ts'], 2, '--max-time must be a number of seconds'],
  [['--env', 'VALS_TOKEN', 'a.ts'], 2, 'never gets environment variables whose names begin with VALS_'],
  [['--env', 'ABSENT', 'a.ts'], 2, 'the variable ABSENT is not set'],
  [['--inspect=here', 'a.ts'], 2, '--inspect needs a port'],
  [['--dotenv', 'absent.env', 'a.ts'], 10, 'absent.env does not exist'],
])('vals run %j is exit %i', async (args, exit, message) => {
  const { path } = folderWith({ 'a.ts': '', 'folder/b.ts': '' });
  const result = await run(['run', '--json', ...args], { cwd: path, env: { PATH: path } });
  expect(result).toMatchObject({ exit, stdout: '', error: { message: expect.stringContaining(message) } });
});
