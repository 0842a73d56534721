import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { folderOf, runAtTerminal, startProcess, untilIdle } from '../support/program.ts';
import { folderWith } from './folder.ts';

describe('vals run prints', () => {
  it.each<[what: string, code: string, stdout: string, args?: string[]]>([
    ['a text', 'export default (...a: string[]) => a.join()', 'x,--json,-h\n', ['x', '--json', '-h']],
    ['a text that ends with a newline', 'export default () => "x\\n"', 'x\n'],
    [
      'JSON, even of an object that has a `pipe` like a stream',
      'export default async () => ({ pipe: [1, null, "é"] })',
      '{"pipe":[1,null,"é"]}\n',
    ],
    ['the body of a Response', 'export default () => new Response("body")', 'body'],
    ['bytes', 'export default () => new Uint8Array([65, 66])', 'AB'],
    [
      'a stream',
      'import { Readable } from "node:stream"; export default () => Readable.from(["a", "b"])',
      'ab',
    ],
    ['a Blob', 'export default () => new Blob(["a", "b"])', 'ab'],
    ['a Map', 'export default () => new Map([["a", 1]])', '[["a",1]]\n'],
    ['a Set', 'export default () => new Set([1, 2])', '[1,2]\n'],
    [
      'what a generator yields, one by one',
      'export default async function* () { yield "a"; yield "b\\n"; yield { c: 1 }; yield new Uint8Array([68]) }',
      'a\nb\n{"c":1}\nD',
    ],
    ['what an iterator yields', 'export default () => [1, "b"].values()', '1\nb\n'],
    ['nothing for undefined', 'export default () => {}', ''],
    ['an exported value that is no function', 'export default 5 as number', '5\n'],
    [
      'what the fetch method of an object returns',
      'export default { word: "hi", fetch(name: string) { return this.word + name } }',
      'hi!\n',
      ['!'],
    ],
    ['nothing if the val exits with 0', 'export default () => process.exit(0)', ''],
    ['what a CommonJS module exports', 'module.exports = (name) => "hi " + name', 'hi x\n', ['x']],
  ])('%s', async (_what, code, expected, args = []) => {
    const file = code.startsWith('module') ? 'a.cjs' : 'a.ts';
    const { exit, stdout, stderr } = await folderWith({ [file]: code }).run([file, ...args]);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: expected, stderr: '' });
  });

  it.each<[what: string, code: string, stdout: string, stderr: string]>([
    [
      'the output of a script to stdout, and no note about a default export',
      'setTimeout(() => console.log("late"), 20); await 0',
      'late\n',
      '',
    ],
    [
      'the output of a val with a default export to stderr',
      'console.log("one"); export default () => "two"',
      'two\n',
      'one\n',
    ],
    [
      'a value made from standard input',
      'export default async () => { let t = ""; for await (const c of process.stdin) t += c; return t + t }',
      'inin\n',
      '',
    ],
    [
      'what comes after the return',
      'export default () => { setTimeout(() => console.error("sent"), 50); return "done" }',
      'done\n',
      'sent\n',
    ],
    [
      'a line if a val still works 5 s after the return, and ends it',
      'export default () => { setInterval(() => {}, 1e3) }',
      '',
      'a.ts was ended: it still worked 5 s after it had returned.\n',
    ],
    [
      "what the val's own handlers print",
      `process.once('beforeExit', () => console.log('before'));
        process.on('uncaughtException', (error) => console.log('caught ' + error.message));
        process.on('exit', () => console.log('exit'));
        setTimeout(() => { throw new Error('late') });
        throw new Error('early')`,
      'caught early\ncaught late\nbefore\nexit\n',
      '',
    ],
  ])('%s', async (_what, code, stdout, stderr) => {
    const result = await folderWith({ 'a.ts': code }).runProcess(['a.ts'], { input: 'in' });
    expect(result).toMatchObject({ exit: 0, stdout, stderr });
  });

  it('a note for a script that prints nothing', async () => {
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

  it('the last 64 KiB of a long output in the record, in whole characters', async () => {
    const { runProcess } = folderWith({
      'a.ts':
        'for (let i = 0; i < 300; i++) process.stdout.write("é".repeat(1_001)); process.stdout.write("end")',
    });
    const { logs } = JSON.parse((await runProcess(['--json', 'a.ts'])).stdout).run;
    expect(logs).toMatch(/^é+end$/);
    expect(65_536 - Buffer.byteLength(logs)).toBeLessThan(2);
  });

  it('escaped text at a terminal, with a newline before the prompt', async () => {
    const { path } = folderWith({ 'a.ts': 'export default () => new Response("\\u001b[2J")' });
    const { screen } = await runAtTerminal(['run', '--no-report', 'a.ts'], { cwd: path });
    expect(screen).toBe('\\u001b[2J\r\n');
  });

  it('colours at a terminal, because the val writes to the terminal itself', async () => {
    const { path } = folderWith({ 'a.ts': 'console.log(process.stdout.isTTY, { a: 1 })' });
    const { screen } = await runAtTerminal(['run', '--no-report', 'a.ts'], { cwd: path });
    expect(screen).toBe('\u001b[33mtrue\u001b[39m { a: \u001b[33m1\u001b[39m }\r\n');
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

  it.skipIf(process.platform !== 'linux')(
    'all of a long stream to a slow reader, and the val writes only a little ahead',
    async () => {
      const megabytes = 64;
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
