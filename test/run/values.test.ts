import { describe, expect, it } from 'vitest';
import { runAtTerminal } from '../support/program.ts';
import { folderWith } from './folder.ts';

const react = {
  'node_modules/react/package.json': '{"name":"react","exports":{"./jsx-runtime":"./jsx.js"}}',
  'node_modules/react/jsx.js': 'exports.jsx = (type, props) => ({ type, ...props });',
};
const packages = {
  'node_modules/@scope/es/package.json':
    '{"name":"@scope/es","type":"module","exports":{".":"./a.js","./sub":"./b.js"}}',
  'node_modules/@scope/es/a.js': 'await 0; export const a = "es";',
  'node_modules/@scope/es/b.js': 'export default "sub";',
  'node_modules/common/package.json': '{"name":"common","main":"m.js"}',
  'node_modules/common/m.js': 'exports.named = require("node:path").posix.sep;',
};

const cases: [name: string, files: Record<string, string>, args: string[], stdout: string][] = [
  [
    'text as it is',
    { 'a.ts': 'export default (...a: string[]) => a.join()' },
    ['x', '--json', '-h'],
    'x,--json,-h',
  ],
  ['JSON', { 'a.ts': 'export default async () => ({ a: [1, null, "é"] })' }, [], '{"a":[1,null,"é"]}\n'],
  ['the body of a Response', { 'a.ts': 'export default () => new Response("body")' }, [], 'body'],
  ['nothing for undefined', { 'a.ts': 'export default () => {}' }, [], ''],
  ['an exported value that is no function', { 'a.ts': 'export default 5 as number' }, [], '5\n'],
  ['nothing if the val exits with 0', { 'a.ts': 'export default () => process.exit(0)' }, [], ''],
  [
    'TypeScript that is more than types',
    {
      'a.mts':
        'enum E { A = 3 } namespace N { export const more = 1 }\n' +
        'const twice = (_: object, __: string, d: PropertyDescriptor) => ({ value() { return d.value.call(this) * 2 } });\n' +
        'class C { constructor(private x: number) {} @twice get() { return this.x! } }\n' +
        'const id = <T>(x: T) => x; export default () => id<number>(new C(E.A).get() + N.more) satisfies number',
    },
    [],
    '7\n',
  ],
  [
    'JSX',
    { 'a.tsx': 'export default () => <b id="1">x</b>', ...react },
    [],
    '{"type":"b","id":"1","children":"x"}\n',
  ],
  [
    'JSX as its pragma says',
    { 'a.jsx': '/** @jsx h */\nconst h = (...a) => a; export default () => <b>x</b>' },
    [],
    '["b",null,"x"]\n',
  ],
  [
    'files beside it, however they are named',
    {
      'a.ts':
        'import { b } from "./lib/b.js"; import { c } from "./lib/c"; import d from "./d.json" with { type: "json" };\n' +
        'import type { T } from "./absent.ts"; import dir from "./dir";\n' +
        'export default async () => [b, c, d.d, dir, (await import("./lib/e.ts")).default]',
      'lib/b.ts': 'import { c } from "./c.ts"; export const b = "b" + c',
      'lib/c.ts': 'export const c: string = "c"',
      'lib/e.ts': 'export default "e" as const',
      'dir/index.ts': 'export default "dir"',
      'd.json': '{"d":4}',
    },
    [],
    '["bc","c",4,"dir","e"]\n',
  ],
  [
    'packages, by their names and as npm: writes them',
    {
      'a.ts':
        'import { a } from "@scope/es"; import sub from "npm:@scope/es@^1.2/sub"; import { named } from "npm:common@3";\n' +
        'import { EOL } from "node:os"; export default () => [a, sub, named, EOL]',
      ...packages,
    },
    [],
    '["es","sub","/","\\n"]\n',
  ],
];

describe('vals run prints', () => {
  it.each(cases)('%s', async (_name, files, args, expected) => {
    const { run, runProcess } = folderWith(files);
    const [file = '', ...others] = Object.keys(files);
    const runIt = others.length > 0 ? runProcess : run;
    const { exit, stdout, stderr } = await runIt([file, ...args]);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: expected, stderr: '' });
  });

  it('nothing for a module without a default export', async () => {
    const { runProcess } = folderWith({ 'a.ts': 'setTimeout(() => console.log("late"), 20); await 0' });
    expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout: '', stderr: 'late\n' });
  });

  it('a note for a module without a default export that prints nothing', async () => {
    const { run } = folderWith({ 'a.ts': 'await 0; export const greet = 1' });
    const stderr = 'a.ts ran, but it has no default export and printed nothing.\n';
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: '', stderr });
    expect(await run(['--json', 'a.ts'])).toMatchObject({ exit: 0, stderr: '' });
  });

  it('a record of value and run under --json', async () => {
    const { path, runProcess } = folderWith({
      'a.ts': 'console.log("printed"); export default () => "text"',
    });
    const { stdout, stderr } = await runProcess(['--json', `${path}/a.ts`]);
    const record = JSON.parse(stdout);
    expect(record).toEqual({
      value: 'text',
      run: { runStartAt: expect.any(String), runEndAt: expect.any(String), error: null },
    });
    expect(Date.parse(record.run.runEndAt)).toBeGreaterThanOrEqual(Date.parse(record.run.runStartAt));
    expect(stderr).toBe('printed\n');
  });

  it('escaped text at a terminal, with a newline before the prompt', async () => {
    const { path } = folderWith({ 'a.ts': 'export default () => "\\u001b[2J"' });
    const { screen } = await runAtTerminal(['run', '--no-report', 'a.ts'], { cwd: path });
    expect(screen).toBe('\\u001b[2J\r\n');
  });

  it('8 MB of a body, and 8 MB of output, completely', async () => {
    const { runProcess } = folderWith({
      'a.ts':
        'export default () => { for (let i = 0; i < 8; i++) console.log("x".repeat(1 << 20));\n' +
        'let n = 0; return new Response(new ReadableStream({\n' +
        'pull(c) { if (n++ === 8) c.close(); else c.enqueue(new Uint8Array(1 << 20).fill(65)) } })) }',
    });
    const { stdout, stderr } = await runProcess(['a.ts']);
    expect([stdout.length, stderr.length]).toEqual([8 << 20, (8 << 20) + 8]);
  });

  it('a value made from standard input', async () => {
    const { runProcess } = folderWith({
      'a.ts':
        'export default async () => { let t = ""; for await (const c of process.stdin) t += c; return t + t }',
    });
    expect(await runProcess(['a.ts'], { input: 'in' })).toMatchObject({ exit: 0, stdout: 'inin' });
  });
});
