// What happened to people under exit 0 and without a word. Each on a service with everything, on one without codeHash and
// ETag, and on the 14 routes alone.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/program.ts';
import {
  type Clone,
  kindsOfServices,
  Place,
  reachableService,
  repository,
  type Service,
  serviceWith,
} from './places.ts';

const code = (text: string) => `export default () => "${text}"\n`;

describe.each(kindsOfServices)('on a service with %s', (_kind, switches) => {
  /** A repository that pushed version 1, on a service that others can reach. */
  async function start(files: Record<string, string> = { 'pay.ts': code('good') }) {
    const service = await reachableService('vals.test', switches);
    const mine = repository(service.env, files);
    expect(await mine.vals('push')).toMatchObject({ exit: 0 });
    mine.commit();
    return { service, mine };
  }

  const idOf = (service: Service, name: string) => service.idOf(name);

  it('1. what was restored on the service is not undone by CI, nor by an older clone', async () => {
    const { service, mine } = await start({ 'pay.ts': code('good'), 'other.ts': code('other') });
    mine.commit({ 'pay.ts': code('bad') });
    const older = mine.clone();
    older.git('reset', '-q', '--hard', 'HEAD~1');
    expect(await mine.clone().words(['push'])).toMatchObject({ 'pay.ts': 'pushed' });
    service.edit('pay', code('good'));
    mine.commit({ 'other.ts': code('newer') });
    const ci = mine.clone();
    expect(await ci.words(['push'])).toEqual({ 'pay.ts': 'behind', 'other.ts': 'pushed' });
    expect(await older.words(['push'])).toMatchObject({ 'pay.ts': 'unchanged' });
    expect(service.code(idOf(service, 'pay'))).toBe(code('good'));
    // A commit that is written after the restore and lands the code again says so.
    mine.commit({ 'pay.ts': code('good') });
    mine.commit({ 'pay.ts': code('bad') });
    expect(await mine.clone().words(['push'])).toMatchObject({ 'pay.ts': 'pushed' });
  });

  it('2. a pull writes what was restored', async () => {
    const { service, mine } = await start();
    mine.commit({ 'pay.ts': code('bad') });
    await mine.rows(['push']);
    service.edit('pay', code('good'));
    expect(await mine.words(['pull', 'pay.ts'])).toEqual({ 'pay.ts': 'pulled' });
    expect(mine.read('pay.ts')).toBe(code('good'));
  });

  it('3. a hotfix that was pulled and stashed is not reverted', async () => {
    const { service, mine } = await start();
    service.edit('pay', code('hotfix'));
    expect(await mine.words(['pull'])).toEqual({ 'pay.ts': 'pulled' });
    mine.git('stash', '-q');
    expect(await mine.words(['push'])).toEqual({ 'pay.ts': 'behind' });
    expect(service.code(idOf(service, 'pay'))).toBe(code('hotfix'));
  });

  it('4. CI of a fresh clone makes no versions, and overwrites no hotfix', async () => {
    const { service, mine } = await start({ 'pay.ts': code('good'), 'other.ts': code('other') });
    const unchanged = { 'pay.ts': 'unchanged', 'other.ts': 'unchanged' };
    for (const _run of [1, 2]) expect(await mine.clone().words(['push'])).toEqual(unchanged);
    expect(service.versions(idOf(service, 'pay'))).toHaveLength(1);
    service.edit('pay', code('hotfix'));
    expect(await mine.clone().words(['push'])).toMatchObject({ 'pay.ts': 'behind' });
    const answers = [{ after: 'Change 1 val on http://vals.test? [y/N]', keys: 'n\r' }];
    mine.commit({ 'other.ts': code('ahead') });
    const laptop = await mine.clone().onScreen(['push'], { answers, columns: 120 });
    expect(laptop).toMatchObject({ exit: 2, screen: expect.stringContaining('This is the first push') });
    expect(service.code(idOf(service, 'other'))).toBe(code('other'));
    expect(service.code(idOf(service, 'pay'))).toBe(code('hotfix'));
  });

  it('5. a commit that was amended after its deploy is no conflict for ever', async () => {
    const { service, mine } = await start({ 'pay.ts': '1\n2\n3\n4\n5\n6\n7\n' });
    mine.commit({ 'pay.ts': '1\n2\n3\n4\n5\n6\nseven\n' });
    await mine.clone().vals('push', '--no-check');
    mine.put({ 'pay.ts': 'one\n2\n3\n4\n5\n6\nseven\n' });
    mine.git('commit', '-qa', '--amend', '-m', 'amended');
    expect(await mine.words(['push', '--no-check'])).toEqual({ 'pay.ts': 'pushed' });
    expect(await mine.clone().words(['push', '--no-check'])).toEqual({ 'pay.ts': 'unchanged' });
    // Code that git never had: merged by hand, committed, pushed by git.
    service.edit('pay', 'one\n2\nthree\n4\n5\n6\nseven\n');
    mine.commit({ 'pay.ts': 'one\n2\n3\n4\n5\n6\n7th\n' });
    expect(await mine.clone().words(['push', '--no-check'], 5)).toEqual({ 'pay.ts': 'failed' });
    expect(await mine.words(['pull', '--merge'])).toEqual({ 'pay.ts': 'merged' });
    mine.commit();
    expect(await mine.clone().words(['push', '--no-check'])).toEqual({ 'pay.ts': 'pushed' });
    expect(service.code(idOf(service, 'pay'))).toBe('one\n2\nthree\n4\n5\n6\n7th\n');
  });

  it('6. a status before the first push does not answer its question', async () => {
    const { mine } = await start();
    const fresh = mine.clone();
    fresh.put({ 'pay.ts': code('edited') });
    expect(await fresh.status()).toEqual({ 'pay.ts': 'changed here' });
    const answers = [{ after: '[y/N]', keys: 'n\r' }];
    expect(await fresh.onScreen(['push'], { answers })).toMatchObject({ exit: 2 });
    expect(await fresh.onScreen(['push', '--force'], { answers })).toMatchObject({ exit: 2 });
    expect(await fresh.onScreen(['push', '--yes'], { answers: [] })).toMatchObject({ exit: 0 });
    fresh.put({ 'pay.ts': code('again') });
    expect(await fresh.onScreen(['push'], { answers: [] })).toMatchObject({ exit: 0 });
  });

  it('8. git is started at most twice where no code differs', async () => {
    const { service, mine } = await start();
    service.edit('elsewhere', code('elsewhere'));
    for (const command of ['status', 'push']) {
      expect(await startsOfGit(mine, [command])).toBeLessThanOrEqual(2);
      expect(await startsOfGit(mine.clone(), [command])).toBeLessThanOrEqual(2);
    }
  });
});

/** How often a command starts git. */
async function startsOfGit(place: Clone, args: string[]): Promise<number> {
  const folder = temporaryFolder();
  const log = join(folder, 'log');
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$@" >> ${log}\nexec ${git} "$@"\n`, { mode: 0o755 });
  const env = { ...place.env, PATH: `${folder}:${process.env.PATH}` };
  expect(await new Place(place.folder, env, place.home).vals(...args)).toMatchObject({ exit: 0 });
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0;
}

it.each([
  ['HTML', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ['400', { status: 400, body: { message: 'no' } }],
  ['an object of another shape', { body: { vals: [] } }],
  ['a redirect', { status: 302, headers: { location: '/login' }, body: '' }],
])('4. a list that answers %s ends the command, and nothing is written', async (_what, reply) => {
  let isBroken = false;
  const { service, env, writes } = await serviceWith(({ path }) =>
    isBroken && path.startsWith('/v1/users/') ? reply : undefined,
  );
  const mine = repository(env, { 'pay.ts': code('good') });
  await mine.rows(['push']);
  service.edit('pay', code('hotfix'));
  isBroken = true;
  const before = writes().length;
  for (const args of [['push'], ['push', '--force'], ['status'], ['pull']]) {
    expect((await mine.clone().vals(...args)).exit, args.join(' ')).toBeGreaterThan(5);
  }
  expect(writes()).toHaveLength(before);
});
