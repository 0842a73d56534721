import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/lib/clock.ts';
import { asCode, codeWithHash } from '../../../src/workspace/code.ts';
import { compareFiles } from '../../../src/workspace/compare/compare-files.ts';
import type { Compared, ValRecord, ValVersion } from '../../../src/workspace/compare/types.ts';
import { openRepository } from '../../../src/workspace/git/repository.ts';
import { environment, temporaryFolder } from '../../support/program.ts';

let seconds = 1_700_000_000;

class Repository {
  readonly folder: string;

  constructor(folder = temporaryFolder(), ...options: string[]) {
    this.folder = folder;
    if (options[0] !== 'as it is') this.git('init', '-q', '-b', 'main', ...options);
  }

  git(...args: string[]): string {
    seconds += 10;
    const date = `${seconds} +0000`;
    const names = { GIT_AUTHOR_NAME: 'Ann', GIT_COMMITTER_NAME: 'Ann' };
    const addresses = { GIT_AUTHOR_EMAIL: 'ann@example.com', GIT_COMMITTER_EMAIL: 'ann@example.com' };
    const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return execFileSync('git', args, {
      cwd: this.folder,
      env: { ...environment(this.folder), ...names, ...addresses, ...dates },
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  commit(text: string, path = 'x.ts'): string {
    this.put(path, text);
    this.git('add', '-A');
    this.git('commit', '-qm', 'change', '--allow-empty');
    return this.git('rev-parse', 'HEAD');
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(join(this.folder, to)), { recursive: true });
    this.git('mv', from, to);
    this.git('commit', '-qm', 'move');
  }

  clone(...options: string[]): Repository {
    const folder = join(temporaryFolder(), 'clone');
    this.git('clone', '-q', ...options, `file://${this.folder}`, folder);
    return new Repository(folder, 'as it is');
  }
}

interface Case {
  folder: string;
  here: string;
  versions: readonly string[];
  file?: string;
  record?: ValRecord;
  /** When the present version was made. */
  madeAt?: string;
  /** The service's lists have hashes, and no codes. */
  hashes?: boolean;
  env?: NodeJS.ProcessEnv;
  clock?: Clock;
}

async function compare({
  folder,
  here,
  versions,
  file = 'x.ts',
  record,
  madeAt,
  hashes = false,
  env = process.env,
  clock = systemClock,
}: Case) {
  const read: number[] = [];
  const known = versions.map((text, index): ValVersion => {
    const { blob } = asCode(text);
    return { version: index + 1, code: hashes ? codeWithHash(blob) : asCode(text), madeAt };
  });
  const repository = openRepository(folder, { env, signal: new AbortController().signal, clock });
  const pair = {
    file,
    here: asCode(here),
    known,
    record,
    read: async ({ version = 0 }: ValVersion) => {
      read.push(version);
      return asCode(versions[version - 1] ?? '');
    },
  };
  const [compared] = await compareFiles([pair], { repository, env });
  const { base, ...rest } = compared as Compared;
  return { ...rest, ...(base !== undefined && { base: base.version }), read };
}

function committed(...texts: string[]): Repository {
  const repository = new Repository();
  for (const text of texts) repository.commit(text);
  return repository;
}

test('a commit is newer than what was deployed, by its hash alone', async () => {
  const { folder } = committed('a\n', 'b\n');
  const found = await compare({ folder, here: 'b\n', versions: ['a\n'], hashes: true });
  expect(found).toMatchObject({ status: 'changed here', read: [] });
});

test('a restore on the service is newer, and the version of the file is known', async () => {
  const { folder } = committed('a\n', 'b\n');
  const versions = ['a\n', 'b\n', 'a\n'];
  const found = await compare({ folder, here: 'b\n', versions, hashes: true });
  expect(found).toMatchObject({ status: 'changed there', fileVersion: 2, restored: 1 });
});

test('a merge that repeats a commit does not count as written by somebody', async () => {
  const repository = committed('a\n');
  repository.git('branch', 'mine');
  for (const text of ['b\n', 'a\n', 'b\n']) repository.commit(text);
  const madeAt = new Date((seconds + 5) * 1_000).toISOString();
  repository.git('checkout', '-q', 'mine');
  repository.commit('y\n', 'y.ts');
  repository.git('merge', '-q', '-m', 'merge', 'main');
  const versions = ['a\n', 'b\n', 'a\n'];
  const found = await compare({ folder: repository.folder, here: 'b\n', versions, madeAt });
  expect(found.status).not.toBe('changed here');
});

test('code that only another file had is none of the history', async () => {
  const repository = committed('a\n');
  repository.commit('m\n', 'maintenance.ts');
  const found = await compare({ folder: repository.folder, here: 'a\n', versions: ['a\n', 'm\n'] });
  expect(found).toMatchObject({ status: 'changed there' });
});

test('a renamed and edited file keeps the history of its earlier paths', async () => {
  const long = (word: string) => `${'line\n'.repeat(20)}${word}\n`;
  const repository = new Repository();
  repository.commit(long('a'), 'lib/first.ts');
  repository.commit(long('b'), 'lib/first.ts');
  repository.move('lib/first.ts', 'second.ts');
  repository.move('second.ts', 'x.ts');
  repository.commit(long('c'));
  const { folder } = repository;
  const found = await compare({ folder, here: long('c'), versions: [long('a')], hashes: true });
  expect(found).toMatchObject({ status: 'changed here' });
  const many = Array.from({ length: 25 }, (_, index) => ({
    file: index === 0 ? 'x.ts' : `no${index}.ts`,
    here: asCode(long('c')),
    known: [{ version: 1, code: asCode(long('a')) }],
    record: undefined,
    read: async () => undefined,
  }));
  const surroundings = { env: process.env, signal: new AbortController().signal, clock: systemClock };
  const all = await compareFiles(many, {
    repository: openRepository(folder, surroundings),
    env: process.env,
  });
  expect(all.slice(0, 2)).toMatchObject([{ status: 'changed here' }, { status: 'conflict' }]);
});

test('line ends alone make no other code, in git, in the file, or on the service', async () => {
  const { folder } = committed('a\r\n1\r\n', 'b\r\n1\r\n');
  const versions = ['a\n1\n'];
  const found = await compare({ folder, here: 'b\n1\n', versions, hashes: true });
  expect(found).toMatchObject({ status: 'changed here' });
  const plain = committed('a\n1\n', 'b\n1\n');
  const windows = { folder: plain.folder, here: 'b\r\n1\r\n', versions: ['a\r\n1\r\n'], hashes: true };
  expect(await compare(windows)).toMatchObject({ status: 'changed here' });
});

test('a repository with ids of SHA-256 tells the same', async () => {
  const repository = new Repository(undefined, '--object-format=sha256');
  for (const text of ['a\n', 'b\n']) repository.commit(text);
  const { folder } = repository;
  const found = await compare({ folder, here: 'b\n', versions: ['a\n'], hashes: true });
  expect(found).toMatchObject({ status: 'changed here', read: [1] });
});

test('a shallow checkout without the code of the service tells nothing, and one with it tells all', async () => {
  const repository = committed('a\n', 'b\n', 'c\n');
  const shallow = repository.clone('--depth=1');
  const versions = ['a\n', 'b\n'];
  const found = await compare({ folder: shallow.folder, here: 'c\n', versions });
  expect(found).toMatchObject({ status: 'conflict', limit: 'shallow' });
  const deeper = repository.clone('--depth=2');
  expect(await compare({ folder: deeper.folder, here: 'c\n', versions })).toMatchObject({
    status: 'changed here',
  });
});

test('a blobless clone tells the same without fetching anything', async () => {
  const repository = new Repository();
  const long = (word: string) => `${'line\n'.repeat(20)}${word}\n`;
  repository.git('config', 'uploadpack.allowFilter', 'true');
  repository.commit(long('a'), 'y.ts');
  repository.move('y.ts', 'x.ts');
  for (const word of ['b', 'c']) repository.commit(long(word));
  const { folder } = repository.clone('--filter=blob:none');
  rmSync(repository.folder, { recursive: true });
  const versions = [long('a'), long('b')];
  expect(await compare({ folder, here: long('c'), versions, hashes: true })).toMatchObject({
    status: 'changed here',
  });
});

test('a worktree has the history of its own HEAD', async () => {
  const repository = committed('a\n', 'b\n');
  const folder = join(temporaryFolder(), 'tree');
  repository.git('worktree', 'add', '-q', folder, 'HEAD~1');
  const found = await compare({ folder, here: 'a\n', versions: ['a\n', 'b\n'] });
  expect(found).toMatchObject({ status: 'changed there' });
});

test('a folder of the repository, with settings of the user that change what git prints', async () => {
  const repository = new Repository();
  for (const text of ['a\n', 'b\n']) repository.commit(text, 'vals/lib/x.ts');
  for (const setting of [
    'log.showSignature=true',
    'diff.renames=copies',
    'log.follow=true',
    'color.ui=always',
  ]) {
    repository.git('config', ...setting.split('='));
  }
  const folder = join(repository.folder, 'vals');
  const found = await compare({ folder, here: 'b\n', versions: ['a\n'], file: 'lib/x.ts' });
  expect(found).toMatchObject({ status: 'changed here' });
});

test('without the git program a file that differs is a conflict that says so', async () => {
  const { folder } = committed('a\n', 'b\n');
  const env = { ...process.env, PATH: '' };
  const found = await compare({ folder, here: 'b\n', versions: ['a\n'], env });
  expect(found).toMatchObject({ status: 'conflict', limit: 'no git program' });
});

test('git that takes too long is ended, and a conflict says so', async () => {
  const { folder } = committed('a\n', 'b\n');
  const bin = temporaryFolder();
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\ncase "$*" in *' log '*) exec sleep 1000;; esac\nexec ${git} "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  const clock: Clock = { ...systemClock, after: (ms, act) => systemClock.after(ms / 20, act) };
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const found = await compare({ folder, here: 'b\n', versions: ['a\n'], env, clock });
  expect(found).toMatchObject({ status: 'conflict', limit: 'too long' });
});

test.runIf(process.getuid?.() === 0)('a repository of another user is said to be dubious', async () => {
  const { folder } = committed('a\n', 'b\n');
  chownSync(folder, 12_345, 12_345);
  chownSync(join(folder, '.git'), 12_345, 12_345);
  const env = { ...process.env, HOME: temporaryFolder() };
  const found = await compare({ folder, here: 'b\n', versions: ['a\n'], env });
  expect(found).toMatchObject({ status: 'conflict', limit: 'dubious ownership' });
});

const recordOf = (version: number, text: string, commit: string | undefined): ValRecord => ({
  id: 'id',
  version,
  blob: asCode(text).blob,
  commit,
});

test('the record stands in the history right after its commit', async () => {
  const repository = committed('a\n');
  const { folder } = repository;
  const head = repository.git('rev-parse', 'HEAD');
  const record = recordOf(2, 'b\n', head);
  const versions = ['a\n', 'b\n'];
  const status = async (here: string, others: Partial<Case> = {}) =>
    (await compare({ folder, here, versions, record, ...others })).status;
  expect(await status('c\n')).toBe('changed here');
  expect(await status('a\n')).toBe('changed there');
  expect(await status('b\n', { versions: ['a\n', 'b\n', 'd\n'] })).toBe('changed there');
  expect(await status('c\n', { versions: ['a\n', 'b\n', 'd\n'] })).toBe('conflict');
  expect(await status('c\n', { versions: ['a\n', 'y\n'] })).toBe('conflict');
  repository.commit('z\n', 'other.ts');
  repository.commit('c\n');
  expect(await status('c\n')).toBe('changed here');
});

test('a record counts only while its commit is in the history of HEAD', async () => {
  const repository = committed('a\n');
  const { folder } = repository;
  const gone = repository.commit('d\n');
  repository.git('reset', '-q', '--hard', 'HEAD~1');
  const record = recordOf(1, 'b\n', gone);
  expect(await compare({ folder, here: 'c\n', versions: ['b\n'], record })).toMatchObject({
    status: 'conflict',
  });
});

test('a record is left out if the file is as a commit up to its own has it', async () => {
  const repository = committed('c\n', 'a\n');
  const { folder } = repository;
  const record = recordOf(2, 'b\n', repository.git('rev-parse', 'HEAD'));
  expect(await compare({ folder, here: 'a\n', versions: ['c\n', 'b\n'], record })).toMatchObject({
    status: 'conflict',
  });
});

test('code that git never had needs no search of the whole history', async () => {
  const repository = committed('first\n', 'second\n', 'third\n', 'a\n');
  const { folder } = repository;
  const head = repository.commit('z\n', 'other.ts');
  // Without this tree, `git log` cannot go on to the first commit.
  const tree = repository.git('rev-parse', 'HEAD~4^{tree}');
  rmSync(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  for (const hashes of [false, true]) {
    const hotfix = await compare({ folder, here: 'a\n', versions: ['a\n', 'x\n'], hashes });
    expect(hotfix).toMatchObject({ status: 'changed there', read: hashes ? [2] : [] });
  }
  const versions = ['a\n', 'b\n'];
  for (const record of [
    recordOf(2, 'b\n', head),
    recordOf(2, 'b\n', repository.git('rev-parse', 'HEAD~1')),
  ]) {
    expect(await compare({ folder, here: 'c\n', versions, record })).toMatchObject({
      status: 'changed here',
    });
  }
});

test('a record that is older than the codes of git is read, too', async () => {
  const repository = committed('a\n');
  const record = recordOf(2, 'b\n', repository.git('rev-parse', 'HEAD'));
  for (const text of ['d\n', 'a\n']) repository.commit(text);
  const { folder } = repository;
  const found = await compare({ folder, here: 'c\n', versions: ['a\n', 'b\n'], record });
  expect(found).toMatchObject({ status: 'changed here' });
});

test('without git the record and the file are the history', async () => {
  const folder = temporaryFolder();
  const record = recordOf(2, 'b\n', undefined);
  const edited = await compare({ folder, here: 'c\n', versions: ['a\n', 'b\n'], record });
  expect(edited).toMatchObject({ status: 'changed here' });
  const pushed = await compare({ folder, here: 'b\n', versions: ['a\n', 'b\n', 'd\n'], record });
  expect(pushed).toMatchObject({ status: 'changed there' });
  expect(await compare({ folder, here: 'c\n', versions: ['a\n', 'b\n'] })).toMatchObject({
    status: 'conflict',
  });
});

test('before the first commit the record counts, and after it stands before all commits', async () => {
  const repository = new Repository();
  const { folder } = repository;
  const record = recordOf(2, 'b\n', undefined);
  const versions = ['a\n', 'b\n'];
  expect(await compare({ folder, here: 'c\n', versions, record })).toMatchObject({ status: 'changed here' });
  repository.commit('c\n');
  expect(await compare({ folder, here: 'c\n', versions, record })).toMatchObject({ status: 'changed here' });
});
