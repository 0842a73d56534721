import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createHeadReader } from '../../src/core/files/git-folder.ts';
import { type Clock, systemClock } from '../../src/core/lib/clock.ts';
import { codeOf, codeWithHash } from '../../src/workspace/code.ts';
import { type GitHistory, isKnownToGit, openGitHistory } from '../../src/workspace/git-history.ts';
import { environment, temporaryFolder, writeFiles } from '../support/program.ts';
import { Clone } from './repository.ts';
import type { Env } from './support.ts';

/** With a way to open the history of the repository. */
function repository(init = ['init', '-q', '-b', 'main', '.'], folder = temporaryFolder()) {
  const clone = new Clone(folder, {});
  const env = environment(clone.home);
  if (init.length > 0) clone.git(...init);
  const git = (...args: string[]) => clone.git(...args);
  const commit: Clone['commit'] = (files) => clone.commit(files);
  const history = (below = '.', options: { env?: Env; clock?: Clock } = {}): GitHistory => {
    const { signal } = new AbortController();
    const opened = openGitHistory(join(folder, below), { env, signal, clock: systemClock, ...options });
    if (opened === undefined) throw new Error('There is no repository.');
    onTestFinished(() => opened.close());
    return opened;
  };
  return { folder, env, git, commit, history };
}

/** Long enough to be found again after a change. */
const long = (name: string): string => Array.from({ length: 20 }, (_, at) => `// ${name} ${at}\n`).join('');

const newest = (history: GitHistory, text: string) => history.newestPlaceOf(codeOf(text));
const earlierPaths = async (history: GitHistory, file: string): Promise<string[]> => {
  const paths: string[] = [];
  await history.renamedFrom(file, (path) => paths.push(path) < 0);
  return paths;
};
const gone = async (history: GitHistory) =>
  Object.fromEntries([...(await history.goneFiles())].map(([path, movedTo]) => [path, movedTo ?? 'gone']));

it('a code has the places of the commits that have it', async () => {
  const { commit, history } = repository();
  commit({ 'a.ts': 'one\n', 'b.ts': 'stays' });
  for (const text of ['two\n', 'three\n', 'two\n', 'four\n']) commit({ 'a.ts': text });
  const git = history();

  expect(await newest(git, 'four\n')).toBe(0);
  expect(await newest(git, 'stays')).toBe(0);
  expect(await newest(git, 'two\n')).toBe(1);
  expect(await git.oldestPlaceOf(codeOf('two\n'))).toBe(3);
  expect(await newest(git, 'one\n')).toBe(4);
  expect(await newest(git, 'one\r\n')).toBe(4);
  expect(await git.newestPlaceOf(codeWithHash(codeOf('three\n').blob))).toBe(2);
  expect(await newest(git, 'five\n')).toBeUndefined();
  expect(await git.oldestPlaceOf(codeOf('five\n'))).toBeUndefined();
  expect(await git.limit()).toBeUndefined();
});

it('codes of both branches of a merge are found, and those that only the merge has', async () => {
  const { commit, git, history } = repository();
  commit({ 'a.ts': 'base' });
  git('checkout', '-qb', 'feature');
  commit({ 'a.ts': 'theirs' });
  git('checkout', '-q', 'main');
  commit({ 'a.ts': 'ours' });
  expect(() => git('merge', 'feature')).toThrow();
  commit({ 'a.ts': 'both' });
  commit({ 'a.ts': 'later' });
  git('checkout', '-qb', 'other');
  git('commit', '-q', '--amend', '--allow-empty', '-m', 'amended');
  commit({ 'a.ts': 'elsewhere' });
  git('checkout', '-q', 'main');
  git('commit', '-q', '--amend', '-m', 'amended');

  const places = await Promise.all(
    ['later', 'both', 'ours', 'theirs', 'base', 'elsewhere'].map((text) => newest(history(), text)),
  );
  expect(places).toEqual([0, 1, 2, 3, 4, undefined]);
});

it('renames are followed through the index and the history, newest first', async () => {
  const { commit, folder, git, history } = repository();
  commit({ 'a.ts': long('a'), 'x.ts': long('x') });
  git('mv', 'a.ts', 'b.ts');
  commit({ 'b.ts': `${long('a')}more` });
  git('mv', 'b.ts', 'c.ts');
  commit({});
  git('mv', 'c.ts', 'd.ts');
  writeFileSync(join(folder, 'd.ts'), `${long('a')}other`);

  expect(await earlierPaths(history(), 'd.ts')).toEqual(['c.ts', 'b.ts', 'a.ts']);
  expect(await earlierPaths(history(), 'c.ts')).toEqual(['b.ts', 'a.ts']);
  expect(await history().renamedFrom('d.ts', (path) => path === 'b.ts')).toBe('b.ts');
  expect(await earlierPaths(history(), 'x.ts')).toEqual([]);
  expect(await gone(history())).toEqual({ 'a.ts': 'gone', 'b.ts': 'gone' });
});

it('a file that took the path of a renamed or deleted one has not its past', async () => {
  const { commit, git, history } = repository();
  commit({ 'a.ts': long('a'), 'y.ts': long('y') });
  git('mv', 'a.ts', 'b.ts');
  commit({});
  git('mv', 'b.ts', 'c.ts');
  git('mv', 'y.ts', 'z.ts');
  commit({});
  commit({ 'b.ts': long('new'), 'z.ts': undefined });
  commit({ 'z.ts': long('other') });

  expect(await gone(history())).toEqual({ 'a.ts': 'gone', 'y.ts': 'gone' });
  expect(await earlierPaths(history(), 'b.ts')).toEqual([]);
  expect(await earlierPaths(history(), 'z.ts')).toEqual([]);
});

it('a rename, a deletion and its merge are one', async () => {
  const { commit, git, history } = repository();
  commit({ 'a.ts': long('a'), 'edited.ts': 'one', 'dropped.ts': 'one' });
  git('mv', 'a.ts', 'b.ts');
  commit({});
  git('checkout', '-qb', 'feature');
  git('mv', 'b.ts', 'c.ts');
  commit({ 'edited.ts': 'two', 'feature.ts': 'x' });
  git('checkout', '-q', 'main');
  commit({ 'b.ts': `${long('a')}more`, 'edited.ts': undefined, 'dropped.ts': undefined });
  git('checkout', '-q', 'feature');
  commit({ 'edited.ts': 'three' });
  git('checkout', '-q', 'main');
  expect(() => git('merge', 'feature')).toThrow();
  git('rm', '-q', 'edited.ts');
  commit({});

  const expected = ['a.ts', 'b.ts', 'dropped.ts', 'edited.ts'];
  expect(Object.keys(await gone(history())).sort()).toEqual(expected);
  expect(await earlierPaths(history(), 'c.ts')).toEqual(['b.ts', 'a.ts']);
});

it('paths are those of the workspace, with any characters', async () => {
  const { commit, folder, git, history } = repository();
  const odd = ['with space.ts', 'new\nline.ts', 'grün.ts', 'tab\t.ts', ':1 2 3 4 R100', 'x'.repeat(40)];
  commit(Object.fromEntries(odd.map((name) => [`vals/${name}`, long(name)])));
  commit({ 'vals/out.ts': long('out'), 'in.ts': long('in'), 'vals/out2.ts': long('out2'), 'far.ts': 'far' });
  mkdirSync(join(folder, 'lib'));
  for (const name of odd) git('mv', `vals/${name}`, `vals/2${name}`);
  git('mv', 'vals/out.ts', 'lib/out.ts');
  git('mv', 'vals/out2.ts', 'lib/out2.ts');
  git('mv', 'in.ts', 'vals/in.ts');
  commit({ 'far.ts': undefined });
  commit({ 'lib/out2.ts': undefined });

  expect(await gone(history('vals'))).toEqual({
    ...Object.fromEntries(odd.map((name) => [name, 'gone'])),
    'out.ts': '../lib/out.ts',
    'out2.ts': 'gone',
  });
  expect(await earlierPaths(history('vals'), 'in.ts')).toEqual(['../in.ts']);
  expect(await earlierPaths(history('vals'), '2grün.ts')).toEqual(['grün.ts']);
});

it('a shallow clone says so', async () => {
  const { commit, folder } = repository();
  commit({ 'a.ts': 'one' });
  commit({ 'a.ts': 'two' });
  const clone = repository(['clone', '-q', '--depth', '1', `file://${folder}`, '.']);
  const git = clone.history();

  expect(await newest(git, 'one')).toBeUndefined();
  expect(await newest(git, 'two')).toBe(0);
  expect(await git.limit()).toBe('shallow');
});

it('a clone without blobs fetches none', async () => {
  const { commit, folder, git } = repository();
  git('config', 'uploadpack.allowFilter', 'true');
  commit({ 'a.ts': 'one', 'b.ts': long('b'), 'c.ts': long('c'), 'd.ts': 'd' });
  commit({ 'd.ts': undefined });
  commit({ 'a.ts': 'two' });
  git('mv', 'b.ts', 'b2.ts');
  commit({});
  git('mv', 'c.ts', 'c2.ts');
  commit({ 'c2.ts': `${long('c')}more` });
  commit({ 'b2.ts': 'b', 'c2.ts': 'c' });
  const clone = repository(['clone', '-q', '--filter=blob:none', `file://${folder}`, '.']);
  const missing = () => clone.git('rev-list', '--objects', '--all', '--missing=print').match(/^\?.*/gm);
  const before = missing();
  const opened = clone.history();

  expect(await newest(opened, 'one')).toBe(4);
  // Nobody can tell that c.ts was renamed, so it does not count as deleted.
  expect(await gone(opened)).toEqual({ 'b.ts': 'gone', 'd.ts': 'gone' });
  expect(await opened.limit()).toBeUndefined();
  expect(before?.length).toBeGreaterThan(3);
  expect(missing()).toEqual(before);
});

it('a worktree has its own HEAD', async () => {
  const { commit, folder, git } = repository();
  commit({ 'a.ts': 'one' });
  const other = join(temporaryFolder(), 'other');
  git('worktree', 'add', '-q', '-b', 'feature', other);
  const worktree = repository([], other);
  worktree.commit({ 'sub/a.ts': 'two' });

  expect(await newest(worktree.history('sub'), 'two')).toBe(0);
  expect(await newest(worktree.history('sub'), 'one')).toBe(1);
  expect(createHeadReader(join(other, 'sub'))()).toBe('ref: refs/heads/feature');
  expect(createHeadReader(folder)()).toBe('ref: refs/heads/main');
  git('checkout', '-q', '--detach');
  expect(createHeadReader(folder)()).toBe(git('rev-parse', 'HEAD').trim());
  expect(createHeadReader(temporaryFolder())()).toBeUndefined();
});

it('a repository with SHA-256 ids is asked for the text', async () => {
  const { commit, history } = repository(['init', '-q', '--object-format=sha256', '.']);
  commit({ 'a.ts': 'one\n' });
  commit({ 'a.ts': 'two\n' });

  expect(await newest(history(), 'one\r\n')).toBe(1);
  expect(await newest(history(), 'two\n')).toBe(0);
  expect(await history().newestPlaceOf(codeWithHash(codeOf('one\n').blob))).toBeUndefined();
});

it('what git cannot know has a reason', async () => {
  const { commit, env, folder, history } = repository();
  const unborn = history();
  expect(await newest(unborn, 'one')).toBeUndefined();
  expect(await earlierPaths(unborn, 'a.ts')).toEqual([]);
  expect(await unborn.limit()).toBe('no commits');

  commit({ 'a.ts': 'one' });
  const without = history('.', { env: { ...env, PATH: temporaryFolder() } });
  expect(await gone(without)).toEqual({});
  expect(await without.limit()).toBe('no git program');

  rmSync(join(folder, '.git/objects'), { recursive: true });
  expect(await history().limit()).toBe('failed');

  const signal = new AbortController().signal;
  expect(openGitHistory(temporaryFolder(), { env, clock: systemClock, signal })).toBeUndefined();
});

/** A program instead of git that prints one commit and then waits. */
function stuckGit(): string {
  const folder = temporaryFolder();
  const script = `#!/bin/sh
case "$*" in *log*) printf '%040d \\0' 1; sleep 20 ;; esac
`;
  writeFileSync(join(folder, 'git'), script);
  chmodSync(join(folder, 'git'), 0o755);
  return `${folder}:/bin:/usr/bin`;
}

it('git is given up after five seconds in which somebody waited for it', async () => {
  const { env, history } = repository();
  let giveUp = () => {};
  let limitMs = 0;
  const clock: Clock = {
    now: () => 0,
    after(ms, callback) {
      limitMs = ms;
      giveUp = callback;
      return () => {};
    },
  };
  const git = history('.', { env: { ...env, PATH: stuckGit() }, clock });
  const places = Promise.all([newest(git, 'one'), newest(git, 'two')]);
  await expect.poll(() => limitMs).toBe(5_000);
  await git.limit().then(() => giveUp());
  expect(await places).toEqual([undefined, undefined]);
  expect(await git.limit()).toBe('too long');
});

it('an interrupt ends git and the question, and close ends git', async () => {
  const { env, folder, history } = repository();
  const stop = new AbortController();
  const path = { env: { ...env, PATH: stuckGit() } };
  const interrupted = openGitHistory(folder, { ...path, clock: systemClock, signal: stop.signal });
  const answer = interrupted?.newestPlaceOf(codeOf('one'));
  stop.abort(new Error('interrupted'));
  await expect(answer).rejects.toThrow('interrupted');

  const closed = history('.', path);
  const question = newest(closed, 'one');
  await closed.limit();
  await closed.close();
  expect(await question).toBeUndefined();
});

it('git runs nothing that the repository names, and its settings change nothing', async () => {
  const { commit, env, folder, git, history } = repository();
  const trap = join(temporaryFolder(), 'trap');
  writeFileSync(
    `${trap}.sh`,
    `#!/bin/sh\necho "$0 $*" >> ${trap}.log\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\necho signature\n`,
  );
  chmodSync(`${trap}.sh`, 0o755);
  const ran = () => (existsSync(`${trap}.log`) ? readFileSync(`${trap}.log`, 'utf8') : '');
  commit({ 'vals/a.ts': long('a'), 'vals/c.ts': long('c'), '.gitattributes': '*.ts diff=trap filter=trap' });
  git('mv', 'vals/a.ts', 'vals/b.ts');
  git('-c', `gpg.program=${trap}.sh`, 'commit', '-qS', '-m', 'signed');
  git('mv', 'vals/c.ts', 'vals/d.ts');
  writeFileSync(join(folder, 'vals/d.ts'), `${long('c')}more`);
  git('add', '.');
  writeFileSync(join(folder, 'vals/d.ts'), `${long('c')}more and more`);
  const settings = {
    ...Object.fromEntries(
      ['core.fsmonitor', 'core.pager', 'pager.log', 'diff.external', 'gpg.program', 'core.sshCommand']
        .concat('diff.trap.command', 'diff.trap.textconv', 'filter.trap.clean', 'filter.trap.process')
        .map((key) => [key, `${trap}.sh`]),
    ),
    'alias.log': `!${trap}.sh`,
    'log.showSignature': 'true',
    'log.showRoot': 'false',
    'log.diffMerges': 'off',
    'diff.relative': 'true',
    'diff.renames': 'false',
    'diff.orderFile': '/missing',
    'format.pretty': 'fuller',
    'color.ui': 'always',
    'core.hooksPath': folder,
  };
  writeFileSync(join(folder, 'post-index-change'), readFileSync(`${trap}.sh`), { mode: 0o755 });
  for (const [key, value] of Object.entries(settings)) git('config', key, value);
  expect(ran()).toContain('trap.sh');
  rmSync(`${trap}.log`);

  const git2 = history('vals', { env: { ...env, GIT_DIR: '/missing', GIT_INDEX_FILE: '/missing' } });
  expect(await newest(git2, long('a'))).toBe(0);
  expect(await newest(git2, '*.ts diff=trap filter=trap')).toBe(1);
  expect(await gone(git2)).toEqual({ 'a.ts': 'gone' });
  expect(await earlierPaths(git2, 'd.ts')).toEqual(['c.ts']);
  expect(await git2.limit()).toBeUndefined();
  expect(await isKnownToGit(join(folder, 'vals'), 'a.ts', env)).toBe(true);
  expect(ran()).toBe('');
});

it('git knows the paths of the index and of the history', async () => {
  const { commit, env, folder, git } = repository();
  commit({ 'vals/gone.ts': 'gone', 'other.ts': 'other' });
  commit({ 'vals/gone.ts': undefined, 'vals/here.ts': 'here' });
  writeFiles(folder, { 'vals/staged*.ts': '', 'vals/new.ts': '' });
  git('add', 'vals/staged*.ts');
  const isKnown = (file: string) => isKnownToGit(join(folder, 'vals'), file, env);

  for (const file of ['gone.ts', 'here.ts', 'staged*.ts', '../other.ts'])
    expect(await isKnown(file)).toBe(true);
  for (const file of ['new.ts', 'st*.ts', '../../x.ts']) expect(await isKnown(file)).toBe(false);
  expect(await isKnownToGit(temporaryFolder(), 'gone.ts', env)).toBe(false);
});
