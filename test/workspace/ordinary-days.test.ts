// What people and CI do on an ordinary day, with git, and where a push or a pull once lost work.
import { once } from 'node:events';

import { expect, it } from 'vitest';
import { has } from '../support/features.ts';
import { environment, startProcess } from '../support/program.ts';
import { Clone, newService, repository, type Service, withEverything } from './places.ts';

const code = (text: string) => `export default () => "${text}"\n`;

async function start(files: Record<string, string> = { 'greet.ts': code('v1') }) {
  const service = await newService(withEverything);
  const mine = repository(service.env, files);
  expect(await mine.vals('push')).toMatchObject({ exit: 0 });
  return { service, mine };
}

const idOf = (service: Service, name: string): string | undefined =>
  service.vals().find((val) => val.name === name)?.id;

const asCode = (service: Service, name: string) => service.code(idOf(service, name) ?? '');

it('1. a branch that lacks a commit does not revert what was pushed from main', async () => {
  const { service, mine } = await start();
  mine.git('checkout', '-qb', 'feature');
  mine.commit({ 'greet.ts': code('feature') });
  mine.git('checkout', '-q', 'main');
  mine.commit({ 'greet.ts': code('v2') });
  await mine.rows(['push']);
  mine.git('checkout', '-q', 'feature');
  expect(await mine.status()).toEqual({ 'greet.ts': 'conflict' });
  expect(await mine.words(['push'], 5)).toEqual({ 'greet.ts': 'failed' });
  expect(asCode(service, 'greet')).toBe(code('v2'));
  mine.git('checkout', '-qb', 'old', 'main~1');
  expect(await mine.words(['push'])).toEqual({ 'greet.ts': 'behind' });
  mine.git('checkout', '-q', 'feature');
  mine.git('merge', '-q', '-X', 'ours', 'main');
  expect(await mine.words(['push'])).toEqual({ 'greet.ts': 'pushed' });
});

it.each([
  ['CI', (mine: Clone) => mine.clone()],
  ['the folder that pushed it', (mine: Clone) => mine],
] as const)('3. a hotfix on the service is not deleted with its file, by %s', async (_who, by) => {
  const { service, mine } = await start({ 'job.ts': code('v1'), 'other.ts': code('other') });
  service.edit('job', code('hotfix'));
  mine.git('rm', '-q', 'job.ts');
  mine.git('commit', '-qm', 'rm');
  expect(await by(mine).vals('push', '--prune', '--yes')).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('The val "job" was left'),
  });
  expect(asCode(service, 'job')).toBe(code('hotfix'));
});

it('4. the val of a renamed file keeps its address, until somebody renames it', async () => {
  const { service, mine } = await start({ 'count.ts': code('v1') });
  const id = idOf(service, 'count');
  mine.git('mv', 'count.ts', 'words.ts');
  mine.commit();
  mine.commit({ 'words.ts': code('v2') });
  const ci = mine.clone();
  expect(await ci.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason: 'renamed here' }]);
  const { screen } = await mine.onScreen(['status'], { columns: 200 });
  expect(screen).toContain('`vals val set count --name words`');
  expect(await mine.vals('val', 'set', 'count', '--name', 'words')).toMatchObject({ exit: 0 });
  expect(await mine.clone().rows(['push'])).toMatchObject([{ status: 'pushed', id }]);
  expect(ci.git('status', '--porcelain')).toBe('');
  expect(service.versions(id ?? '')).toEqual([code('v1'), code('v2')]);
  expect(await mine.clone().words(['push', '--prune', '--yes'])).toEqual({ 'words.ts': 'unchanged' });
});

it('6. my own commit, deployed by CI, is no conflict, and is the base of a merge', async () => {
  const { service, mine } = await start({ 'greet.ts': '1\n2\n3\n4\n5\n' });
  mine.commit({ 'greet.ts': '1\n2\nmine\n4\n5\n' });
  expect(await mine.clone().words(['push', '--no-check'])).toEqual({ 'greet.ts': 'pushed' });
  mine.put({ 'greet.ts': '1\n2\nmine\n4\nagain\n' });
  expect(await mine.words(['push', '--no-check'])).toEqual({ 'greet.ts': 'pushed' });
  mine.commit();
  mine.commit({ 'greet.ts': '1\n2\nmore\n4\nagain\n' });
  await mine.clone().rows(['push', '--no-check']);
  service.edit('greet', '0\n1\n2\nmore\n4\nagain\n');
  mine.put({ 'greet.ts': '1\n2\nmore\n4\nagain\nend\n' });
  expect(await mine.words(['pull', '--merge'])).toEqual({ 'greet.ts': 'merged' });
  expect(mine.read('greet.ts')).toBe('0\n1\n2\nmore\n4\nagain\nend\n');
});

it('7. after a restored backup, a pull keeps a copy of each file that it replaces', async () => {
  const { service, mine } = await start();
  mine.put({ 'greet.ts': code('newer') });
  await mine.rows(['push']);
  const id = idOf(service, 'greet') ?? '';
  // The restored store has version 1 alone, and somebody pushed since.
  service.delete(id);
  service.edit('greet', code('v1'));
  service.edit('greet', code('somebody'));
  expect(await mine.status()).toEqual({ 'greet.ts': 'conflict' });
  expect(await mine.words(['pull'], 5)).toEqual({ 'greet.ts': 'failed' });
  expect(await mine.words(['pull', '--force'])).toEqual({ 'greet.ts': 'pulled' });
  expect(mine.backups()).toEqual([code('newer')]);
  service.edit('greet', code('again'));
  const { stderr } = await mine.vals('pull');
  expect(stderr).toContain('is kept in');
  expect(mine.backups()).toContain(code('somebody'));
});

it('8. a watch sends what a checkout brings only if it is ahead', async () => {
  const { service, mine } = await start();
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
  expect(asCode(service, 'greet')).toBe(code('v2'));
});

it('9. a name that another val has by now stands for that val', async () => {
  const { service, mine } = await start({ 'job.ts': code('first') });
  await mine.vals('val', 'get', 'job');
  service.strict.rename('job', 'old_job');
  service.edit('job', code('second'));
  const outside = new Clone(mine.home, mine.env, mine.home);
  expect((await outside.vals('val', 'get', 'job', '--code')).stdout).toBe(code('second'));
  expect((await outside.vals('version', 'get', 'job', '1', '--code')).stdout).toBe(code('second'));
  if (has('run')) expect((await outside.vals('run', 'job', '--no-report')).stdout).toBe('second\n');
  service.strict.rename('job', 'other');
  expect(await outside.vals('val', 'get', 'job')).toMatchObject({ exit: 3 });
});

it('10. a pull keeps the line ends of the file', async () => {
  const { service, mine } = await start();
  mine.put({ 'greet.ts': code('v1').replaceAll('\n', '\r\n') });
  service.edit('greet', code('v3'));
  expect(await mine.words(['pull'])).toEqual({ 'greet.ts': 'pulled' });
  expect(mine.read('greet.ts')).toBe(code('v3').replaceAll('\n', '\r\n'));
});

it('a checkout of depth 1 names fetch-depth, and --force lets the repository win', async () => {
  const { service, mine } = await start();
  mine.commit({ 'greet.ts': code('v2') });
  const ci = mine.clone('--depth', '1');
  const { exit, stderr } = await ci.vals('push');
  expect({ exit, stderr }).toEqual({ exit: 5, stderr: expect.stringContaining('fetch-depth: 0') });
  const first =
    'greet.ts differs from the service, and git cannot tell which side is newer: the history of this';
  expect(stderr).toContain(first);
  expect(await ci.words(['push', '--force'])).toEqual({ 'greet.ts': 'pushed' });
  expect(asCode(service, 'greet')).toBe(code('v2'));
  service.edit('gone', code('v1'));
  expect((await ci.vals('push', '--prune')).stderr).toContain(
    'cannot tell which files were deleted or renamed: the history of this checkout',
  );
});

it.each([
  ['makes a val of a renamed file, with the privacy of vals.json', false],
  ['replaces the code of a val that nobody here knew', true],
])('--force %s', async (_what, isTaken) => {
  const service = await newService();
  const mine = repository(service.env, { 'vals.json': '{"privacy": "unlisted"}', 'count.ts': code('v1') });
  await mine.rows(['push']);
  mine.git('mv', 'count.ts', 'words.ts');
  mine.commit();
  if (isTaken) service.edit('words', code('theirs'));
  expect(await mine.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason: 'renamed here' }]);
  const done = await mine.words(['push', 'words.ts', '--force']);
  expect(done).toEqual({ 'words.ts': isTaken ? 'sent' : 'created' });
  const { privacy } = service.strict.val('words');
  expect([asCode(service, 'words'), privacy]).toEqual([code('v1'), isTaken ? 'private' : 'unlisted']);
});
