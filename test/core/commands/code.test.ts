import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { folderOf, run, runOnScreen } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id, interruptible, outcomes, sent, statuses, vals } from './pushes.ts';

describe('code is sent byte for byte', () => {
  it('with special characters, and with a number that JavaScript would round', async () => {
    const code =
      '\ufeffa\u0000b\u001b[2J\u007f\u009b\u2028\r\n😀👩‍👩‍👧‍👦\uffff\u{10ffff} "\\"\\\\\\u0041`$ 12345678901234567890 1.0 ';
    const service = await scriptedService([], () => ({ body: {} }));
    const cwd = folderOf({ 'a.ts': Buffer.from(code) });
    const input = Buffer.from(code);
    const results = await Promise.all([
      run(['push', 'a.ts', '--no-check'], { env: service.env, cwd }),
      run(['push', '-', '--name', 'a', '--no-check'], { env: service.env, input }),
      run(['val', 'create', 'a', '--no-check'], { env: service.env, input }),
      run(['version', 'new', id, 'a.ts', '--no-check'], { env: service.env, cwd }),
    ]);
    expect(results.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
    const bytes = service.requests.map((seen) => Buffer.from(sent(seen).code).toString('hex'));
    expect(bytes).toEqual(bytes.map(() => input.toString('hex')));
    expect(bytes).toHaveLength(4);
  });
});

it.each([[[]], [['--no-check']]])(
  'a push with %j refuses files with the markers of a merge',
  async (options) => {
    const marked = 'let a;\n<<<<<<< HEAD\na = 1;\n=======\na = 2;\n>>>>>>> theirs\n';
    const { env, vals: valsThere } = await startStrict();
    const cwd = folderOf({ 'a.ts': marked, 'b.ts': 'let b;' });
    const { exit, stdout } = await run(['push', 'a.ts', 'b.ts', '--json', ...options], { env, cwd });
    expect([exit, outcomes(stdout)]).toMatchObject([
      5,
      [
        { file: 'a.ts', status: 'failed', reason: 'marks', error: { kind: 'conflict' } },
        { file: 'b.ts', status: 'skipped' },
      ],
    ]);
    expect(valsThere()).toEqual([]);
  },
);

describe('a push sends nothing at all because of', () => {
  const bad: { what: string; make: (file: string) => void }[] = [
    { what: 'missing', make: () => {} },
    { what: 'empty', make: (file) => writeFileSync(file, '') },
    { what: 'not UTF-8', make: (file) => writeFileSync(file, new Uint8Array([0x61, 0xff, 0x62])) },
    { what: 'a link to nothing', make: (file) => symlinkSync('nowhere', file) },
  ];
  it.each(bad)('a file that is $what', async ({ make }) => {
    const cwd = vals('a', 'c');
    const file = 'bad.ts';
    make(join(cwd, file));
    const service = await scriptedService([]);
    const { exit, stdout, error } = await run(['push', 'a.ts', file, 'c.ts', '--json'], {
      env: service.env,
      cwd,
    });
    expect(exit).toBe(10);
    expect(error).toMatchObject({ kind: 'local', exit: 10, message: expect.stringContaining('bad.ts') });
    expect(outcomes(stdout)).toEqual([
      { file: 'a.ts', name: 'a', status: 'skipped' },
      { file, name: 'bad', status: 'failed', error: expect.objectContaining({ kind: 'local', exit: 10 }) },
      { file: 'c.ts', name: 'c', status: 'skipped' },
    ]);
    const dry = await run(['push', 'a.ts', file, 'c.ts', '--dry-run'], { cwd });
    expect(dry.exit).toBe(10);
    expect(dry.stderr).toContain('bad.ts');
    expect(service.requests).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)('a file or a folder without read permission', async () => {
    const cwd = folderOf({ 'a.ts': 'a', 'v/b.ts': 'b' });
    chmodSync(join(cwd, 'a.ts'), 0);
    chmodSync(join(cwd, 'v'), 0);
    const service = await scriptedService([]);
    expect(await run(['push', 'a.ts'], { env: service.env, cwd })).toMatchObject({ exit: 10 });
    expect(await run(['push', 'v'], { env: service.env, cwd })).toMatchObject({ exit: 10 });
    chmodSync(join(cwd, 'v'), 0o700);
  });

  it('standard input that is empty', async () => {
    const service = await scriptedService([]);
    const result = await run(['push', '-', '--name', 'x', '--json'], { env: service.env, input: '' });
    const hint = 'Send code that is not empty, or give a file.';
    expect(result).toMatchObject({ exit: 10, error: { kind: 'local', hint } });
    expect(statuses(result.stdout)).toEqual(['failed']);
  });

  it('several unusable files, and all of them are named', async () => {
    const cwd = folderOf({ 'a.ts': 'a', 'b.ts': '' });
    const service = await scriptedService([]);
    const { exit, stdout, stderr } = await run(['push', 'a.ts', 'b.ts', 'c.ts'], { env: service.env, cwd });
    expect({ exit, stdout }).toEqual({
      exit: 10,
      stdout: 'skipped\ta\t\t\ta.ts\nfailed\tb\t\t\tb.ts\nfailed\tc\t\t\tc.ts\n',
    });
    expect(stderr).toContain('b.ts');
    expect(stderr).toContain('c.ts');
  });
});

describe('val create and version new', () => {
  it('val create with the name of a file says how to push it', async () => {
    const { exit, stderr } = await run(['val', 'create', 'a.ts'], { cwd: folderOf({ 'a.ts': 'a' }) });
    const message = 'error: a.ts is a file, not the name of a val.\n';
    const hint = 'hint: To make the file a val, run `vals push a.ts`.\n';
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: message + hint });
  });

  const create = ['val', 'create', 'hello'];
  const newVersion = ['version', 'new', id];
  it.each<{ what: string; args: string[]; input?: Uint8Array; exit: number }>([
    { what: 'nothing on standard input', args: [...create, '-'], exit: 10 },
    { what: 'bytes on standard input', args: newVersion, input: new Uint8Array([0xff]), exit: 10 },
    { what: 'a file that is not there', args: [...create, 'gone.ts'], exit: 10 },
    { what: 'an empty file', args: [...newVersion, 'empty.ts'], exit: 10 },
    { what: 'a folder', args: [...create, 'folder'], exit: 2 },
    { what: 'two files', args: [...newVersion, 'a.ts', 'empty.ts'], exit: 2 },
  ])('given $what, exit $exit and send nothing', async ({ args, input, exit }) => {
    const service = await scriptedService([]);
    const cwd = folderOf({ 'a.ts': 'a', 'empty.ts': '', 'folder/b.ts': 'b' });
    const result = await run([...args, '--json'], { env: service.env, cwd, input });
    expect(result).toMatchObject({ exit, stdout: '', error: { exit } });
    expect(service.requests).toEqual([]);
  });

  it.each<{ what: string; args: string[]; exit: number }>([
    { what: 'a readme that is not there', args: ['hello', 'a.ts', '--readme', 'gone.md'], exit: 10 },
    { what: 'standard input twice', args: ['hello', '-', '--readme', '-'], exit: 2 },
  ])('$what: exit $exit, and nothing is sent', async ({ args, exit }) => {
    const service = await scriptedService([]);
    const cwd = folderOf({ 'a.ts': 'a' });
    const result = await run(['val', 'create', ...args], { env: service.env, cwd, input: 'code' });
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(service.requests).toEqual([]);
  });

  it('send the readme byte for byte, also from standard input', async () => {
    const service = await scriptedService([], () => ({ body: {} }));
    const cwd = folderOf({ 'a.ts': 'a' });
    const readme = '\ufeff# Title\r\n\u0000';
    const args = ['val', 'create', 'hello', 'a.ts', '--readme', '-'];
    expect(await run(args, { env: service.env, cwd, input: readme })).toMatchObject({ exit: 0 });
    expect(service.requests.map(sent)).toEqual([{ name: 'hello', code: 'a', readme }]);
  });

  it('send nothing if they are interrupted while code is typed', async () => {
    const service = await scriptedService([]);
    const { interrupt, result } = interruptible(['val', 'create', 'hello', '--json'], service.env);
    let begun = false;
    const input = new Readable({
      read() {
        if (begun) return interrupt();
        begun = true;
        this.push('export default');
      },
    });
    const { exit, stdout, stderr } = await result({ input });
    expect({ exit, stdout }).toEqual({ exit: 130, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 130 } });
  });
});

it('val get at a terminal shows what a person asks for, and the code', async () => {
  const { env, edit, val } = await startStrict();
  const { id } = edit('hello', 'export default 1;\n\u001b[2J');
  val('hello').readme = 'Says hello.\nAt length.';
  const { screen } = await runOnScreen(['val', 'get', id, '--no-color'], { env, columns: 60 });
  const [name, privacy, version, changed, by, whole, readme, empty, ...code] = screen.split('\r\n');
  expect([name, privacy, version, by, readme].map((line) => line?.split(/ {2,}/))).toEqual([
    ['name', 'hello'],
    ['privacy', 'private'],
    ['version', '1'],
    ['by', 'ada'],
    ['readme', 'Says hello.'],
  ]);
  expect(changed).toMatch(/^changed +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
  expect(whole).toMatch(new RegExp(`^id +${id}$`));
  expect([empty, ...code]).toEqual(['', 'export default 1;', '\\u001b[2J', '']);
});
