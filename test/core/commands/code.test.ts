import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { folderOf, run, runOnScreen } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { usualFields } from '../../support/strict/switches.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id, interruptible, outcomes, sent } from './pushes.ts';

it('code is sent byte for byte, with special characters and a number that JavaScript would round', async () => {
  const code =
    '\ufeffa\u0000b\u001b[2J\u007f\u009b\u2028\r\n😀👩‍👩‍👧‍👦\uffff\u{10ffff} "\\"\\\\\\u0041`$ 12345678901234567890 1.0 ';
  const service = await scriptedService([], () => ({ body: {} }));
  const input = Buffer.from(code);
  const cwd = folderOf({ 'a.ts': input });
  const results = await Promise.all(
    [
      ['push', 'a.ts'],
      ['push', '-', '--name', 'a'],
      ['val', 'create', 'a'],
      ['version', 'new', id, 'a.ts'],
    ].map((args) => run([...args, '--no-check', '--json'], { env: service.env, cwd, input })),
  );
  expect(results.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
  const bytes = service.requests.map((seen) => Buffer.from(sent(seen).code).toString('hex'));
  expect(bytes).toEqual(Array(4).fill(input.toString('hex')));
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

it('a push sends nothing at all because of files that cannot be used, and names all of them', async () => {
  const cwd = folderOf({ 'a.ts': 'a', 'empty.ts': '', 'bytes.ts': new Uint8Array([0x61, 0xff, 0x62]) });
  const service = await scriptedService([]);
  const args = ['push', 'a.ts', 'empty.ts', 'bytes.ts', 'gone.ts'];
  const { exit, stdout, error } = await run([...args, '--json'], { env: service.env, cwd });
  expect({ exit, error }).toMatchObject({ exit: 10, error: { kind: 'local' } });
  const failed = { status: 'failed', error: expect.objectContaining({ kind: 'local', exit: 10 }) };
  expect(outcomes(stdout)).toEqual([
    { file: 'a.ts', name: 'a', status: 'skipped' },
    ...['empty', 'bytes', 'gone'].map((name) => ({ file: `${name}.ts`, name, ...failed })),
  ]);
  const dry = await run([...args, '--dry-run'], { cwd });
  expect(dry).toMatchObject({
    exit: 10,
    stdout:
      'skipped\ta\t\t\ta.ts\nfailed\tempty\t\t\tempty.ts\nfailed\tbytes\t\t\tbytes.ts\nfailed\tgone\t\t\tgone.ts\n',
  });
  for (const file of args.slice(2)) expect(dry.stderr).toContain(file);
  expect(service.requests).toEqual([]);
});

describe('val create and version new', () => {
  it.each<{ what: string; args: string[]; exit: number }>([
    { what: 'a file that is not there', args: ['gone.ts'], exit: 10 },
    { what: 'a folder', args: ['folder'], exit: 2 },
    { what: 'an empty file', args: ['empty.ts'], exit: 10 },
    { what: 'bytes on standard input', args: [], exit: 10 },
    { what: 'a readme that is not there', args: ['a.ts', '--readme', 'gone.md'], exit: 10 },
    { what: 'standard input twice', args: ['-', '--readme', '-'], exit: 2 },
  ])('given $what, exit $exit and send nothing', async ({ args, exit }) => {
    const service = await scriptedService([]);
    const cwd = folderOf({ 'a.ts': 'a', 'empty.ts': '', 'folder/b.ts': 'b' });
    const input = new Uint8Array([0xff]);
    const result = await run(['val', 'create', 'hello', ...args, '--json'], { env: service.env, cwd, input });
    expect(result).toMatchObject({ exit, stdout: '', error: { exit } });
    expect(service.requests).toEqual([]);
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
  const { env, edit, val, switches } = await startStrict(usualFields);
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
  Object.assign(switches, { version: false, times: false, authors: false });
  const bare = await runOnScreen(['val', 'get', id, '--no-color'], { env, columns: 60 });
  const lines = [/^name +hello/, /^privacy +private/, /^version +1$/, /^id /, /^readme /, /^$/];
  for (const [index, line] of lines.entries()) expect(bare.screen.split('\r\n')[index]).toMatch(line);
});

it('val get does not take the owner of a val for who made its version', async () => {
  const body = { id: id, name: 'hello', code: 'code', version: 1, author: { id: 'u1', username: 'ada' } };
  const { env } = await scriptedService([{ body }]);
  const { screen } = await runOnScreen(['val', 'get', id, '--no-color'], { env });
  expect(screen.split('\r\n').map((line) => line.split(' ')[0])).toEqual([
    'name',
    'version',
    'id',
    '',
    'code',
    '',
  ]);
});

it('val get without a token shows a public val, where nobody else may list its versions', async () => {
  const { baseUrl, edit, val } = await startStrict();
  const { id } = edit('hello', 'code');
  val('hello').privacy = 'public';
  const options = { env: { VALS_BASE_URL: baseUrl } };
  expect(await run(['val', 'get', id], options)).toEqual(
    expect.objectContaining({ exit: 0, stdout: `hello\tpublic\t\t\t\t\t${id}\n`, stderr: '' }),
  );
});
