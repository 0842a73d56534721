import { describe, expect, it } from 'vitest';
import { runAtTerminal } from '../support/program.ts';
import { folderWith } from './folder.ts';

const cases: [name: string, files: Record<string, string>, args: string[], stdout: string][] = [
  [
    'a text, with one newline at its end',
    { 'a.ts': 'export default (...a: string[]) => a.join()' },
    ['x', '--json', '-h'],
    'x,--json,-h\n',
  ],
  ['a text that ends with a newline', { 'a.ts': 'export default () => "x\\n"' }, [], 'x\n'],
  ['JSON', { 'a.ts': 'export default async () => ({ a: [1, null, "é"] })' }, [], '{"a":[1,null,"é"]}\n'],
  ['the body of a Response', { 'a.ts': 'export default () => new Response("body")' }, [], 'body'],
  ['bytes', { 'a.ts': 'export default () => new Uint8Array([65, 66])' }, [], 'AB'],
  [
    'a stream',
    { 'a.ts': 'import { Readable } from "node:stream"; export default () => Readable.from(["a", "b"])' },
    [],
    'ab',
  ],
  ['nothing for undefined', { 'a.ts': 'export default () => {}' }, [], ''],
  ['an exported value that is no function', { 'a.ts': 'export default 5 as number' }, [], '5\n'],
  [
    'what the fetch method of an object returns',
    { 'a.ts': 'export default { word: "hi", fetch(name: string) { return this.word + name } }' },
    ['!'],
    'hi!\n',
  ],
  ['nothing if the val exits with 0', { 'a.ts': 'export default () => process.exit(0)' }, [], ''],
  ['what a CommonJS module exports', { 'a.cjs': 'module.exports = (name) => "hi " + name' }, ['x'], 'hi x\n'],
];

describe('vals run prints', () => {
  it.each(cases)('%s', async (_name, files, args, expected) => {
    const { exit, stdout, stderr } = await folderWith(files).run([Object.keys(files)[0] ?? '', ...args]);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: expected, stderr: '' });
  });

  it('the output of a script to stdout, and not the note about a default export', async () => {
    const { runProcess } = folderWith({ 'a.ts': 'setTimeout(() => console.log("late"), 20); await 0' });
    expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout: 'late\n', stderr: '' });
  });

  it('the output of a val with a default export to stderr', async () => {
    const { runProcess } = folderWith({ 'a.ts': 'console.log("one"); export default () => "two"' });
    expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout: 'two\n', stderr: 'one\n' });
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

  it('a value made from standard input', async () => {
    const { runProcess } = folderWith({
      'a.ts':
        'export default async () => { let t = ""; for await (const c of process.stdin) t += c; return t + t }',
    });
    expect(await runProcess(['a.ts'], { input: 'in' })).toMatchObject({ exit: 0, stdout: 'inin\n' });
  });
});

describe('after the return', () => {
  it('work under way goes on', async () => {
    const { runProcess } = folderWith({
      'a.ts': 'export default () => { setTimeout(() => console.error("sent"), 50); return "done" }',
    });
    expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout: 'done\n', stderr: 'sent\n' });
  });

  it('a val that works on is ended after 5 seconds, and a line says so', async () => {
    const { runProcess } = folderWith({ 'a.ts': 'export default () => { setInterval(() => {}, 1e3) }' });
    const stderr = 'a.ts was ended: it still worked 5 s after it had returned.\n';
    expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout: '', stderr });
  });

  it("the val's own handlers work", async () => {
    const { runProcess } = folderWith({
      'a.ts': `process.once('beforeExit', () => console.log('before'));
        process.on('uncaughtException', (error) => console.log('caught ' + error.message));
        process.on('exit', () => console.log('exit'));
        setTimeout(() => { throw new Error('late') });
        throw new Error('early')`,
    });
    const stdout = 'caught early\ncaught late\nbefore\nexit\n';
    expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout });
  });
});
