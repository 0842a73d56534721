// Writing: push with its files, folders, order, parallelism and failures; create, new and rm beside it.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { type InProcessOptions, inProcess } from '../support/in-process.ts';
import { environment, run, runOnScreen, temporaryFolder } from '../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const [a, b, c] = ['a', 'b', 'c'].map((letter) => id.replace(/^./, letter)) as [string, string, string];

interface Outcome {
  file: string;
  name: string;
  status: string;
  id?: string;
  version?: number;
  error?: Record<string, unknown>;
}

/** A folder with these files in it. */
function tree(files: Record<string, string | Uint8Array>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
const vals = (...names: string[]): string =>
  tree(Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
const wordsOf = (text = ''): string[] => text.split(' ').filter(Boolean);
const filesOf = (some: string[], others: string[], more: Record<string, string> = {}): string =>
  tree({ ...Object.fromEntries([...some, ...others].map((file) => [file, 'code'])), ...more });

const sent = (seen: Seen): { name: string; code: string } => JSON.parse(seen.body);
const names = (requests: readonly Seen[]): string[] => requests.map((seen) => sent(seen).name);
const outcomes = (stdout: string): Outcome[] => JSON.parse(stdout);
const statuses = (stdout: string): string[] => outcomes(stdout).map(({ status }) => status);
const made = (seen: Seen): Reply => ({ status: 201, body: { id: `id-${sent(seen).name}`, version: 1 } });
/** By the val's name; all others are created. */
const repliesTo =
  (replies: Record<string, Reply>) =>
  (seen: Seen): Reply =>
    replies[sent(seen).name] ?? made(seen);

/** A command, and the signal that ends it. */
function interruptible(args: string[], env: Record<string, string>, cwd = temporaryFolder()) {
  const interruption = new AbortController();
  const interrupt = (exit = 130) => interruption.abort(new InterruptedError(exit));
  const result = (more: Partial<InProcessOptions> = {}) =>
    inProcess(args, { env: environment(cwd, env), cwd, signal: interruption.signal, ...more });
  return { interrupt, result };
}

describe('which vals a path is', () => {
  /** Files apart by spaces; those left out lie there too. */
  const cases: { what: string; paths: string; pushed: Record<string, string>; left?: string }[] = [
    {
      what: 'files: their names without the extension',
      paths: 'c.js sub/b.test.mjs ./a.ts README',
      pushed: { 'c.js': 'c', 'sub/b.test.mjs': 'b.test', './a.ts': 'a', README: 'README' },
    },
    {
      what: 'a folder: its code files, and those of the folders below',
      paths: 'v',
      pushed: {
        ...{ 'v/a.ts': 'a', 'v/b.tsx': 'b', 'v/c/d/e.mts': 'e' },
        ...{ 'v/c/f.js': 'f', 'v/g.jsx': 'g', 'v/h.mjs': 'h' },
      },
      left: 'other.ts',
    },
    {
      what: 'a folder: nothing but code',
      paths: 'v',
      pushed: { 'v/a.ts': 'a' },
      left: 'v/a.json v/b.d.ts v/c.d.mts v/d.ts.bak v/e.css v/f.TS v/ts v/g.cjs',
    },
    {
      what: 'a folder: no dot-folders and no node_modules, at any depth',
      paths: 'v/',
      pushed: { 'v/a.ts': 'a' },
      left: 'v/.git/b.ts v/.vals/c.ts v/node_modules/d.ts v/e/node_modules/x/f.ts v/e/.g/h.ts',
    },
    { what: 'this folder', paths: '.', pushed: { 'a.ts': 'a', 'b/c.ts': 'c' } },
    {
      what: 'files and folders in the order of the arguments',
      paths: 'z.ts v c.ts',
      pushed: { 'z.ts': 'z', 'v/a.ts': 'a', 'v/b.ts': 'b', 'c.ts': 'c' },
    },
    {
      what: 'a file in a folder that is given too: once',
      paths: 'v v/b.ts',
      pushed: { 'v/a.ts': 'a', 'v/b.ts': 'b' },
    },
    { what: 'a declaration that is named on its own', paths: 'a.d.ts', pushed: { 'a.d.ts': 'a.d' } },
  ];
  it.each(cases)('$what', async ({ paths, pushed, left }) => {
    const cwd = filesOf(Object.keys(pushed), wordsOf(left));
    const { exit, stdout } = await run(['push', ...wordsOf(paths), '--dry-run', '--json'], { cwd });
    expect(exit).toBe(0);
    expect(outcomes(stdout)).toEqual(
      Object.entries(pushed).map(([file, name]) => ({ file, name, status: 'planned' })),
    );
  });

  const ignoring: {
    what: string;
    rules: Record<string, string>;
    path?: string;
    pushed: string;
    left?: string;
  }[] = [
    {
      what: '.gitignore: names, folders, patterns, comments',
      rules: { 'v/.gitignore': '# b.ts\nname.ts\n/top.ts\nbuild/\n*.test.ts\n\n**/gen/**\n' },
      pushed: 'v/b.ts v/other/top.ts',
      left: 'v/name.ts v/sub/name.ts v/top.ts v/build/c.ts v/sub/build/d.ts v/e.test.ts v/sub/gen/x/f.ts',
    },
    {
      what: '.gitignore: what comes last counts, and ! takes back',
      rules: { 'v/.gitignore': '*.ts\n!keep.ts\nkeep.ts\n!kept.ts\n' },
      pushed: 'v/kept.ts',
      left: 'v/a.ts v/keep.ts',
    },
    {
      what: '.gitignore: what is in an ignored folder cannot be taken back',
      rules: { 'v/.gitignore': 'build/\n!build/keep.ts\n' },
      pushed: 'v/a.ts',
      left: 'v/build/keep.ts',
    },
    {
      what: '.gitignore: a folder whose files are ignored, one of them not',
      rules: { 'v/.gitignore': 'build/*\n!build/keep.ts\n' },
      pushed: 'v/build/keep.ts',
      left: 'v/build/a.ts',
    },
    {
      what: '.gitignore with CRLF and spaces',
      rules: { 'v/.gitignore': 'a.ts\r\nb.ts  \r\n\r\n' },
      pushed: 'v/c.ts',
      left: 'v/a.ts v/b.ts',
    },
    {
      what: '.gitignore: large and small letters differ, as in git',
      rules: { 'v/.gitignore': 'Draft.ts\n' },
      pushed: 'v/draft.ts',
      left: 'v/sub/Draft.ts',
    },
    {
      what: '.valsignore, alone and after .gitignore',
      rules: { 'v/.gitignore': '*.gen.ts\n', 'v/.valsignore': 'b.ts\n!keep.gen.ts\n' },
      pushed: 'v/a.ts v/keep.gen.ts',
      left: 'v/b.ts v/c.gen.ts',
    },
    {
      what: 'rules of a folder below: they count there, and come after those above',
      rules: {
        'v/.gitignore': 'x.ts\n',
        'v/sub/.gitignore': '!x.ts\n/y.ts\n',
        'v/sub/deep/.valsignore': 'z.ts\n',
      },
      pushed: 'v/sub/deep/y2.ts v/sub/x.ts v/y.ts',
      left: 'v/x.ts v/sub/y.ts v/sub/deep/z.ts',
    },
    {
      what: 'rules above the folder, up to the top of the repository',
      rules: {
        '.gitignore': 'above.ts\n',
        'repo/.git/HEAD': 'x',
        'repo/.gitignore': 'top.ts\nv/path.ts\n/anchored.ts\n',
        'repo/p/.valsignore': 'middle.ts\n',
      },
      path: 'repo/p/v',
      pushed: 'repo/p/v/above.ts repo/p/v/anchored.ts repo/p/v/path.ts',
      left: 'repo/p/v/top.ts repo/p/v/middle.ts',
    },
    {
      what: 'rules above the folder, by their path from there',
      rules: { 'repo/.git/HEAD': 'x', 'repo/.gitignore': 'p/v/path.ts\n/p/v/deep/\n' },
      path: 'repo/p/v',
      pushed: 'repo/p/v/b.ts',
      left: 'repo/p/v/path.ts repo/p/v/deep/a.ts',
    },
    {
      what: 'rules above the folder in a worktree, whose .git is a file',
      rules: { '.git': 'gitdir: elsewhere', '.gitignore': 'a.ts\n' },
      pushed: 'v/b.ts',
      left: 'v/a.ts',
    },
    {
      what: 'rules above a folder that is itself the top of a repository: none',
      rules: { '.git/HEAD': 'x', '.gitignore': 'a.ts\n', 'v/.git/HEAD': 'x' },
      pushed: 'v/a.ts v/b.ts',
    },
  ];
  it.each(ignoring)('$what', async ({ rules, path = 'v', pushed, left }) => {
    const cwd = filesOf(wordsOf(pushed), wordsOf(left), rules);
    const { exit, stdout } = await run(['push', path, '--dry-run', '--json'], { cwd });
    expect(exit).toBe(0);
    expect(outcomes(stdout).map(({ file }) => file)).toEqual(wordsOf(pushed));
  });

  it('a file that is named is pushed, whatever ignores it', async () => {
    const cwd = tree({ '.gitignore': '*\n', 'a.ts': 'a', 'node_modules/b.ts': 'b' });
    const { stdout } = await run(['push', 'a.ts', 'node_modules/b.ts', '--dry-run', '--json'], { cwd });
    expect(statuses(stdout)).toEqual(['planned', 'planned']);
  });

  it('a link in a folder is not followed, and that is said; one that is named is', async () => {
    const cwd = tree({ 'v/a.ts': 'a', 'secret.ts': 'secret', 'w/b.ts': 'b' });
    symlinkSync('../secret.ts', join(cwd, 'v', 'link.ts'));
    symlinkSync('../w', join(cwd, 'v', 'linked'));
    symlinkSync('.', join(cwd, 'v', 'circle'));
    const folder = await run(['push', 'v', '--dry-run', '--json'], { cwd });
    expect(outcomes(folder.stdout).map(({ file }) => file)).toEqual(['v/a.ts']);
    expect(folder.stderr).toContain('link.ts');
    const named = await run(['push', 'v/link.ts', '--dry-run', '--json'], { cwd });
    expect(outcomes(named.stdout)).toEqual([{ file: 'v/link.ts', name: 'link', status: 'planned' }]);
  });

  it('standard input with --name', async () => {
    const service = await scriptedService([], made);
    const args = ['push', '-', '--name', 'hello', '--json'];
    const { exit, stdout } = await run(args, { env: service.env, input: 'export default 1' });
    expect(exit).toBe(0);
    expect(outcomes(stdout)).toEqual([
      { file: '-', name: 'hello', status: 'created', id: 'id-hello', version: 1 },
    ]);
    expect(service.requests.map(sent)).toEqual([{ name: 'hello', code: 'export default 1' }]);
  });

  it('one file with --name', async () => {
    const service = await scriptedService([], made);
    const result = await run(['val', 'push', 'a.ts', '--name', 'hello'], {
      env: service.env,
      cwd: vals('a'),
    });
    expect(result).toMatchObject({ exit: 0, stdout: 'created\thello\t1\tid-hello\ta.ts\n' });
    expect(service.requests.map(sent)).toEqual([{ name: 'hello', code: 'a' }]);
  });

  it.each<{ what: string; args: string[] }>([
    { what: 'no path', args: [] },
    { what: 'standard input without a name', args: ['-'] },
    { what: 'standard input among files', args: ['a.ts', '-'] },
    { what: '--name with several files', args: ['a.ts', 'b.ts', '--name', 'x'] },
    { what: '--name with a folder of several', args: ['v', '--name', 'x'] },
    { what: '--name without a path', args: ['--name', 'x'] },
    { what: 'two files with one name', args: ['a.ts', 'b.ts', 'v/a.ts'] },
    { what: 'one name with two extensions', args: ['a.ts', 'a.js'] },
    { what: 'one name twice below a folder', args: ['twins'] },
    { what: 'one name in two folders', args: ['v', 'twins/x'] },
    { what: 'a folder without code', args: ['empty'] },
    { what: 'an empty path', args: [''] },
    { what: 'an empty path among others', args: ['a.ts', ''] },
    { what: 'no requests at a time', args: ['a.ts', '--concurrency', '0'] },
    { what: 'half a request at a time', args: ['a.ts', '--concurrency', '1.5'] },
  ])('$what is refused, and nothing is sent', async ({ args }) => {
    const code = wordsOf('a.ts a.js b.ts v/a.ts v/c.ts twins/x/a.ts twins/y/a.ts empty/notes.txt');
    const cwd = filesOf(code, []);
    const service = await scriptedService([]);
    const [plain, dry] = await Promise.all([
      run(['push', ...args, '--json'], { env: service.env, cwd, input: 'code' }),
      run(['push', ...args, '--dry-run', '--json'], { cwd, input: 'code' }),
    ]);
    expect(plain).toMatchObject({ exit: 2, error: { kind: 'usage', exit: 2 } });
    expect(dry).toMatchObject({ exit: 2, error: { kind: 'usage', exit: 2 } });
    expect(service.requests).toEqual([]);
  });
});

describe('what cannot be sent stops a push before it began', () => {
  const bad: { what: string; make: (file: string) => void }[] = [
    { what: 'missing', make: () => {} },
    { what: 'empty', make: (file) => writeFileSync(file, '') },
    { what: 'not UTF-8', make: (file) => writeFileSync(file, new Uint8Array([0x61, 0xff, 0x62])) },
    { what: 'half a character', make: (file) => writeFileSync(file, Buffer.from('ok €').subarray(0, -1)) },
    { what: 'UTF-16', make: (file) => writeFileSync(file, Buffer.from('\ufeffcode', 'utf16le')) },
    { what: 'a link to nothing', make: (file) => symlinkSync('nowhere', file) },
    { what: 'a link to itself', make: (file) => symlinkSync('bad.ts', file) },
    { what: 'below a file', make: (file) => writeFileSync(dirname(file), '') },
    { what: 'unreadable', make: (file) => symlinkSync('/proc/self/mem', file) },
  ];
  it.each(bad)('a file that is $what', async ({ what, make }) => {
    if (what === 'unreadable' && process.platform !== 'linux') return;
    const cwd = vals('a', 'c');
    const file = what === 'below a file' ? 'x/bad.ts' : 'bad.ts';
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

  it.skipIf(process.getuid?.() === 0)('a file or a folder that others keep to themselves', async () => {
    const cwd = tree({ 'a.ts': 'a', 'v/b.ts': 'b' });
    chmodSync(join(cwd, 'a.ts'), 0);
    chmodSync(join(cwd, 'v'), 0);
    const service = await scriptedService([]);
    expect(await run(['push', 'a.ts'], { env: service.env, cwd })).toMatchObject({ exit: 10 });
    expect(await run(['push', 'v'], { env: service.env, cwd })).toMatchObject({ exit: 10 });
    chmodSync(join(cwd, 'v'), 0o700);
  });

  it.each([
    ['empty', ''],
    ['not UTF-8', new Uint8Array([0xc3, 0x28])],
  ])('standard input that is %s', async (_what, input) => {
    const service = await scriptedService([]);
    const result = await run(['push', '-', '--name', 'x', '--json'], { env: service.env, input });
    expect(result).toMatchObject({ exit: 10, error: { kind: 'local' } });
    expect(statuses(result.stdout)).toEqual(['failed']);
  });

  it('several at once: all are named, and the exit code is theirs', async () => {
    const cwd = tree({ 'a.ts': 'a', 'b.ts': '' });
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

describe('code goes byte for byte', () => {
  const texts: [string, string][] = [
    ['NUL and control characters', 'a\u0000b\u001b[2J\u007f\u009b\u2028'],
    ['a byte order mark', '\ufeffexport default 1'],
    ['CRLF', 'a\r\nb\r\n'],
    ['no newline at the end', 'a\nb'],
    ['only a newline', '\n'],
    ['only spaces', ' \t '],
    ['astral characters', '𝒳😀👩‍👩‍👧‍👦'],
    ['quotes and backslashes', '"\\"\\\\\\u0041`$'],
    ['noncharacters', '\uffff\ufffe\u{10ffff}'],
    ['a JSON number that JavaScript would round', '12345678901234567890 1.0'],
  ];
  it.each(texts)('%s', async (_what, code) => {
    const service = await scriptedService([], () => ({ body: {} }));
    const cwd = tree({ 'a.ts': Buffer.from(code) });
    const input = Buffer.from(code);
    const results = await Promise.all([
      run(['push', 'a.ts'], { env: service.env, cwd }),
      run(['push', '-', '--name', 'a'], { env: service.env, input }),
      run(['val', 'create', 'a'], { env: service.env, input }),
      run(['version', 'new', id, 'a.ts'], { env: service.env, cwd }),
    ]);
    expect(results.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
    const bytes = service.requests.map((seen) => Buffer.from(sent(seen).code).toString('hex'));
    expect(bytes).toEqual(bytes.map(() => input.toString('hex')));
    expect(bytes).toHaveLength(4);
  });

  it('a megabyte of it, with a warning that the service may refuse it', async () => {
    const code = 'é'.repeat(500_000);
    const service = await scriptedService([{ status: 413 }]);
    const { exit, stderr } = await run(['push', 'a.ts'], { env: service.env, cwd: tree({ 'a.ts': code }) });
    expect(exit).toBe(6);
    expect(stderr).toContain('warning:');
    expect(service.requests.map((seen) => sent(seen).code === code)).toEqual([true]);
  });

  it('with one warning about imports of files, which a val does not have beside it', async () => {
    const folder = tree({
      'a.ts': "import { x } from './lib.ts';\nexport default x;",
      'b.ts': "export * from '../b.ts';",
      'c.ts': "import './side-effect.ts';",
      'd.ts': "import {\n  y,\n} from\n  './lines.ts';",
      'fine.ts': [
        "import type { T } from './types.ts';",
        "import fs from 'node:fs';",
        "// import x from './comment.ts'",
        "console.log('from', './text');",
      ].join('\n'),
    });
    const service = await scriptedService([], made);
    const { exit, stderr } = await run(['push', folder], { env: service.env, cwd: folder });
    expect({ exit, lines: stderr.trimEnd().split('\n') }).toEqual({
      exit: 0,
      lines: [
        expect.stringMatching(/^warning: .*a\.ts imports \.\/lib\.ts, .* 3 more files have such imports\./),
      ],
    });
  });

  it('under a name that the service may refuse, with a warning', async () => {
    const service = await scriptedService([{ body: {} }]);
    const { exit, stderr } = await run(['push', 'my-val.ts'], { env: service.env, cwd: vals('my-val') });
    expect(exit).toBe(0);
    expect(stderr).toContain('my-val');
    expect(names(service.requests)).toEqual(['my-val']);
  });
});

describe('what came of it', () => {
  it('is unchanged outside of a workspace, if the service answers with the version that was known', async () => {
    const { env } = await serviceInProcess();
    const folder = tree({ 'a.ts': 'a', 'b.ts': 'b' });
    const home = temporaryFolder();
    const push = async (from = home) =>
      statuses((await run(['push', 'a.ts', 'b.ts', '--json'], { env, cwd: folder, home: from })).stdout);
    expect(await push()).toEqual(['created', 'created']);
    expect(await push()).toEqual(['unchanged', 'unchanged']);
    writeFileSync(join(folder, 'b.ts'), 'b2');
    expect(await push()).toEqual(['unchanged', 'pushed']);
    // Another machine knew no version.
    expect(await push(temporaryFolder())).toEqual(['pushed', 'pushed']);
  });

  it.each<[what: string, reply: Reply, outcome: object]>([
    ['201', { status: 201, body: { id, version: 1 } }, { status: 'created', id, version: 1 }],
    ['200', { body: { id, version: 0 } }, { status: 'pushed', id, version: 0 }],
    ['204', { status: 204 }, { status: 'pushed' }],
    ['200 with nothing', {}, { status: 'pushed' }],
    ['nulls', { body: { id: null, version: null } }, { status: 'pushed' }],
    ['a val without a version', { body: { id, code: 'x' } }, { status: 'pushed', id }],
  ])('%s', async (_what, reply, outcome) => {
    const service = await scriptedService([reply]);
    const args = ['push', 'a.ts', '--json'];
    const { exit, stdout, stderr } = await run(args, { env: service.env, cwd: vals('a') });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toBe(`${JSON.stringify([{ file: 'a.ts', name: 'a', ...outcome }])}\n`);
  });

  it('keeps the digits of a version', async () => {
    const service = await scriptedService([{ body: `{"id":"${id}","version":12345678901234567890}` }]);
    const { stdout } = await run(['push', 'a.ts', '--json'], { env: service.env, cwd: vals('a') });
    expect(stdout).toContain('"version":12345678901234567890}');
  });

  it('is tab-separated in a pipe, a record a line with --ndjson', async () => {
    const service = await scriptedService([], made);
    const { env } = service;
    const cwd = vals('a', 'b');
    expect(await run(['push', 'a.ts', 'b.ts'], { env, cwd })).toMatchObject({
      exit: 0,
      stdout: 'created\ta\t1\tid-a\ta.ts\ncreated\tb\t1\tid-b\tb.ts\n',
      stderr: '',
    });
    expect((await run(['push', 'a.ts', '--ndjson'], { env, cwd })).stdout).toBe(
      '{"file":"a.ts","name":"a","status":"created","id":"id-a","version":1}\n',
    );
    expect((await run(['push', 'a.ts', '--fields', 'name,status'], { env, cwd })).stdout).toBe(
      'a\tcreated\n',
    );
  });

  it('comes in the order of the arguments, whatever the order of the answers', async () => {
    const all = ['e', 'a', 'd', 'b', 'c'];
    const waiting: [ServerResponse, Seen][] = [];
    const service = await scriptedService([], () => (response, seen) => {
      waiting.push([response, seen]);
      if (waiting.length < all.length) return;
      for (const [held, asked] of waiting.reverse()) {
        held.writeHead(sent(asked).name === 'd' ? 400 : 201).end(JSON.stringify({ id: sent(asked).name }));
      }
    });
    const args = ['push', ...all.map((name) => `${name}.ts`), '--json'];
    const { exit, stdout } = await run(args, { env: service.env, cwd: vals(...all) });
    expect(exit).toBe(9);
    expect(outcomes(stdout).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'e created',
      'a created',
      'd failed',
      'b created',
      'c created',
    ]);
  });
});

describe('--concurrency', () => {
  it.each([
    { flag: [], most: 8, total: 24 },
    { flag: ['--concurrency', '1'], most: 1, total: 4 },
    { flag: ['--concurrency', '3'], most: 3, total: 12 },
    { flag: ['--concurrency', '16'], most: 16, total: 32 },
    { flag: ['--concurrency', '50'], most: 6, total: 6 },
  ])('$flag: $most at a time, neither more nor fewer', async ({ flag, most, total }) => {
    const all = Array.from({ length: total }, (_, index) => `val${index}`);
    let held: ServerResponse[] = [];
    let highest = 0;
    const service = await scriptedService([], () => (response) => {
      held.push(response);
      highest = Math.max(highest, held.length);
      if (held.length !== most) return;
      // One more than allowed would arrive meanwhile.
      setTimeout(() => {
        const answered = held;
        held = [];
        for (const each of answered) each.writeHead(201).end('{}');
      }, 60);
    });
    const { exit, stdout } = await run(['push', '.', ...flag, '--json'], {
      env: service.env,
      cwd: vals(...all),
    });
    expect(exit).toBe(0);
    expect(outcomes(stdout)).toHaveLength(total);
    expect(highest).toBe(most);
    expect(names(service.requests).toSorted()).toEqual(all.toSorted());
  });

  it.each([1, 4])('%i needs no more connections than that', async (most) => {
    const all = Array.from({ length: most * 5 }, (_, index) => `val${index}`);
    const ports = new Set<number | undefined>();
    const service = await scriptedService([], () => (response) => {
      ports.add(response.socket?.remotePort);
      setTimeout(() => response.writeHead(201).end('{}'), 20);
    });
    const args = ['push', '.', '--concurrency', `${most}`];
    expect(await run(args, { env: service.env, cwd: vals(...all) })).toMatchObject({ exit: 0 });
    expect(service.requests).toHaveLength(most * 5);
    expect(ports.size).toBe(most);
  });
});

describe('failures', () => {
  const refused: Reply = { status: 400, body: { message: 'bad code' } };

  it.each<[what: string, statuses: number[], exit: number, kind: string]>([
    ['one of four', [201, 400, 201, 201], 9, 'partial'],
    ['all but one', [400, 400, 201, 400], 9, 'partial'],
    ['all, alike', [400, 422, 400, 400], 6, 'refused'],
    ['all, in two ways', [400, 404, 400, 400], 9, 'partial'],
    ['all as conflicts', [409, 412, 409, 409], 5, 'conflict'],
    ['one with an answer that makes no sense', [201, 201, 200, 201], 9, 'partial'],
  ])('%s: %j, exit %i', async (_what, given, exit, kind) => {
    const all = ['a', 'b', 'c', 'd'];
    const replies = all.map((name, index): [string, Reply] => {
      const status = given[index] ?? 0;
      return [name, { status, body: status === 200 ? '<html>' : {} }];
    });
    const service = await scriptedService([], repliesTo(Object.fromEntries(replies)));
    const result = await run(['push', '.', '--json'], { env: service.env, cwd: vals(...all) });
    expect(result).toMatchObject({ exit, error: { kind, exit } });
    expect(statuses(result.stdout)).toEqual(given.map((status) => (status === 201 ? 'created' : 'failed')));
    expect(names(service.requests).toSorted()).toEqual(all);
  });

  it('say what happened to each, under its own error', async () => {
    const service = await scriptedService([], repliesTo({ b: refused }));
    const { stdout } = await run(['push', 'a.ts', 'b.ts', '--json'], {
      env: service.env,
      cwd: vals('a', 'b'),
    });
    const [fine, failed] = outcomes(stdout);
    expect(fine).toEqual({ file: 'a.ts', name: 'a', status: 'created', id: 'id-a', version: 1 });
    expect(failed).toEqual({
      file: 'b.ts',
      name: 'b',
      status: 'failed',
      error: {
        kind: 'refused',
        exit: 6,
        message: expect.stringContaining('bad code'),
        hint: expect.any(String),
        status: 400,
        method: 'PUT',
        path: '/v1/vals',
        body: { message: 'bad code' },
      },
    });
    expect(Object.keys(failed ?? {})).toEqual(['file', 'name', 'status', 'error']);
  });

  it('say it on stderr, where no JSON was asked for', async () => {
    const service = await scriptedService([], repliesTo({ b: refused }));
    const { exit, stdout, stderr } = await run(['push', 'a.ts', 'b.ts'], {
      env: service.env,
      cwd: vals('a', 'b'),
    });
    expect({ exit, stdout }).toEqual({ exit: 9, stdout: 'created\ta\t1\tid-a\ta.ts\nfailed\tb\t\t\tb.ts\n' });
    expect(stderr).toMatch(/b\.ts.*bad code/);
  });

  it('of one file alone are that error', async () => {
    const service = await scriptedService([refused]);
    const result = await run(['push', 'a.ts', '--json'], { env: service.env, cwd: vals('a') });
    expect(result).toMatchObject({ exit: 6, error: { kind: 'refused', body: { message: 'bad code' } } });
    expect(statuses(result.stdout)).toEqual(['failed']);
  });

  it.each([401, 403])('of the token (%i) stop the rest', async (status) => {
    const service = await scriptedService([{ status }]);
    const args = ['push', '.', '--concurrency', '1', '--json'];
    const result = await run(args, { env: service.env, cwd: vals('a', 'b', 'c') });
    expect(result).toMatchObject({ exit: 4, error: { kind: 'auth', exit: 4 } });
    expect(statuses(result.stdout)).toEqual(['failed', 'skipped', 'skipped']);
    expect(outcomes(result.stdout)[1]).toEqual({ file: 'b.ts', name: 'b', status: 'skipped' });
    expect(service.requests).toHaveLength(1);
  });

  it('of the token in several requests at once are one kind', async () => {
    const service = await scriptedService([], () => ({ status: 401 }));
    const args = ['push', '.', '--concurrency', '3', '--json'];
    const result = await run(args, { env: service.env, cwd: vals('a', 'b', 'c', 'd', 'e') });
    expect(result).toMatchObject({ exit: 4, error: { kind: 'auth', exit: 4 } });
    expect(statuses(result.stdout)).toEqual(['failed', 'failed', 'failed', 'skipped', 'skipped']);
  });

  it('of the token after something was done are partial', async () => {
    const service = await scriptedService([{ status: 201, body: {} }, { status: 401 }]);
    const args = ['push', '.', '--concurrency', '1', '--json'];
    const result = await run(args, { env: service.env, cwd: vals('a', 'b', 'c') });
    expect(result).toMatchObject({ exit: 9, error: { kind: 'partial' } });
    expect(statuses(result.stdout)).toEqual(['created', 'failed', 'skipped']);
  });
});

describe('in GitHub Actions', () => {
  const files = ['50%.ts', 'a,b.ts', 'c:d.ts', 'line\nbreak.ts', 'fine.ts'];
  const message = '100% wrong: this,\nand that\r\n::error::forged';

  it('each failed file has an annotation, in which nothing can be forged', async () => {
    const cwd = tree(Object.fromEntries(files.map((file) => [file, 'code'])));
    const replies = Object.fromEntries(
      files
        .slice(0, 4)
        .map((file): [string, Reply] => [file.replace(/\.ts$/, ''), { status: 400, body: { message } }]),
    );
    const service = await scriptedService([], repliesTo(replies));
    const env = { ...service.env, GITHUB_ACTIONS: 'true' };
    const { exit, stderr, error } = await run(['push', ...files, '--json'], { env, cwd });
    expect(exit).toBe(9);
    expect(error).toMatchObject({ kind: 'partial' });
    const annotations = stderr.split('\n').filter((line) => line.startsWith('::'));
    const properties = annotations.map((line) => /^::error file=([^:,]*)::(.*)$/.exec(line));
    expect(properties.map((match) => decodeURIComponent(match?.[1] ?? '')).toSorted()).toEqual(
      files.slice(0, 4).toSorted(),
    );
    for (const match of properties) {
      expect(match?.[2]).toContain('100%25 wrong');
      expect(match?.[2]).not.toMatch(/%(?!25|0A|0D)/);
    }
  });

  it.each([
    { what: 'a file that is not there', args: ['push', 'a.ts', 'gone.ts'] },
    { what: 'one alone', args: ['push', 'gone.ts', '--quiet'] },
  ])('$what is annotated too', async ({ args }) => {
    const { exit, stderr } = await run(args, { env: { GITHUB_ACTIONS: 'true' }, cwd: vals('a') });
    expect(exit).toBe(10);
    expect(stderr.split('\n').filter((line) => line.startsWith('::'))).toEqual([
      expect.stringMatching(/^::error file=gone\.ts::.*gone\.ts/),
    ]);
  });

  it('is named as GitHub finds it, from the top of the checkout', async () => {
    const cwd = vals('a');
    const annotation = async (GITHUB_WORKSPACE: string) => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE };
      return /^::error file=(.*)::/m.exec((await run(['push', './gone.ts'], { env, cwd })).stderr)?.[1];
    };
    expect(await annotation(dirname(cwd))).toBe(`${basename(cwd)}/gone.ts`);
    expect(await annotation(join(cwd, 'elsewhere'))).toBe('./gone.ts');
  });

  it.each([undefined, 'false', ''])('only: not with GITHUB_ACTIONS=%s', async (word) => {
    const { stderr } = await run(['push', 'gone.ts'], { env: { GITHUB_ACTIONS: word } });
    expect(stderr).not.toContain('::');
  });
});

describe('--dry-run', () => {
  it('sends nothing and needs no settings', async () => {
    const cwd = vals('a', 'b');
    const result = await run(['push', '.', '--dry-run', '--json'], {
      cwd,
      env: { VALS_TIMEOUT: 'nonsense' },
    });
    expect(result).toMatchObject({ exit: 0, stderr: '' });
    expect(result.stdout).toBe(
      '[{"file":"a.ts","name":"a","status":"planned"},{"file":"b.ts","name":"b","status":"planned"}]\n',
    );
    expect((await run(['push', '.', '--dry-run'], { cwd })).stdout).toBe(
      'planned\ta\t\t\ta.ts\nplanned\tb\t\t\tb.ts\n',
    );
  });

  const cases: { args: string[]; json: unknown }[] = [
    {
      args: ['val', 'create', 'hello'],
      json: { method: 'POST', path: '/v1/vals', body: { name: 'hello', code: 'code' } },
    },
    {
      args: ['val', 'create', 'hello', 'file.ts', '--readme', 'readme.md', '--privacy', 'public'],
      json: {
        method: 'POST',
        path: '/v1/vals',
        body: { name: 'hello', code: 'file', readme: '', privacy: 'public' },
      },
    },
    {
      args: ['version', 'new', id, 'file.ts'],
      json: { method: 'POST', path: `/v1/vals/${id}/versions`, body: { code: 'file' } },
    },
    {
      args: ['val', 'rm', a, b],
      json: [
        { id: a, status: 'planned' },
        { id: b, status: 'planned' },
      ],
    },
    {
      args: ['version', 'rm', a, '0', '12'],
      json: [
        { id: a, version: 0, status: 'planned' },
        { id: a, version: 12, status: 'planned' },
      ],
    },
  ];
  it.each(cases)('$args prints what would be sent', async ({ args, json }) => {
    const service = await scriptedService([]);
    const cwd = tree({ 'file.ts': 'file', 'readme.md': '' });
    const [bare, withSettings] = await Promise.all([
      run([...args, '--dry-run', '--json'], { cwd, input: 'code' }),
      run([...args, '--dry-run', '--json'], { cwd, input: 'code', env: service.env }),
    ]);
    expect(bare).toMatchObject({ exit: 0, stdout: `${JSON.stringify(json)}\n`, stderr: '' });
    expect(withSettings).toEqual(bare);
    expect(service.requests).toEqual([]);
  });
});

describe('val create and version new', () => {
  const commands: [string, string[]][] = [
    ['val create', ['val', 'create', 'hello']],
    ['version new', ['version', 'new', id]],
  ];
  const inputs: { what: string; rest: string[]; input?: string | Uint8Array; exit: number }[] = [
    { what: 'nothing on standard input', rest: [], exit: 10 },
    { what: 'nothing on standard input, asked for', rest: ['-'], exit: 10 },
    { what: 'bytes on standard input', rest: [], input: new Uint8Array([0xff]), exit: 10 },
    { what: 'a file that is not there', rest: ['gone.ts'], exit: 10 },
    { what: 'an empty file', rest: ['empty.ts'], exit: 10 },
    { what: 'a file that is not UTF-8', rest: ['bytes.ts'], exit: 10 },
    { what: 'a folder', rest: ['folder'], exit: 2 },
    { what: 'two files', rest: ['a.ts', 'empty.ts'], exit: 2 },
  ];
  describe.each(commands)('%s', (_name, command) => {
    it.each(inputs)('given $what, exits $exit and sends nothing', async ({ rest, input, exit }) => {
      const service = await scriptedService([]);
      const cwd = tree({
        'a.ts': 'a',
        'empty.ts': '',
        'bytes.ts': new Uint8Array([0x61, 0xc0]),
        'folder/b.ts': 'b',
      });
      const result = await run([...command, ...rest, '--json'], { env: service.env, cwd, input });
      expect(result).toMatchObject({ exit, stdout: '', error: { exit } });
      expect(service.requests).toEqual([]);
    });
  });

  it.each<{ what: string; args: string[]; exit: number }>([
    { what: 'a readme that is not there', args: ['hello', 'a.ts', '--readme', 'gone.md'], exit: 10 },
    { what: 'a readme that is not UTF-8', args: ['hello', 'a.ts', '--readme', 'bytes.md'], exit: 10 },
    { what: 'no name', args: [], exit: 2 },
    { what: 'standard input twice', args: ['hello', '-', '--readme', '-'], exit: 2 },
  ])('$what: exit $exit, and nothing is sent', async ({ args, exit }) => {
    const service = await scriptedService([]);
    const cwd = tree({ 'a.ts': 'a', 'bytes.md': new Uint8Array([0xff]) });
    const result = await run(['val', 'create', ...args], { env: service.env, cwd, input: 'code' });
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(service.requests).toEqual([]);
  });

  it('send the readme byte for byte, also from standard input', async () => {
    const service = await scriptedService([], () => ({ body: {} }));
    const cwd = tree({ 'a.ts': 'a' });
    const readme = '\ufeff# Title\r\n\u0000';
    const args = ['val', 'create', 'hello', 'a.ts', '--readme', '-'];
    expect(await run(args, { env: service.env, cwd, input: readme })).toMatchObject({ exit: 0 });
    expect(service.requests.map(sent)).toEqual([{ name: 'hello', code: 'a', readme }]);
  });
});

describe('rm', () => {
  const one = ['val', 'rm', id];
  const gone: Reply = { status: 204 };

  it.each([
    [one],
    [[...one, '--json']],
    [['val', 'delete', id]],
    [['version', 'rm', id, '1', '2']],
    [['version', 'delete', id, '1']],
  ])('%j without a terminal needs --yes', async (args) => {
    const service = await scriptedService([]);
    const result = await run(args, { env: service.env, input: 'y\n' });
    expect(result).toMatchObject({ exit: 2, stdout: '' });
    expect(result.stderr).toContain('--yes');
    expect(service.requests).toEqual([]);
  });

  it.each([
    { keys: 'n\r', exit: 2 },
    { keys: '\r', exit: 2 },
    { keys: 'yesterday\r', exit: 2 },
    { keys: '\u0003', exit: 130 },
  ])('answered $keys deletes nothing: exit $exit', async ({ keys, exit }) => {
    const service = await scriptedService([{ body: { id, name: 'hello' } }]);
    const result = await runOnScreen(one, { env: service.env, answers: [{ after: '[y/N]', keys }] });
    expect(result.exit).toBe(exit);
    expect(result.screen).toContain(id.slice(0, 8));
    expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each(['y\r', 'Y\r', 'yes\r'])('answered %j deletes, and stdout stays the result', async (keys) => {
    const service = await scriptedService([{ body: {} }, { body: {} }, gone, gone]);
    const { exit, stdout } = await runOnScreen(['val', 'rm', a, b, '--json', '--no-color'], {
      env: service.env,
      answers: [{ after: '[y/N]', keys }],
    });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual([a, b].map((each) => ({ id: each, status: 'deleted' })));
    expect(service.requests.slice(2).map(({ method, path }) => `${method} ${path}`)).toEqual([
      `DELETE /v1/vals/${a}`,
      `DELETE /v1/vals/${b}`,
    ]);
  });

  const absent: Reply = { status: 404 };
  const deleted = { status: 'deleted' };
  const failed = (kind: string, exit: number) => ({ status: 'failed', error: { kind, exit } });
  const cases: { what: string; words: string[]; replies: Reply[]; rows: object[]; exit: number }[] = [
    { what: '204', words: [a], replies: [gone], rows: [{ id: a, ...deleted }], exit: 0 },
    { what: 'a body', words: [a], replies: [{ body: { id } }], rows: [{ id: a, ...deleted }], exit: 0 },
    { what: 'no JSON', words: [a], replies: [{ body: 'gone' }], rows: [{ id: a, ...deleted }], exit: 0 },
    { what: 'a 404', words: [a], replies: [absent], rows: [{ id: a, ...failed('not_found', 3) }], exit: 3 },
    {
      what: 'one of three absent',
      words: [a, b, c],
      replies: [gone, absent, gone],
      rows: [
        { id: a, ...deleted },
        { id: b, ...failed('not_found', 3) },
        { id: c, ...deleted },
      ],
      exit: 9,
    },
    {
      what: 'all absent',
      words: [a, b],
      replies: [absent, { status: 410 }],
      rows: [a, b].map((each) => ({ id: each, ...failed('not_found', 3) })),
      exit: 3,
    },
    {
      what: 'a refused token',
      words: [a, b],
      replies: [{ status: 401 }],
      rows: [
        { id: a, ...failed('auth', 4) },
        { id: b, status: 'skipped' },
      ],
      exit: 4,
    },
    { what: 'one twice', words: [a, a], replies: [gone], rows: [{ id: a, ...deleted }], exit: 0 },
  ];
  it.each(cases)('$what: exit $exit', async ({ words, replies, rows, exit }) => {
    const service = await scriptedService(replies);
    const result = await run(['val', 'rm', ...words, '--yes', '--json'], { env: service.env });
    expect(result.exit).toBe(exit);
    const received = JSON.parse(result.stdout);
    expect(received).toHaveLength(rows.length);
    expect(received).toMatchObject(rows);
    expect(service.requests).toHaveLength(replies.length);
    if (exit !== 0) expect(result.error).toMatchObject({ exit });
  });

  it('of versions: each on its own', async () => {
    const service = await scriptedService([gone, { status: 409, body: { detail: 'the only one' } }]);
    const args = ['version', 'rm', id, '0', '3', '--yes', '--json'];
    const { exit, stdout } = await run(args, { env: service.env });
    expect(exit).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject([
      { id, version: 0, ...deleted },
      { id, version: 3, ...failed('conflict', 5) },
    ]);
  });

  it('is tab-separated in a pipe', async () => {
    const service = await scriptedService([gone, gone, gone]);
    const { env } = service;
    expect((await run(['val', 'rm', a, b, '--yes'], { env })).stdout).toBe(`deleted\t${a}\ndeleted\t${b}\n`);
    expect((await run(['version', 'rm', a, '3', '--yes'], { env })).stdout).toBe(`deleted\t3\t${a}\n`);
  });

  it.each([
    [['val', 'rm', '--yes']],
    [['version', 'rm', id, '--yes']],
    [['version', 'rm', id, '1', 'x', '--yes']],
  ])('%j is refused, and nothing is sent', async (args) => {
    const service = await scriptedService([]);
    expect(await run(args, { env: service.env })).toMatchObject({ exit: 2, stdout: '' });
    expect(service.requests).toEqual([]);
  });
});

describe('an interruption', () => {
  it.each([130, 143])('during a push tells what was done, unknown and not begun: exit %i', async (exit) => {
    let held = 0;
    const service = await scriptedService([], (seen) => {
      if (sent(seen).name === 'a') return made(seen);
      return () => {
        held += 1;
        if (held === 2) interrupt(exit);
      };
    });
    const args = ['push', '.', '--concurrency', '2', '--json'];
    const { interrupt, result } = interruptible(args, service.env, vals('a', 'b', 'c', 'd', 'e'));
    const ended = await result();
    expect(ended.exit).toBe(exit);
    expect(outcomes(ended.stdout)).toEqual([
      { file: 'a.ts', name: 'a', status: 'created', id: 'id-a', version: 1 },
      ...['b', 'c'].map((name) => ({
        file: `${name}.ts`,
        name,
        status: 'failed',
        error: expect.objectContaining({ message: expect.stringContaining('not known'), method: 'PUT' }),
      })),
      { file: 'd.ts', name: 'd', status: 'skipped' },
      { file: 'e.ts', name: 'e', status: 'skipped' },
    ]);
    const last: unknown = JSON.parse(ended.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ error: { exit } });
    expect(names(service.requests).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('while a push waits to try again leaves it as not begun', async () => {
    const service = await scriptedService([{ status: 503, headers: { 'retry-after': '20' } }]);
    const args = ['push', '.', '--concurrency', '1', '--json', '--debug'];
    const { interrupt, result } = interruptible(args, service.env, vals('a', 'b'));
    const ended = await result({ heard: ({ stderr }) => stderr.includes('retry in') && interrupt() });
    expect(ended.exit).toBe(130);
    expect(statuses(ended.stdout)).toEqual(['skipped', 'skipped']);
  });

  it('during a deletion tells what was deleted', async () => {
    const service = await scriptedService([{ status: 204 }, () => interrupt()]);
    const { interrupt, result } = interruptible(['val', 'rm', a, b, c, '--yes', '--json'], service.env);
    const { exit, stdout } = await result();
    expect(exit).toBe(130);
    expect(JSON.parse(stdout)).toEqual([
      { id: a, status: 'deleted' },
      {
        id: b,
        status: 'failed',
        error: expect.objectContaining({ message: expect.stringContaining('not known') }),
      },
      { id: c, status: 'skipped' },
    ]);
  });

  it('while code is typed sends nothing', async () => {
    const service = await scriptedService([]);
    const { interrupt, result } = interruptible(['val', 'create', 'hello', '--json'], service.env);
    let begun = false;
    const input = new Readable({
      read() {
        // What follows never comes.
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

describe('more code than is kept in memory', () => {
  const megabyte = 2 ** 20;
  const files = Object.fromEntries(
    Array.from({ length: 11 }, (_, index) => [`v${10 + index}.ts`, `${10 + index}`.padEnd(megabyte, '-é')]),
  );

  it('goes byte for byte', async () => {
    const service = await scriptedService([], made);
    const { exit } = await run(['push', '.', '--quiet'], { cwd: tree(files), env: service.env });
    expect(exit).toBe(0);
    const codes = service.requests.map((seen) => [`${sent(seen).name}.ts`, sent(seen).code]);
    expect(Object.fromEntries(codes)).toEqual(files);
  });

  it('is sent as it is when its turn comes, or fails alone', async () => {
    const folder = tree(files);
    const service = await scriptedService([], (seen) => {
      if (sent(seen).name === 'v10') {
        writeFileSync(join(folder, 'v19.ts'), 'saved meanwhile');
        writeFileSync(join(folder, 'v20.ts'), '');
      }
      return made(seen);
    });
    const args = ['push', '.', '--concurrency', '1', '--json'];
    const { exit, stdout } = await run(args, { cwd: folder, env: service.env });
    expect(exit).toBe(9);
    expect(statuses(stdout)).toEqual([...Array(10).fill('created'), 'failed']);
    expect(outcomes(stdout).at(-1)?.error).toMatchObject({ kind: 'local', message: 'v20.ts is empty.' });
    expect(sent(service.requests.at(-1) as Seen)).toEqual({ name: 'v19', code: 'saved meanwhile' });
  });
});
