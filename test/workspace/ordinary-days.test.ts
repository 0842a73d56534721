// What people and CI do on an ordinary day, with git, and where a push or a pull once lost work without a word.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ends, environment, startProcess, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import {
  type Clone,
  kindsOfServices,
  reachableService,
  repository,
  serviceWith,
  withEverything,
} from './places.ts';

const code = (text: string) => `export default () => "${text}"\n`;

/** A repository that pushed its files, on a service that others can reach. */
async function starting(
  switches = withEverything,
  files: Record<string, string> = { 'greet.ts': code('good') },
) {
  const service = await reachableService('vals.test', switches);
  const mine = repository(service.env, files);
  expect(await mine.vals('push')).toMatchObject({ exit: 0 });
  mine.commit();
  return { service, mine };
}

describe.each(kindsOfServices)('on a service with %s', (_kind, switches) => {
  const start = (files?: Record<string, string>) => starting(switches, files);

  it('what was restored on the service is not undone by CI, nor by an older clone', async () => {
    const { service, mine } = await start({ 'greet.ts': code('good'), 'other.ts': code('other') });
    mine.commit({ 'greet.ts': code('bad') });
    const older = mine.clone();
    older.git('reset', '-q', '--hard', 'HEAD~1');
    expect(await mine.clone().words(['push'])).toMatchObject({ 'greet.ts': 'pushed' });
    service.edit('greet', code('good'));
    mine.commit({ 'other.ts': code('newer') });
    const ci = mine.clone();
    expect(await ci.words(['push'])).toEqual({ 'greet.ts': 'behind', 'other.ts': 'pushed' });
    expect((await ci.vals('push')).stderr).toMatch(
      /^greet\.ts was not sent, because its val changed on the service \(version 3, the code of version 1 again.*push greet\.ts --force`\.\n$/,
    );
    expect(await older.words(['push'])).toMatchObject({ 'greet.ts': 'unchanged' });
    expect(service.code('greet')).toBe(code('good'));
    // A commit that is written after the restore and lands the code again says so.
    mine.commit({ 'greet.ts': code('good') });
    mine.commit({ 'greet.ts': code('bad') });
    expect(await mine.clone().words(['push'])).toMatchObject({ 'greet.ts': 'pushed' });
  });

  it('CI of a fresh clone makes no versions, and overwrites no hotfix', async () => {
    const { service, mine } = await start({ 'greet.ts': code('good'), 'other.ts': code('other') });
    const unchanged = { 'greet.ts': 'unchanged', 'other.ts': 'unchanged' };
    for (const _run of [1, 2]) expect(await mine.clone().words(['push'])).toEqual(unchanged);
    expect(service.codes('greet')).toHaveLength(1);
    service.edit('greet', code('hotfix'));
    expect(await mine.clone().words(['push'])).toMatchObject({ 'greet.ts': 'behind' });
    expect(service.code('greet')).toBe(code('hotfix'));
  });

  it('a commit that was amended after its deploy is no conflict for ever', async () => {
    const { service, mine } = await start({ 'greet.ts': '1\n2\n3\n4\n5\n6\n7\n' });
    mine.commit({ 'greet.ts': '1\n2\n3\n4\n5\n6\nseven\n' });
    await mine.clone().vals('push', '--no-check');
    mine.put({ 'greet.ts': 'one\n2\n3\n4\n5\n6\nseven\n' });
    mine.git('commit', '-qa', '--amend', '-m', 'amended');
    expect(await mine.words(['push', '--no-check'])).toEqual({ 'greet.ts': 'pushed' });
    expect(await mine.clone().words(['push', '--no-check'])).toEqual({ 'greet.ts': 'unchanged' });
    // Code that git never had: merged by hand, committed, pushed by git.
    service.edit('greet', 'one\n2\nthree\n4\n5\n6\nseven\n');
    mine.commit({ 'greet.ts': 'one\n2\n3\n4\n5\n6\n7th\n' });
    expect(await mine.clone().words(['push', '--no-check'], 5)).toEqual({ 'greet.ts': 'failed' });
    expect(await mine.words(['pull', '--merge'])).toEqual({ 'greet.ts': 'merged' });
    mine.commit();
    expect(await mine.clone().words(['push', '--no-check'])).toEqual({ 'greet.ts': 'pushed' });
    expect(service.code('greet')).toBe('one\n2\nthree\n4\n5\n6\n7th\n');
  });

  it('git is started at most three times where no code differs', async () => {
    const { service, mine } = await start();
    service.edit('elsewhere', code('elsewhere'));
    for (const command of ['status', 'push']) {
      expect(await startsOfGit(mine, [command])).toBeLessThanOrEqual(3);
      expect(await startsOfGit(mine.clone(), [command])).toBeLessThanOrEqual(3);
    }
  });
});

/** How often a command starts git. */
async function startsOfGit(place: Clone, args: string[]): Promise<number> {
  const folder = temporaryFolder();
  const log = join(folder, 'log');
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$@" >> ${log}\nexec ${git} "$@"\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}` };
  expect(await place.at('.', env).vals(...args)).toMatchObject({ exit: 0 });
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0;
}

it.each([
  ['400', { status: 400, body: { message: 'no' } }],
  ['an object of another shape', { body: { vals: [] } }],
])('a list that answers %s ends the command, and nothing is written', async (_what, reply) => {
  let isBroken = false;
  const service = await serviceWith(({ path }) =>
    isBroken && path.startsWith('/v1/users/') ? reply : undefined,
  );
  const mine = repository(service.env, { 'greet.ts': code('good') });
  await mine.rows(['push']);
  service.edit('greet', code('hotfix'));
  isBroken = true;
  const before = service.writes().length;
  for (const args of [['push'], ['push', '--force'], ['status'], ['pull']]) {
    expect((await mine.clone().vals(...args)).exit, args.join(' ')).toBeGreaterThan(5);
  }
  expect(service.writes()).toHaveLength(before);
});

it('a branch that lacks a commit does not revert what was pushed from main', async () => {
  const { service, mine } = await starting();
  mine.git('checkout', '-qb', 'feature');
  mine.commit({ 'greet.ts': code('feature') });
  mine.git('checkout', '-q', 'main');
  mine.commit({ 'greet.ts': code('v2') });
  await mine.rows(['push']);
  mine.git('checkout', '-q', 'feature');
  expect(await mine.status()).toEqual({ 'greet.ts': 'conflict' });
  expect(await mine.words(['push'], 5)).toEqual({ 'greet.ts': 'failed' });
  expect(service.code('greet')).toBe(code('v2'));
  mine.git('checkout', '-qb', 'old', 'main~1');
  expect(await mine.words(['push'])).toEqual({ 'greet.ts': 'behind' });
  mine.git('checkout', '-q', 'feature');
  mine.git('merge', '-q', '-X', 'ours', 'main');
  expect(await mine.words(['push'])).toEqual({ 'greet.ts': 'pushed' });
});

it('a file that is moved and edited in one commit went on', async () => {
  const long = Array.from({ length: 30 }, (_, line) => `// ${line}\n`).join('');
  const { mine } = await starting(withEverything, { 'lib/send.ts': long });
  mine.git('mv', 'lib/send.ts', 'send.ts');
  mine.commit({ 'send.ts': `${long}// more\n` });
  expect(await mine.clone().status()).toEqual({ 'send.ts': 'changed here' });
});

it('a val that is renamed with its file keeps its address', async () => {
  const { service, mine } = await starting(withEverything, { 'count.ts': code('v1') });
  const { id } = service.val('count');
  mine.move('count.ts', 'words.ts');
  mine.commit({ 'words.ts': code('v2') });
  expect(await mine.vals('val', 'set', 'count', '--name', 'words')).toMatchObject({ exit: 0 });
  expect(await mine.clone().rows(['push'])).toMatchObject([{ status: 'pushed', id }]);
  expect(service.codes('words')).toEqual([code('v1'), code('v2')]);
  expect(await mine.clone().words(['push', '--prune', '--yes'])).toEqual({ 'words.ts': 'unchanged' });
});

it('my own commit, deployed by CI, is no conflict, and is the base of a merge', async () => {
  const { service, mine } = await starting(withEverything, { 'greet.ts': '1\n2\n3\n4\nagain\n' });
  mine.commit({ 'greet.ts': '1\n2\nmore\n4\nagain\n' });
  await mine.clone().rows(['push', '--no-check']);
  service.edit('greet', '0\n1\n2\nmore\n4\nagain\n');
  mine.put({ 'greet.ts': '1\n2\nmore\n4\nagain\nend\n' });
  expect(await mine.words(['pull', '--merge'])).toEqual({ 'greet.ts': 'merged' });
  expect(mine.read('greet.ts')).toBe('0\n1\n2\nmore\n4\nagain\nend\n');
});

it('a watch sends what a checkout brings only if it is ahead', async () => {
  const { service, mine } = await starting();
  mine.git('branch', 'old');
  mine.commit({ 'greet.ts': code('v2') });
  await mine.rows(['push']);
  mine.put({ 'other.ts': code('other') });
  const env = environment(mine.home, mine.env);
  const { child, ended, text } = startProcess(['push', '--watch', '--ndjson'], { cwd: mine.folder, env });
  const says = async (word: string) => {
    while (!text.stdout.includes(word)) await once(child.stdout ?? child, 'data');
  };
  await says('created');
  mine.git('checkout', '-q', 'old');
  mine.git('checkout', '-q', 'main');
  mine.put({ 'other.ts': code('saved') });
  await says('pushed');
  child.kill('SIGTERM');
  await ended;
  expect(service.code('greet')).toBe(code('v2'));
});

it('a pull keeps the line ends of the file', async () => {
  const { service, mine } = await starting();
  mine.put({ 'greet.ts': code('good').replaceAll('\n', '\r\n') });
  service.edit('greet', code('v3'));
  expect(await mine.words(['pull'])).toEqual({ 'greet.ts': 'pulled' });
  expect(mine.read('greet.ts')).toBe(code('v3').replaceAll('\n', '\r\n'));
});

it('a checkout of depth 1 names fetch-depth, and --force lets the repository win', async () => {
  const { service, mine } = await starting();
  mine.commit({ 'greet.ts': code('v2') });
  const ci = mine.clone('--depth', '1');
  const { exit, stderr } = await ci.vals('push');
  expect({ exit, stderr }).toEqual(ends(5, 'fetch-depth: 0'));
  expect(stderr).toMatch(
    /^error: greet\.ts differs from its val \(version 1, .*\), and git cannot tell which side is newer: the history of this/,
  );
  expect(await ci.words(['push', '--force'])).toEqual({ 'greet.ts': 'pushed' });
  expect(service.code('greet')).toBe(code('v2'));
});

it('--force replaces the code of a val that nobody here knew', async () => {
  const service = await startStrict();
  const mine = repository(service.env, { 'vals.json': '{"privacy": "unlisted"}', 'words.ts': code('v1') });
  service.edit('words', code('theirs'));
  expect(await mine.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason: 'name taken' }]);
  expect(await mine.words(['push', 'words.ts', '--force'])).toEqual({ 'words.ts': 'sent' });
  expect([service.code('words'), service.val('words').privacy]).toEqual([code('v1'), 'private']);
});
