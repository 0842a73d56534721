import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { outcomes } from './pushes.ts';

const wordsOf = (text = ''): string[] => text.split(' ').filter(Boolean);
const filesOf = (some: string[], others: string[], more: Record<string, string> = {}): string =>
  folderOf({ ...Object.fromEntries([...some, ...others].map((file) => [file, 'code'])), ...more });

it('two files of one name are refused outside of a workspace without a word of vals.json', async () => {
  const { env } = await startStrict();
  const cwd = folderOf({ 'x/a.ts': 'x', 'y/a.ts': 'y' });
  const { exit, error } = await run(['push', 'x/a.ts', 'y/a.ts', '--json'], { env, cwd });
  expect({ exit, ...error }).toMatchObject({
    exit: 2,
    message: 'x/a.ts and y/a.ts would both be the val "a".',
    hint: 'Rename one of the files, or list it in .valsignore. To give the val of one of them another name, run `vals push y/a.ts --name <name>`.',
  });
});

const longFile = `${'x'.repeat(49)}.ts`;

const cases: { what: string; paths: string; pushed: Record<string, string>; left?: string }[] = [
  {
    what: 'files, and makes their names',
    paths: `c.js sub/b.test.mjs ./a.ts a.d.ts 2fa.ts send-mail.ts Müller.ts`,
    pushed: {
      ...{ 'c.js': 'c', 'sub/b.test.mjs': 'b_test', './a.ts': 'a', 'a.d.ts': 'a_d' },
      ...{ '2fa.ts': 'fa', 'send-mail.ts': 'send_mail', 'Müller.ts': 'Muller' },
    },
  },
  {
    what: 'only code in a folder and below, without tests, settings of tools, hidden files and node_modules',
    paths: 'v/',
    pushed: {
      ...{ 'v/a.ts': 'a', 'v/b.tsx': 'b', 'v/c/d/e.mts': 'e', 'v/c/f.js': 'f', 'v/config.ts': 'config' },
      ...{ 'v/g.jsx': 'g', 'v/h.mjs': 'h', 'v/my.tests.ts': 'my_tests' },
    },
    left:
      'other.ts v/a.json v/b.d.ts v/c.d.mts v/d.ts.bak v/f.TS v/ts v/g.cjs v/.eslintrc.js v/x/a.test.ts v/a.spec.tsx ' +
      'v/vite.config.mjs v/.git/b.ts v/node_modules/d.ts v/e/node_modules/x/f.ts v/e/.g/h.ts',
  },
  {
    what: 'a file once if its folder is given too',
    paths: 'v v/b.ts',
    pushed: { 'v/a.ts': 'a', 'v/b.ts': 'b' },
  },
];
it.each(cases)('vals push finds $what', async ({ paths, pushed, left }) => {
  const cwd = filesOf(Object.keys(pushed), wordsOf(left));
  const { exit, stdout } = await run(['push', ...wordsOf(paths), '--dry-run', '--json'], { cwd });
  expect(exit).toBe(0);
  expect(outcomes(stdout)).toEqual(
    Object.entries(pushed).map(([file, name]) => ({ file, name, status: 'planned', plan: 'send' })),
  );
});

it.each(['.env', 'v/.a.ts', '.env --name a'])('vals push %s is refused', async (words) => {
  const cwd = filesOf(['.env', 'v/.a.ts'], []);
  const { exit, stderr } = await run(['push', ...wordsOf(words), '--dry-run'], { cwd });
  expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('begins with a dot') });
});

type Ignoring = { what: string; rules: Record<string, string>; path?: string; pushed: string; left?: string };
const ignoring: Ignoring[] = [
  {
    what: '.valsignore and .gitignore, without an exception of one file from the rules of the other',
    rules: {
      'v/.gitignore': '*.gen.ts\n',
      'v/.valsignore': 'b.ts\n/sub/*\n!/sub/kept.ts\n!c.gen.ts\n',
      'v/sub/.gitignore': '!d.ts\n',
    },
    pushed: 'v/a.ts v/sub/kept.ts',
    left: 'v/b.ts v/c.gen.ts v/sub/d.ts',
  },
  {
    what: 'rules of a folder in that folder, after the rules above',
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
      'repo/.gitignore': 'top.ts\nv/path.ts\n/anchored.ts\np/v/path2.ts\n/p/v/deep/\n',
      'repo/p/.valsignore': 'middle.ts\n',
    },
    path: 'repo/p/v',
    pushed: 'repo/p/v/above.ts repo/p/v/anchored.ts repo/p/v/path.ts',
    left: 'repo/p/v/top.ts repo/p/v/middle.ts repo/p/v/path2.ts repo/p/v/deep/a.ts',
  },
  {
    what: '.git/info/exclude, except what .gitignore takes back',
    rules: { '.git/info/exclude': 'a.ts\nb.ts\n', 'v/.gitignore': '!b.ts\n' },
    pushed: 'v/b.ts v/c.ts',
    left: 'v/a.ts v/sub/a.ts',
  },
  {
    what: 'no rules above a folder that is the top of a repository',
    rules: { '.git/HEAD': 'x', '.gitignore': 'a.ts\n', 'v/.git/HEAD': 'x' },
    pushed: 'v/a.ts v/b.ts',
  },
];
it.each(ignoring)('vals push obeys $what', async ({ rules, path = 'v', pushed, left }) => {
  const cwd = filesOf(wordsOf(pushed), wordsOf(left), rules);
  const { exit, stdout } = await run(['push', path, '--dry-run', '--json'], { cwd });
  expect(exit).toBe(0);
  expect(outcomes(stdout).map(({ file }) => file)).toEqual(wordsOf(pushed));
});

it('a link in a folder is skipped with a warning', async () => {
  const cwd = folderOf({ 'v/a.ts': 'a', 'secret.ts': 'secret', 'w/b.ts': 'b' });
  symlinkSync('../secret.ts', join(cwd, 'v', 'link.ts'));
  symlinkSync('../w', join(cwd, 'v', 'linked'));
  symlinkSync('.', join(cwd, 'v', 'circle'));
  const folder = await run(['push', 'v', '--dry-run', '--json'], { cwd });
  expect(outcomes(folder.stdout).map(({ file }) => file)).toEqual(['v/a.ts']);
  expect(folder.stderr).toContain('link.ts');
});

it.each<{ what: string; args: string[]; says: string }>([
  { what: 'no path', args: [], says: 'No path was given' },
  { what: 'standard input without a name', args: ['-'], says: 'needs a name' },
  { what: '--name with several files', args: ['a.ts', 'b.ts', '--name', 'x'], says: 'only one path' },
  { what: '--name with a folder of several', args: ['v', '--name', 'x'], says: 'only one file' },
  { what: 'two files with one name', args: ['a.ts', 'b.ts', 'v/a.ts'], says: 'a.ts and v/a.ts would both' },
  { what: 'a file name without a letter', args: ['a.ts', '123.ts'], says: '123.ts has a name that no' },
  { what: 'a file name of 49 letters', args: [longFile, 'a.ts'], says: `${longFile} has a name that no` },
  { what: 'a folder without code', args: ['empty'], says: 'empty has no code files' },
])('vals push refuses $what, and sends nothing', async ({ args, says }) => {
  const code = wordsOf('a.ts a.js b.ts v/a.ts v/c.ts empty/notes.txt 123.ts');
  const cwd = filesOf(code, [longFile]);
  const service = await scriptedService([]);
  const result = await run(['push', ...args, '--json'], { env: service.env, cwd, input: 'code' });
  expect(result).toMatchObject({
    exit: 2,
    error: { kind: 'usage', exit: 2, message: expect.stringContaining(says) },
  });
  expect(service.requests).toEqual([]);
});

it('a file that is no code becomes a val only with --name', async () => {
  const { env, codes } = await startStrict();
  const cwd = folderOf({ 'README.md': 'Read me.', 'a.ts': '1' });
  expect(await run(['push', 'a.ts', 'README.md'], { env, cwd })).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringContaining('--name'),
  });
  expect(await run(['push', 'README.md', '--name', 'readme'], { env, cwd })).toMatchObject({ exit: 0 });
  expect(codes('readme')).toEqual(['Read me.']);
});
