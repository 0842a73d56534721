// Which side is newer: commits on the one hand, versions on the other, and what the program says of them.
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/program.ts';
import type { Switches } from '../support/strict/switches.ts';
import {
  Clone,
  reachableService,
  repository,
  type Service,
  timeOfGit,
  withEverything,
  workspaceWith,
} from './places.ts';

const code = (letter: string) => `export default "${letter}"\n`;
const codes = (letters: string) => [...letters].map(code);

const lines = (...changed: number[]) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map((line) => (changed.includes(line) ? `${line} changed\n` : `${line}\n`))
    .join('');

interface Case {
  /** Oldest first. */
  versions: readonly string[];
  commits: readonly string[];
  /** The last commit is written after the last version was made. */
  lastCommitIsLater?: boolean;
}

/** With times and codes in the list of versions, without times, and without either. */
const kinds = [{ ...withEverything, codesOfVersions: true }, { version: true, codesOfVersions: true }, {}];

const everywhere = (status: string) => kinds.map(() => status);

async function statusesOf({ versions, commits, lastCommitIsLater = false }: Case) {
  const services = await Promise.all(
    kinds.map((kind) => reachableService('vals.test', { ...kind, now: timeOfGit })),
  );
  const [first = '', ...more] = commits;
  const clone = repository({}, { 'x.ts': first });
  const later = lastCommitIsLater ? more.splice(-1) : [];
  for (const text of more) clone.commit({ 'x.ts': text });
  for (const service of services) for (const version of versions) service.edit('x', version);
  for (const text of later) clone.commit({ 'x.ts': text });
  // Where the service cannot list vals, vals.json has the id.
  const statuses: string[] = [];
  for (const service of services) {
    const ids = { [service.env.VALS_BASE_URL ?? '']: { x: service.val('x').id } };
    clone.put({ 'vals.json': JSON.stringify({ ids }) });
    const [row] = await new Clone(clone.folder, service.env).rows(['status']);
    statuses.push(row?.status ?? '');
  }
  return statuses;
}

/** Letters are codes of one line, so what was changed on both sides is a conflict. */
type Row = [name: string, versions: string, file: string, status: string, more?: Partial<Case>];

const later: Partial<Case> = { lastCommitIsLater: true };

const oneLineRows: Row[] = [
  ['commit and deploy', 'a', 'ab', 'changed here'],
  ['several commits, one deploy', 'a', 'abc', 'changed here'],
  ['`git revert` of what is deployed', 'ab', 'aba', 'changed here'],
  ['the revert was reverted, neither was deployed', 'ab', 'abab', 'unchanged'],
  ['revert of two commits, the first never deployed', 'ac', 'abca', 'changed here'],
  ['`version restore` on the service', 'aba', 'ab', 'changed there'],
  ['restore of two steps', 'abca', 'abc', 'changed there'],
  ['restore, then git reverts, too', 'aba', 'aba', 'unchanged'],
  ['restore, git reverts, git lands the same code again later', 'aba', 'abab', 'changed here', later],
  ['deployed, reverted by git and deployed, landed again by git', 'aba', 'abab', 'changed here', later],
  ['restore, then a new commit of the file', 'aba', 'abc', 'conflict'],
  ['restore, pulled into git, then a new commit', 'aba', 'abac', 'changed here'],
  ['restore, then a hotfix on it', 'abax', 'ab', 'changed there'],
  ['hotfix', 'ax', 'a', 'changed there'],
  ['hotfix; the file was edited', 'ax', 'ab', 'conflict'],
  ['built on a version that git never had and that was taken back', 'bab', 'bc', 'conflict'],
  ['two commits deployed as one, taken back; a clone with the first', 'dcd', 'da', 'conflict'],
  ['the orders cross', 'dca', 'dac', 'conflict'],
  ['hotfix pulled, then edited', 'ax', 'axb', 'changed here'],
  ['hotfix taken back on the service; file as it was', 'axa', 'a', 'unchanged'],
  ['an old checkout was forced over c', 'abcb', 'abc', 'changed there'],
  ['the repository is younger than the first version', 'abca', 'bc', 'changed there'],
  ['a branch was deployed and then abandoned by `git reset`', 'ab', 'a', 'changed there'],
  ['the first deploy of an old branch', 'abc', 'ab', 'changed there'],
  ['a flag goes on and off, each deployed, and on again', 'abab', 'ababa', 'changed here', later],
  ['the same, and then the service is set back once', 'ababa', 'abab', 'changed there'],
  ['git went there and back more often than it was deployed', 'ab', 'ababa', 'changed here'],
  ['versions are only known from the middle on', 'ba', 'abab', 'changed here'],
  ['the val was made anew, with one version', 'a', 'ab', 'changed here'],
];

test.each(oneLineRows)('%s: %s and %s is %s', async (_name, versions, commits, status, more = {}) => {
  const found = await statusesOf({ versions: codes(versions), commits: codes(commits), ...more });
  expect(found).toEqual(everywhere(status));
});

test('commit, revert, landed again, deployed once; then restored on the service: only times tell it', async () => {
  const found = await statusesOf({ versions: codes('aba'), commits: codes('abab') });
  expect(found).toEqual(['conflict', 'changed here', 'changed here']);
});

const asA = ['1', 'a', '3', '4', '5', '6', '7', '8'].join('\n');
const asB = asA.replace('a', 'b');

test.each([
  ['a hotfix that was merged, with a commit', [lines(), lines(3)], [lines(), lines(3, 8)], 'changed here'],
  ['the same, not merged', [lines(), lines(3)], [lines(), lines(8)], 'conflict'],
  [
    'pushed after the first of three commits, squashed',
    [lines(), lines(2)],
    [lines(), lines(2, 5, 7)],
    'changed here',
  ],
  [
    'restored; a commit takes a line of b back',
    [asA, asB, asA],
    [asA, asB, asA.replace('8', '8th')],
    'changed here',
  ],
  ['restored; a commit builds on b', [asA, asB, asA], [asA, asB, asB.replace('8', '8th')], 'conflict'],
  ['both changed a line, the service one more', [lines(), lines(3, 8)], [lines(), lines(3)], 'changed there'],
] as const)('%s', async (_name, versions, commits, status) => {
  expect(await statusesOf({ versions, commits })).toEqual(everywhere(status));
});

test('`git revert` of a val with fifty versions is sent', async () => {
  const deployed = Array.from({ length: 50 }, (_, index) => code(`${index}`));
  const commits = [...deployed, code('48')];
  const found = await statusesOf({ versions: deployed, commits });
  expect(found).toEqual(everywhere('changed here'));
});

/** A repository whose file x.ts has code a, as the service has it, and what was pushed then without a commit. */
async function deployed(
  switches: Switches,
  uncommitted?: string,
): Promise<{ service: Service; clone: Clone }> {
  const service = await reachableService('vals.test', { ...switches, now: timeOfGit });
  const clone = repository(service.env, { 'x.ts': code('a') });
  await clone.rows(['push']);
  if (uncommitted !== undefined) {
    clone.put({ 'x.ts': code(uncommitted) });
    await clone.rows(['push']);
  }
  return { service, clone };
}

/** The status with this code in the file. */
const statusWith = async (clone: Clone, letter?: string) => {
  if (letter !== undefined) clone.put({ 'x.ts': code(letter) });
  return (await clone.rows(['status', 'x.ts']))[0]?.status;
};

describe.each([
  ['with times', kinds[0] ?? {}],
  ['without times', kinds[1] ?? {}],
  ['with the documented fields alone', kinds[2] ?? {}],
])('on a service %s, with a record', (_what, switches) => {
  test('pushed without a commit, and edited on; then somebody pushed', async () => {
    const { clone, service } = await deployed(switches, 'b');
    expect(await statusWith(clone, 'c')).toBe('changed here');
    service.edit('x', code('d'));
    expect(await statusWith(clone, 'b')).toBe('changed there');
    expect(await statusWith(clone, 'c')).toBe('conflict');
    clone.loseRecords();
    expect(await statusWith(clone, 'b')).toBe('changed there');
  });

  test('pushed without a commit, and stashed', async () => {
    const { clone } = await deployed(switches, 'b');
    clone.git('stash', '-q');
    expect(await statusWith(clone)).toBe('changed there');
  });

  test.each([
    ['stashed', ['stash', '-q'], ''],
    ['taken back', ['checkout', '-q', '.'], ''],
    ['stashed; then git went on, and back', ['stash', '-q'], 'za'],
  ])('made by a push without a commit, and %s', async (_what, command, commits) => {
    const { env } = await reachableService('vals.test', { ...switches, now: timeOfGit });
    const clone = repository(env, { 'x.ts': code('a') });
    clone.commit({ 'y.ts': code('y') });
    clone.put({ 'x.ts': code('b') });
    await clone.rows(['push']);
    clone.git(...command);
    for (const letter of commits) clone.commit({ 'x.ts': code(letter) });
    expect(await statusWith(clone)).toBe('conflict');
  });

  test('pushed without a commit, and stashed; then git went on, and back', async () => {
    const { clone } = await deployed(switches, 'b');
    clone.git('stash', '-q');
    for (const letter of ['z', 'a']) clone.commit({ 'x.ts': code(letter) });
    expect(await statusWith(clone)).toBe('changed there');
  });

  test('committed, pushed, and reverted by git', async () => {
    const { clone } = await deployed(switches);
    clone.commit({ 'x.ts': code('b') });
    await clone.rows(['push']);
    clone.git('revert', '--no-edit', 'HEAD');
    expect(await statusWith(clone)).toBe('changed here');
  });

  test('pushed before the first commit, edited on, and committed', async () => {
    const { env } = await reachableService('vals.test', { ...switches, now: timeOfGit });
    const clone = new Clone(temporaryFolder(), env);
    clone.git('init', '-q');
    clone.put({ 'vals.json': '{}', 'x.ts': code('b') });
    await clone.rows(['push']);
    expect(await statusWith(clone, 'c')).toBe('changed here');
    clone.commit();
    expect(await statusWith(clone)).toBe('changed here');
  });

  test('committed, pushed something else without a commit, and stashed', async () => {
    const { clone } = await deployed(switches);
    clone.commit({ 'x.ts': code('z') });
    clone.put({ 'x.ts': code('b') });
    await clone.rows(['push']);
    clone.git('stash', '-q');
    expect(await statusWith(clone)).toBe('conflict');
  });

  test('pushed without a commit; git went on and back, and the file was edited', async () => {
    const { clone } = await deployed(switches, 'b');
    clone.commit({ 'x.ts': code('d') });
    clone.commit({ 'x.ts': code('a') });
    expect(await statusWith(clone, 'c')).toBe('changed here');
  });

  test('the file went on and back since the record, and the service went on twice', async () => {
    const { clone, service } = await deployed(switches);
    for (const letter of ['b', 'c']) service.edit('x', code(letter));
    for (const letter of ['b', 'a']) clone.commit({ 'x.ts': code(letter) });
    expect(await statusWith(clone)).toBe('conflict');
  });

  test('the service was restored from a copy, and has another code under the version of the record', async () => {
    const { clone, service } = await deployed(switches, 'b');
    service.val('x').versions.pop();
    service.edit('x', code('y'));
    expect(await statusWith(clone, 'c')).toBe('conflict');
  });

  test('a hotfix was pulled, and taken back by `git checkout`, or edited on', async () => {
    const { clone, service } = await deployed(switches);
    service.edit('x', code('x'));
    await clone.rows(['pull']);
    expect(await statusWith(clone, 'c')).toBe('changed here');
    clone.git('checkout', '-q', '.');
    expect(await statusWith(clone)).toBe('changed there');
    // vals has seen that the file went back, so the hotfix is not the base of the next edit.
    expect(await statusWith(clone, 'c')).toBe('conflict');
  });

  test('a hotfix was pulled and committed on another branch', async () => {
    const { clone, service } = await deployed(switches);
    service.edit('x', code('x'));
    clone.git('checkout', '-qb', 'keep');
    await clone.rows(['pull']);
    clone.commit();
    clone.git('checkout', '-q', 'main');
    expect(await statusWith(clone)).toBe('changed there');
    clone.commit({ 'x.ts': code('c') });
    expect((await clone.rows(['push'], 5))[0]?.reason).toBe('both changed');
    clone.git('checkout', '-qf', 'keep');
    expect(await statusWith(clone)).toBe('unchanged');
  });

  test('pushed without a commit, then the commit was amended and the file edited', async () => {
    const { clone } = await deployed(switches);
    clone.commit({ 'x.ts': code('z') });
    clone.put({ 'x.ts': code('b') });
    await clone.rows(['push']);
    clone.git('checkout', '-q', '.');
    clone.put({ 'x.ts': code('y') });
    clone.git('commit', '-qa', '--amend', '-m', 'amended');
    expect(await statusWith(clone, 'c')).toBe('conflict');
  });

  test('tried on the service and set back, seen as unchanged, and edited on', async () => {
    const { clone, service } = await deployed(switches);
    for (const letter of ['b', 'a']) service.edit('x', code(letter));
    expect(await statusWith(clone)).toBe('unchanged');
    // A val that tells no version may have been anything in between.
    expect(await statusWith(clone, 'c')).toBe('version' in switches ? 'changed here' : 'conflict');
    clone.loseRecords();
    expect(await statusWith(clone)).toBe('conflict');
  });

  test('pushed, and somebody deleted that version', async () => {
    const { clone, service } = await deployed(switches);
    clone.commit({ 'x.ts': code('b') });
    await clone.rows(['push']);
    service.val('x').versions.pop();
    for (const letter of ['b', 'c']) expect(await statusWith(clone, letter)).toBe('conflict');
    clone.put({ 'x.ts': code('b') });
    // A clone that never had the version is told nothing by its lack.
    expect(await new Clone(clone.folder, clone.env).status()).toMatchObject({ 'x.ts': 'changed here' });
    expect(await statusWith(clone, 'a')).toBe('unchanged');
    expect((await clone.rows(['push'])).map(({ status }) => status)).toEqual(['unchanged']);
  });

  test('the service was restored from an older copy, and lost the version of the record', async () => {
    const { clone, service } = await deployed(switches);
    for (const letter of ['b', 'c']) {
      clone.commit({ 'x.ts': code(letter) });
      await clone.rows(['push']);
    }
    service.val('x').versions.pop();
    const [row] = await clone.rows(['push'], 5);
    expect(row).toMatchObject({
      reason: 'both changed',
      error: { message: expect.stringContaining('version 3') },
    });
  });

  test('git went on and back to the record, and the service went on', async () => {
    const { clone, service } = await deployed(switches);
    clone.commit({ 'x.ts': code('b') });
    await clone.rows(['push']);
    for (const letter of ['a', 'b']) clone.commit({ 'x.ts': code(letter) });
    for (const letter of ['a', 'c']) service.edit('x', code(letter));
    expect(await statusWith(clone)).toBe('conflict');
  });

  test('pushed, and added to the index while the file was edited on', async () => {
    const { clone } = await deployed(switches, 'b');
    clone.put({ 'x.ts': code('c') });
    clone.git('add', '-A');
    expect(await statusWith(clone)).toBe('changed here');
  });

  test('outside of a repository, the record and the file are the history', async () => {
    const service = await reachableService('vals.test', switches);
    const place = workspaceWith(service.env, { 'x.ts': code('a') });
    await place.rows(['push']);
    place.put({ 'x.ts': code('b') });
    await place.rows(['push']);
    const status = async (letter: string) => {
      place.put({ 'x.ts': code(letter) });
      return (await place.status())['x.ts'];
    };
    expect(await status('a')).toBe('changed here');
    expect(await status('c')).toBe('changed here');
    service.edit('x', code('d'));
    expect(await status('b')).toBe('changed there');
  });
});
