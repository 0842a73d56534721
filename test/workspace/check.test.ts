import { describe, expect, it } from 'vitest';
import { id } from '../core/commands/pushes.ts';
import { folderOf, run, runOnScreen } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

const brokenCode = 'const ok = 1;\nconst ä = "ü😀"; const b = x y;\n';

const errorsOf = async (files: Record<string, string>, paths: readonly string[] = ['.']) => {
  const { exit, stdout } = await run(['check', ...paths, '--json'], { cwd: folderOf(files) });
  return { exit, errors: JSON.parse(stdout) };
};

it('check names the file, line, column and line of every broken file, and exits with 10', async () => {
  const cwd = folderOf({ 'a.ts': brokenCode, 'b/c.jsx': '<div>', 'd.ts': 'export default 1' });
  const rows = [
    { file: 'a.ts', line: 2, column: 29, message: 'Expected ";" but found "y"' },
    { file: 'b/c.jsx', line: 1, column: 6, message: expect.stringContaining('Unexpected end of file') },
  ];
  const asJson = await run(['check', '.', '--json'], { cwd });
  expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toMatchObject({
    exit: 10,
    stdout: rows,
    error: { kind: 'local', message: '2 of 3 files have errors.' },
  });
  const { stdout } = await run(['check', '.'], { cwd });
  expect(stdout.split('\n')[0]).toBe(
    'a.ts\t2\t29\tExpected ";" but found "y"\tconst ä = "ü😀"; const b = x y;',
  );
  const { screen } = await runOnScreen(['check', '.'], { cwd });
  expect(screen).toMatch(/a\.ts:2:29 +Expected ";" but found "y" +const ä = "ü😀"; const b = x y;/);
});

it('code that ends too early is named without a line, after a line break', async () => {
  const cwd = folderOf({ 'a.ts': 'export default () => {\n' });
  const { exit, error } = await run(['push', 'a.ts', '--local', '--json'], { cwd });
  expect({ exit, message: error?.message }).toEqual({
    exit: 10,
    message: 'a.ts:2:1 has a syntax error: Unexpected end of file.',
  });
});

it('check says that all files are fine, and prints an empty list', async () => {
  const cwd = folderOf({ 'a.ts': 'export default 1', 'b.ts': 'export default 2' });
  expect(await run(['check', '.', '--json'], { cwd })).toMatchObject({ exit: 0, stdout: '[]\n' });
  const { screen } = await runOnScreen(['check', '.', '--no-color'], { cwd });
  expect(screen.trim()).toMatch(/^✓ No syntax errors in 2 files\. \(\d+ms\)$/);
});

it('check needs no service, and reads standard input', async () => {
  expect(await run(['check', '-', '--json'], { input: '<T,>(a: T) => <b>{a}</b>' })).toMatchObject({
    exit: 0,
  });
  expect(await run(['check', '-'], { input: 'a b' })).toMatchObject({
    exit: 10,
    stdout: '-\t1\t3\tExpected ";" but found "b"\ta b\n',
  });
});

it('check takes the files of the workspace, and outside of one needs a path', async () => {
  const cwd = folderOf({
    'vals.json': '{}',
    'a.ts': 'a b',
    '.valsignore': 'no.ts',
    'no.ts': 'a b',
  });
  const { exit, stdout } = await run(['check', '--json'], { cwd });
  expect({ exit, files: JSON.parse(stdout).map(({ file }: { file: string }) => file) }).toEqual({
    exit: 10,
    files: ['a.ts'],
  });
  expect(await run(['check'])).toMatchObject({ exit: 2, stdout: '' });
});

it('check reports a file that cannot be read, and leaves out a named file of another kind', async () => {
  expect(await errorsOf({ 'a.ts': '' }, ['a.ts', 'gone.ts'])).toEqual({
    exit: 10,
    errors: [
      { file: 'a.ts', message: 'a.ts is empty.' },
      { file: 'gone.ts', message: 'gone.ts does not exist.' },
    ],
  });
  const { exit, stdout, stderr } = await run(['check', 'a.txt'], { cwd: folderOf({ 'a.txt': 'a b' }) });
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' });
  expect(stderr).toContain('a.txt was not checked');
});

it('check annotates the place on GitHub', async () => {
  const env = { GITHUB_ACTIONS: 'true' };
  const { stderr } = await run(['check', '.'], { env, cwd: folderOf({ 'a.ts': brokenCode }) });
  expect(stderr).toContain('::error file=a.ts,line=2,col=29::a.ts:2:29 has a syntax error: ');
});

const jsx = 'export default () => <b a={1}>c</b>';

const accepted: Record<string, string> = {
  'parameter-decorators.ts': 'class A { constructor(@inject() readonly a: string) {} }',
  'decorated-class-expressions.ts': 'export default @sealed class {}',
  'auto-accessors.ts': 'class A { @tracked accessor x = 1; }',
  'enums-and-namespaces.ts': 'const enum A { B } namespace X.Y { export const z = 1; } declare module "m" {}',
  'import-equals.ts': 'import x = require("x"); export = x;',
  'angle-brackets.ts': 'const f = <T>(a: T) => a; const x = <string>y;',
  'overloads.ts': 'function f(a: string): asserts a; function f(a: unknown) { return a!; }',
  'using.ts': 'export default async () => { await using a = b(); using c = d(); };',
  'imports.ts': 'import a from "npm:zod@3"; import b from "https://esm.sh/hono"; import c from "./gone.ts";',
  'picture.ts': 'import url from "./picture.png"; export default url;',
  'attributes.ts': 'import data from "./a.json" with { type: "json" };',
  'byte-order-mark.ts': '\ufeffexport default 1;',
  'hashbang-and-await.ts': '#!/usr/bin/env node\nexport default await 1;',
  ...{ 'jsx1.js': jsx, 'jsx2.mjs': jsx, 'jsx3.jsx': jsx, 'jsx4.tsx': jsx },
};

/** Many files are parsed by one build at first, and few files one by one. */
it('TypeScript and JSX are accepted whole, in few files and in many', async () => {
  const files = Object.entries(accepted);
  for (const some of [files.slice(0, 9), files]) {
    expect(await errorsOf(Object.fromEntries(some))).toEqual({ exit: 0, errors: [] });
  }
});

it('a long line is cut around the error', async () => {
  const code = `${'1 + '.repeat(10_000)}a b${' + 1'.repeat(10_000)}`;
  const { stdout } = await run(['check', 'a.ts'], { cwd: folderOf({ 'a.ts': code }) });
  const line = stdout.trimEnd().split('\t').at(-1);
  expect(line?.length).toBeLessThan(110);
  expect(line).toContain('a b');
});

it.each([{}, accepted])('errors are found in few files and in many', async (others) => {
  const broken = {
    'a b.ts': 'a b',
    'bom.ts': '\ufeffa b',
    'jsx.mts': jsx,
    'jsx.ts': jsx,
    "sub/it's.ts": brokenCode,
  };
  const { exit, errors } = await errorsOf({ ...others, ...broken });
  expect(exit).toBe(10);
  expect(errors).toMatchObject([
    { file: 'a b.ts', line: 1, column: 3 },
    { file: 'bom.ts', line: 1, column: 3 },
    { file: 'jsx.mts', line: 1 },
    { file: 'jsx.ts', line: 1 },
    { file: "sub/it's.ts", line: 2, column: 29 },
  ]);
});

describe('code with a syntax error is not sent by', () => {
  it.each([
    [['val', 'create', 'a', 'a.ts'], 'POST /v1/vals'],
    [['version', 'new', id, 'a.ts'], `POST /v1/vals/${id}/versions`],
  ])('%j, unless --no-check is given', async (args, request) => {
    const cwd = folderOf({ 'a.ts': brokenCode });
    const service = await scriptedService([{ status: 201, body: { id, name: 'a', version: 2 } }]);
    for (const more of [[], ['--dry-run']]) {
      expect(await run([...args, ...more], { cwd, env: service.env })).toMatchObject({
        exit: 10,
        stdout: '',
        stderr: expect.stringContaining(
          'a.ts:2:29 has a syntax error: Expected ";" but found "y". The line is `const ä = "ü😀"; const b = x y;`.',
        ),
      });
    }
    expect(service.requests).toEqual([]);
    const sent = await run([...args, '--no-check'], { cwd, env: service.env });
    expect(sent.exit).toBe(0);
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([request]);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject({ code: brokenCode });
  });

  it.each([
    ['a b', ['--no-check']],
    ['<b>c</b>', []],
  ])('val edit, except %j %j', async (code, more) => {
    const val = { body: { id, name: 'a', code: 'old', version: 1 } };
    const service = await scriptedService([val, val, val]);
    const EDITOR = `sh -c 'printf "${code}" > "$1"' --`;
    const { exit } = await run(['val', 'edit', id, ...more], { env: { ...service.env, EDITOR } });
    expect(exit).toBe(0);
    expect(JSON.parse(service.requests[2]?.body ?? '')).toEqual({ code });
  });
});
