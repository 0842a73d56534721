import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/core/lib/visible.ts';
import { createLogs } from '../../src/run/commands/run-once.ts';
import { folderOf, run, runAtTerminal, startProcess, untilIdle } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { folderWith } from './folder.ts';

describe('vals run prints', () => {
  it.each<[what: string, file: string, code: string, stdout: string, args?: string[]]>([
    ['a text as a line', 'a.ts', 'export default (...a: string[]) => a.join()', 'x,-z\n', ['x', '-z']],
    ['an exported value that is no function', 'a.ts', 'export default { a: [5] as number[] }', '{"a":[5]}\n'],
    ['the body of a Response', 'a.ts', 'export default () => new Response("body")', 'body'],
    ['bytes as they are', 'a.ts', 'export default () => new Uint8Array([65, 66])', 'AB'],
    [
      'a stream as it comes',
      'a.ts',
      'import { Readable } from "node:stream"; export default () => Readable.from(["a", "b"])',
      'ab',
    ],
    [
      'what the fetch method of an object returns',
      'a.ts',
      'export default { word: "hi", fetch(name: string) { return this.word + name + "\\n" } }',
      'hi!\n',
      ['!'],
    ],
    [
      'what it returned, whatever it writes to the descriptors of vals',
      'a.ts',
      `import { writeSync } from 'node:fs';
for (const line of ['{"kind":"failed"}', '{"kind":"threw","thrown":{"text":5}}', '{']) writeSync(4, line + '\\n');
export default () => 'done';`,
      'done\n',
    ],
    ['what CommonJS exports', 'a.cjs', 'module.exports = (name) => "hi " + name', 'hi x\n', ['x']],
  ])('%s', async (_what, file, code, expected, args = []) => {
    expect(await folderWith({ [file]: code }).run([file, ...args])).toMatchObject({
      exit: 0,
      stdout: expected,
      stderr: '',
    });
  });

  it.each<[what: string, code: string, stdout: string, stderr: string]>([
    [
      "the output of a script and of its handlers to stdout, and the script reads vals's input",
      `process.once('beforeExit', () => console.log('before'));
        process.on('uncaughtException', (error) => console.log('caught ' + error.message));
        process.on('exit', () => console.log('exit'));
        let t = ''; for await (const c of process.stdin) t += c; console.log(t + t);
        setTimeout(() => { throw new Error('late') });
        throw new Error('early')`,
      'inin\ncaught early\ncaught late\nbefore\nexit\n',
      '',
    ],
    [
      'the output of a val with a default export to stderr, also what comes after the return',
      'console.log("one"); export default () => { setTimeout(() => console.error("sent"), 50); return "two" }',
      'two\n',
      'one\nsent\n',
    ],
    [
      'a line if a val still works 5 s after the return, and ends it',
      'export default () => { setInterval(() => {}, 1e3) }',
      '',
      'a.ts was ended: it still worked 5 s after it had returned.\n',
    ],
  ])('%s', async (_what, code, stdout, stderr) => {
    const result = await folderWith({ 'a.ts': code }).runProcess(['a.ts'], { input: 'in' });
    expect(result).toMatchObject({ exit: 0, stdout, stderr });
  });

  it('a note for a script that prints nothing, but not under --json', async () => {
    const { run } = folderWith({ 'a.ts': 'await 0; export const greet = 1' });
    const stderr = 'a.ts ran, but it has no default export and printed nothing.\n';
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: '', stderr });
    expect(await run(['--json', 'a.ts'])).toMatchObject({ exit: 0, stderr: '' });
  });

  it('a record of value and run under --json, with what the val printed', async () => {
    const { path, runProcess } = folderWith({
      'a.ts': 'console.log("one"); console.error("two"); export default () => "text"',
    });
    const { stdout, stderr } = await runProcess(['--json', `${path}/a.ts`]);
    const record = JSON.parse(stdout);
    const times = { runStartAt: expect.any(String), runEndAt: expect.any(String) };
    expect(record).toEqual({ value: 'text', run: { ...times, error: null, logs: 'one\ntwo\n' } });
    expect(Date.parse(record.run.runEndAt)).toBeGreaterThanOrEqual(Date.parse(record.run.runStartAt));
    expect(stderr).toBe('one\ntwo\n');
  });

  it('colours at a terminal, where the val writes itself, and what it returns escaped', async () => {
    const { path } = folderWith({
      'a.ts': 'console.log(process.stdout.isTTY, { a: 1 }); export default () => new Response("\\u001b[2J")',
    });
    const { screen } = await runAtTerminal(['run', '--no-report', 'a.ts'], { cwd: path });
    expect(screen).toBe('\u001b[33mtrue\u001b[39m { a: \u001b[33m1\u001b[39m }\r\n\\u001b[2J\r\n');
  });

  it.skipIf(process.platform !== 'linux')(
    'all of a long stream to a slow reader, and the val writes only a little ahead',
    async () => {
      const megabytes = 24;
      const cwd = folderOf({
        'a.ts': `let written = 0; export default () => new Response(new ReadableStream({ pull(c) {
          if (written === ${megabytes}) return c.close();
          c.enqueue(new Uint8Array(1 << 20)); written += 1; console.error('written ' + written) } }))`,
      });
      const { child, ended, text } = startProcess(['run', 'a.ts'], { cwd }, 'stdout');
      await once(child.stdout as Readable, 'readable');
      await untilIdle(child.pid as number);
      const ahead = Number(text.stderr.trimEnd().split(' ').at(-1));
      expect(ahead).toBeLessThan(16);
      let size = 0;
      child.stdout?.on('data', (bytes) => {
        size += bytes.length;
      });
      expect(await ended).toMatchObject({ exit: 0 });
      expect(size).toBe(megabytes << 20);
    },
  );
});

it('the reader of what a script prints may leave', async () => {
  const cwd = folderOf({ 'a.ts': "for (let i = 0; i < 20_000; i++) console.log('line ' + i)" });
  const { child, ended, text } = startProcess(['run', 'a.ts'], { cwd }, 'stdout');
  await once(child.stdout as Readable, 'readable');
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ exit: 0 });
  expect(text.stderr).toBe('');
});

it('of a long output, the last 64 KiB are kept, in whole characters, without colours and without the token', () => {
  const redactor = createRedactor();
  redactor.add('secret-token');
  const logs = createLogs(redactor.redact);
  for (let count = 0; count < 300; count++) logs.add(Buffer.from('é'.repeat(1_001)));
  logs.add(Buffer.from('\u001b[31mend\u001b[0m secret-'));
  logs.add(Buffer.from('token'));
  expect(logs.text()).toMatch(/^é+end \*\*\*$/);
  expect(65_536 - Buffer.byteLength(logs.text())).toBeLessThan(30);
  // Whatever is cut off, no part of the token is left.
  const full = createLogs(redactor.redact);
  for (let count = 0; count < 12_000; count++) full.add(Buffer.from('secret-token '));
  expect(full.text()).toMatch(/^\**(?: \*\*\*)+ $/);
});

const names = 'API_KEY BOTH FROM_ENV_FILE FROM_OTHER GIVEN LANG NODE_OPTIONS VALS_TOKEN VALS_X'.split(' ');
const files = {
  'sub/a.ts': `export default () => Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, process.env[name]]))`,
  'package.json': '{}',
  '.env': 'FROM_ENV_FILE="a b"\nBOTH=file\nVALS_X=1',
  'other.env': 'FROM_OTHER=other # comment\nGIVEN=file\nBOTH=other',
};
const own = { API_KEY: 'sk-1', BOTH: 'mine', LANG: 'C' };

it('a file gets the environment, the .env of its project, and what is given; other code only what is given', async () => {
  const service = await startStrict({ list: true });
  const cwd = folderOf(files);
  const vals = (args: string[], more = {}) => run(args, { env: { ...own, ...service.env, ...more }, cwd });
  const environmentOf = async (args: string[], more = {}) =>
    JSON.parse((await vals(['run', ...args], more)).stdout);
  expect((await vals(['push', 'sub/a.ts'])).exit).toBe(0);

  expect(await environmentOf(['sub/a.ts'])).toEqual({ ...own, FROM_ENV_FILE: 'a b' });
  const given = ['--env', 'GIVEN=a=b', '--dotenv', 'other.env'];
  const all = { ...own, FROM_ENV_FILE: 'a b', FROM_OTHER: 'other', GIVEN: 'a=b' };
  expect(await environmentOf([...given, 'sub/a.ts'])).toEqual(all);
  const fromFile = { FROM_OTHER: 'other', GIVEN: 'file', BOTH: 'other' };
  expect(await environmentOf(['--env', 'API_KEY', '--dotenv', 'other.env', 'a'])).toEqual({
    ...{ API_KEY: 'sk-1', LANG: 'C', ...fromFile },
  });

  const options = async (NODE_OPTIONS: string) =>
    (await environmentOf(['sub/a.ts'], { NODE_OPTIONS })).NODE_OPTIONS;
  expect(await options('--no-deprecation')).toBe('--no-deprecation');
  // It would load a file that the sandbox hides.
  expect(await options('--require /editor/debugger.js')).toBeUndefined();
});
