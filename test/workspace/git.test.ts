// Which side is newer, in repositories of many kinds. Nothing is recorded here.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/core/lib/waiting.ts';
import { ends, run, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { Clone, type Env, repository, timeOfGit, withEverything } from './places.ts';

const long = (word: string) => `${'// line\n'.repeat(20)}${word}\n`;

const committed = ([first = '', ...texts]: readonly string[], path = 'x.ts'): Clone => {
  const clone = repository({}, { [path]: first });
  for (const text of texts) clone.commit({ [path]: text });
  return clone;
};

async function serving(...versions: string[]) {
  const service = await startStrict({ ...withEverything, now: timeOfGit });
  for (const code of versions) service.edit('x', code);
  return service;
}

async function statusOf(folder: string, versions: readonly string[], more: Env = {}): Promise<string> {
  const { env } = await serving(...versions);
  const { stdout } = await new Clone(folder, { ...env, ...more }).vals('status', '--json');
  return JSON.parse(stdout).find(({ name }: { name: string }) => name === 'x').status;
}

test.each<[what: string, make: () => string, versions: string[], status: string]>([
  [
    'code that only another file had is none of the history',
    () => committed(['a']).commit({ 'maintenance.ts': 'm' }).folder,
    ['a', 'm'],
    'changed there',
  ],
  [
    'a renamed and edited file keeps the history of its earlier paths',
    () => {
      const clone = committed([long('a'), long('b')], 'first.ts');
      clone.move('first.ts', 'second.ts').move('second.ts', 'x.ts');
      return clone.commit({ 'x.ts': long('c') }).folder;
    },
    [long('a')],
    'changed here',
  ],
  [
    'line ends alone make no other code in git',
    () => {
      const clone = committed(['a\r\n1\r\n', 'b\r\n1\r\n']);
      clone.put({ 'x.ts': 'b\n1\n' });
      return clone.folder;
    },
    ['a\n1\n'],
    'changed here',
  ],
  [
    'line ends alone make no other code on the service',
    () => committed(['a\n1\n', 'b\n1\n', 'c\n1\n']).folder,
    ['a\r\n1\r\n', 'b\r\n1\r\n'],
    'changed here',
  ],
  [
    'a shallow checkout that has the code of the service tells all',
    () => committed(['a', 'b', 'c']).clone('--depth=2').folder,
    ['a', 'b'],
    'changed here',
  ],
  [
    'a blobless clone fetches nothing',
    () => {
      const clone = committed([long('a')], 'y.ts');
      clone.git('config', 'uploadpack.allowFilter', 'true');
      clone.git('mv', 'y.ts', 'x.ts');
      for (const word of ['a', 'b', 'c']) clone.commit({ 'x.ts': long(word) });
      const { folder } = clone.clone('--filter=blob:none');
      rmSync(clone.folder, { recursive: true });
      return folder;
    },
    [long('a'), long('b')],
    'changed here',
  ],
  [
    'a worktree has the history of its own HEAD',
    () => {
      const folder = join(temporaryFolder(), 'tree');
      committed(['a', 'b']).git('worktree', 'add', '-q', folder, 'HEAD~1');
      return folder;
    },
    ['a', 'b'],
    'changed there',
  ],
  [
    'a folder of the repository, with settings that change what git prints',
    () => {
      const clone = committed(['a', 'b'], 'vals/lib/x.ts');
      clone.put({ 'vals/vals.json': '{}' });
      for (const setting of ['log.showSignature', 'diff.renames=copies', 'log.follow', 'color.ui=always'])
        clone.git('config', ...(setting.includes('=') ? setting.split('=') : [setting, 'true']));
      return join(clone.folder, 'vals');
    },
    ['a'],
    'changed here',
  ],
  [
    'ids of SHA-256',
    () => {
      const clone = new Clone(temporaryFolder(), {});
      clone.git('init', '-q', '--object-format=sha256');
      for (const text of ['a', 'b']) clone.commit({ 'vals.json': '{}', 'x.ts': text });
      return clone.folder;
    },
    ['a'],
    'changed here',
  ],
])('%s', async (_what, make, versions, status) => {
  expect(await statusOf(make(), versions)).toBe(status);
});

test.each<[string, (clone: Clone) => Clone]>([
  [
    'a worktree',
    (clone) => {
      const folder = join(temporaryFolder(), 'tree');
      clone.git('worktree', 'add', '-q', folder);
      return new Clone(folder, clone.env);
    },
  ],
  [
    'a submodule',
    (clone) => {
      const above = new Clone(temporaryFolder(), clone.env);
      above.git('init', '-q');
      above.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', clone.folder, 'sub');
      return new Clone(join(above.folder, 'sub'), clone.env);
    },
  ],
  [
    'a repository of a user who signs, pages and monitors',
    (clone) => {
      clone.git('config', '--global', 'log.showSignature', 'true');
      clone.git('config', '--global', 'commit.gpgSign', 'false');
      clone.git('config', '--global', 'core.fsmonitor', 'true');
      clone.git('config', '--global', 'core.pager', 'less');
      return clone;
    },
  ],
])('a push and a commit later, a file of %s is still newer', async (_what, make) => {
  const { env } = await serving();
  const clone = make(repository(env, { 'x.ts': 'a' }));
  await clone.rows(['push']);
  clone.commit({ 'x.ts': 'b' });
  expect(await clone.words(['push'])).toEqual({ 'x.ts': 'pushed' });
  clone.commit({ 'x.ts': undefined, 'y.ts': 'c' });
  expect(await clone.vals('val', 'get', 'x.ts', '--code')).toMatchObject({ exit: 0, stdout: 'b' });
});

test.each<[what: string, isThere: boolean, make: (clone: Clone) => Clone]>([
  ['a clone', true, (clone) => clone.clone()],
  [
    'a second worktree',
    false,
    (clone) => {
      const fresh = clone.clone();
      const folder = join(temporaryFolder(), 'tree');
      fresh.git('worktree', 'add', '-q', folder);
      return new Clone(folder, clone.env);
    },
  ],
  [
    'a detached HEAD',
    false,
    (clone) => {
      const fresh = clone.clone();
      fresh.git('checkout', '-q', '--detach');
      return fresh;
    },
  ],
])('in %s, the hint to run git pull is there: %s', async (_what, isThere, make) => {
  const service = await serving('a', 'hotfix');
  const clone = make(repository(service.env, { 'x.ts': 'a' }));
  const hasHint = async (...args: string[]) => {
    const { screen } = await clone.onScreen(args);
    expect(screen).toMatch(/x\.ts/);
    return screen.includes('git pull');
  };
  expect(await hasHint('push')).toBe(isThere);
  expect(await hasHint('status', 'x.ts')).toBe(isThere);
  expect(await hasHint('diff', 'x.ts')).toBe(isThere);
  clone.put({ 'x.ts': 'b' });
  expect(await hasHint('push')).toBe(isThere);
  expect(await hasHint('status', 'x.ts')).toBe(isThere);
  expect(await hasHint('diff', 'x.ts')).toBe(isThere);
});

describe('a file that Git LFS keeps', () => {
  const pointer =
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n';

  async function kept() {
    const service = await serving('a', 'b');
    const clone = repository(service.env, { 'x.ts': pointer, '.gitattributes': '*.ts filter=lfs -text\n' });
    return { service, clone };
  }

  test.each(['push', 'push --force', 'push --no-check', 'push x.ts --force', 'version new x x.ts'])(
    'is not sent as a pointer by vals %s',
    async (line) => {
      const { service, clone } = await kept();
      const { exit, stderr } = await clone.vals(...line.split(' '));
      expect({ exit, stderr }).toEqual(ends(10, 'x.ts is only a pointer of Git LFS, and not the code.'));
      expect(stderr).toContain('`git lfs pull`');
      expect(stderr).not.toContain('--no-check');
      expect(service.writes()).toEqual([]);
    },
  );

  test('is a conflict that says why git tells nothing, and what helps', async () => {
    const { service, clone } = await kept();
    const sentence = async (...args: string[]) => (await clone.onScreen(args, { columns: 500 })).screen;
    const why =
      'git cannot tell which side is newer: Git LFS keeps the code, and git has only a pointer to it';
    expect(await sentence('status')).toContain(why);
    expect(await sentence('diff')).toContain('`git lfs pull`');
    clone.put({ 'x.ts': 'c' });
    for (const command of ['status', 'diff', 'push']) expect(await sentence(command)).toContain(why);
    expect(service.writes()).toEqual([]);
    clone.put({ 'x.ts': 'b' });
    expect(await clone.words(['push'])).toEqual({ 'x.ts': 'unchanged' });
    clone.put({ 'x.ts': 'c' });
    expect(await clone.words(['push'])).toEqual({ 'x.ts': 'pushed' });
  });
});

test('a merge that repeats a commit does not count as written by somebody', async () => {
  const clone = committed(['a']);
  clone.git('branch', 'mine');
  for (const text of ['b', 'a', 'b']) clone.commit({ 'x.ts': text });
  const { env } = await serving('a', 'b', 'a');
  clone.git('checkout', '-q', 'mine');
  clone.commit({ 'y.ts': 'y' });
  clone.git('merge', '-q', '-m', 'merge', 'main');
  expect(await new Clone(clone.folder, env).status()).toMatchObject({ 'x.ts': 'conflict' });
});

test('code that git never had needs no search of the whole history', async () => {
  const clone = committed(['first', 'second', 'third', 'a']);
  const tree = clone.git('rev-parse', 'HEAD~3^{tree}').trim();
  // Without this tree, `git log` cannot go on to the first commit.
  rmSync(join(clone.folder, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  expect(await statusOf(clone.folder, ['a', 'hotfix'])).toBe('changed there');
});

test('git that takes too long is ended, and a conflict says so', async () => {
  const { folder } = committed(['a', 'b']);
  const bin = temporaryFolder();
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const begun = join(bin, 'begun');
  const script = `#!/bin/sh\ncase "$*" in *' log '*) touch ${begun}; exec sleep 1000;; esac\nexec ${git} "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  const env = { ...(await serving('a')).env, PATH: `${bin}:${process.env.PATH}` };
  /** The five seconds of git are over as soon as it reads its log. */
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (ms > 5_000) return systemClock.after(ms, callback);
      const looking = setInterval(() => existsSync(begun) && callback(), 20);
      return () => clearInterval(looking);
    },
  };
  expect(await run(['push'], { cwd: folder, env, clock })).toMatchObject(ends(5, 'longer than 5 seconds'));
});

test.each<[string, Env, (folder: string) => void]>([
  ['git is not installed here', { PATH: '' }, () => {}],
  ...(process.getuid?.() === 0
    ? [['git does not trust this repository', {}, dubious] satisfies [string, Env, typeof dubious]]
    : []),
])('a file that differs is a conflict that says that %s', async (reason, env, change) => {
  const { folder } = committed(['a', 'b']);
  change(folder);
  const service = await serving('a');
  expect(await new Clone(folder, { ...service.env, ...env }).vals('push')).toMatchObject(ends(5, reason));
});

function dubious(folder: string): void {
  for (const path of [folder, join(folder, '.git')]) chownSync(path, 12_345, 12_345);
}
