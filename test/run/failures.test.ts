// How a run fails: exit 12, what went wrong, and where in the val's own lines.
import { describe, expect, it } from 'vitest';
import { run } from '../support/program.ts';
import { folderWith } from './folder.ts';

/** The first file is run; the message holds the words. */
const cases: [name: string, files: Record<string, string>, message: string, hint?: string][] = [
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
    'slips beyond types',
    { 'a.ts': 'let a: number = 1;\nlet b: any = 2, a = 3;' },
    'a.ts:2:17 has a syntax error',
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
    '--runtime deno',
  ],
  ['imports jsr', { 'a.ts': 'import "jsr:@std/fs"' }, 'which Node does not load', 'npm install'],
  ['returns what JSON has not', { 'a.ts': 'export default () => 1n' }, 'cannot be written as JSON'],
  ['returns a function', { 'a.ts': 'export default () => () => {}' }, 'is a function'],
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

describe('a val that', () => {
  it.each(cases)('%s', async (_name, files, message, hint = '') => {
    const { exit, stdout, error } = await folderWith(files).run(['--json', Object.keys(files)[0] ?? '']);
    expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' });
    expect(error).toMatchObject({ kind: 'run_failed', exit: 12, message: expect.stringContaining(message) });
    expect(error?.hint ?? '').toContain(hint);
  });

  it('slips in a function, with the place that the built program finds', async () => {
    const { runProcess } = folderWith({ 'a.ts': 'export default () => {\n  const x: number = ;\n}' });
    const { exit, stderr } = await runProcess(['a.ts']);
    expect({ exit, said: stderr.includes('a.ts:2:21 has a syntax error') }).toEqual({ exit: 12, said: true });
  });

  it('throws is shown with its own frames and no others', async () => {
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

  it('throws for a reason is shown with that reason', async () => {
    const { run } = folderWith({
      'a.ts':
        'export default () => { throw new Error("one", { cause: new TypeError("two", { cause: 3 }) }) }',
    });
    const { exit, stderr } = await run(['a.ts']);
    expect(exit).toBe(12);
    expect(stderr).toMatch(/^Error: one\ncaused by TypeError: two\ncaused by 3\n/);
  });

  it('fills its memory', async () => {
    const { runProcess } = folderWith({
      'a.ts': 'const a: unknown[] = []; for (;;) a.push(new Array(999).fill(0.5))',
    });
    const env = { NODE_OPTIONS: '--max-old-space-size=20' };
    const { exit, stderr } = await runProcess(['--allow-all', 'a.ts'], { env });
    expect({ exit, said: stderr.includes('ran out of memory') }).toEqual({ exit: 12, said: true });
  });
});

it.each([
  [['absent.ts'], 10, 'absent.ts does not exist'],
  [['absent'], 2, 'No service is chosen'],
  [['--at', '1', 'a.ts'], 2, '--at is for a val of the service'],
  [['--port', '0', 'a.ts'], 2, '--port is for --http'],
  [['--watch', 'a.ts'], 2, '--watch never ends'],
  [['--max-time', '0', 'a.ts'], 2, '--max-time takes seconds'],
  [['--runtime', 'deno', 'a.ts'], 10, 'Deno is not installed'],
])('run %j is exit %i', async (args, exit, message) => {
  const { path } = folderWith({ 'a.ts': '' });
  const result = await run(['run', '--json', ...args], { cwd: path, env: { PATH: path } });
  expect(result).toMatchObject({ exit, stdout: '', error: { message: expect.stringContaining(message) } });
});
