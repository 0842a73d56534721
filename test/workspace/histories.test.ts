// Which side is newer: commits on the one hand, versions on the other, and what the program says of them.
import { expect, test } from 'vitest';
import { oneLineRows } from './histories-rows.ts';
import { Clone, reachableService, repository, type Service, timeOfGit, withEverything } from './places.ts';

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
  status: string;
  /** The last commit is written after the last version was made. */
  lastCommitIsLater?: boolean;
  times?: boolean;
}

const kinds = [{}, withEverything];

async function statusesOf({ versions, commits, lastCommitIsLater = false, times = true }: Case) {
  const services = await Promise.all(
    kinds.map((kind) => reachableService('vals.test', { ...kind, times, now: timeOfGit })),
  );
  const [first = '', ...more] = commits;
  const later = lastCommitIsLater ? more.splice(-1) : [];
  const clone = repository({}, { 'x.ts': first });
  const commitAll = (texts: readonly string[]) => {
    for (const text of texts) clone.commit({ 'x.ts': text });
  };
  commitAll(more);
  for (const service of services) for (const version of versions) service.edit('x', version);
  commitAll(later);
  // Where the service cannot list vals, vals.json has the id.
  const statuses: string[] = [];
  for (const service of services) {
    const ids = { [service.env.VALS_BASE_URL ?? '']: { x: service.idOf('x') } };
    clone.put({ 'vals.json': JSON.stringify({ ids }) });
    const [row] = await new Clone(clone.folder, service.env).rows(['status']);
    statuses.push(row?.status ?? '');
  }
  return statuses;
}

test.each(oneLineRows)('%s: %s and %s is %s', async (_name, versions, commits, status, more = {}) => {
  const found = await statusesOf({ versions: codes(versions), commits: codes(commits), status, ...more });
  expect(found).toEqual([status, status]);
});

const asA = ['1', 'a', '3', '4', '5', '6', '7', '8'].join('\n');
const asB = asA.replace('a', 'b');

test.each<[string, Case]>([
  [
    'a hotfix that was merged, with a commit',
    { versions: [lines(), lines(3)], commits: [lines(), lines(3, 8)], status: 'changed here' },
  ],
  [
    'the same, not merged',
    { versions: [lines(), lines(3)], commits: [lines(), lines(8)], status: 'conflict' },
  ],
  [
    'pushed by hand after the first of three commits, squashed later',
    { versions: [lines(), lines(2)], commits: [lines(), lines(2, 5, 7)], status: 'changed here' },
  ],
  [
    'restored to a; a commit takes the line of b back and changes another',
    { versions: [asA, asB, asA], commits: [asA, asB, asA.replace('8', 'eight')], status: 'changed here' },
  ],
  [
    'restored to a; a commit builds on b',
    { versions: [asA, asB, asA], commits: [asA, asB, asB.replace('8', 'eight')], status: 'conflict' },
  ],
  [
    'both made the same change, the service one more',
    { versions: [lines(), lines(3, 8)], commits: [lines(), lines(3)], status: 'changed there' },
  ],
])('%s', async (_name, each) => {
  expect(await statusesOf(each)).toEqual([each.status, each.status]);
});

test('`git revert` of a val with fifty versions is sent', async () => {
  const deployed = Array.from({ length: 50 }, (_, index) => code(`${index}`));
  const commits = [...deployed, code('48')];
  const found = await statusesOf({ versions: deployed, commits, status: 'changed here' });
  expect(found).toEqual(['changed here', 'changed here']);
});

/** A repository whose file x.ts has code a, as the service has it. */
async function deployed(): Promise<{ service: Service; clone: Clone }> {
  const service = await reachableService('vals.test', { now: timeOfGit });
  const clone = repository(service.env, { 'x.ts': code('a') });
  await clone.rows(['push']);
  return { service, clone };
}

const statusOf = async (clone: Clone) => (await clone.rows(['status']))[0]?.status;

test('pushed without a commit, and edited on', async () => {
  const { clone } = await deployed();
  clone.put({ 'x.ts': code('b') });
  await clone.rows(['push']);
  clone.put({ 'x.ts': code('c') });
  expect(await statusOf(clone)).toBe('changed here');
});

test('pushed without a commit; then somebody pushed, and the file was edited', async () => {
  const { clone, service } = await deployed();
  clone.put({ 'x.ts': code('b') });
  await clone.rows(['push']);
  service.edit('x', code('d'));
  expect(await statusOf(clone)).toBe('changed there');
  clone.put({ 'x.ts': code('c') });
  expect(await statusOf(clone)).toBe('conflict');
});

test('pushed without a commit, and stashed', async () => {
  const { clone } = await deployed();
  clone.put({ 'x.ts': code('b') });
  await clone.rows(['push']);
  clone.git('stash', '-q');
  expect(await statusOf(clone)).toBe('changed there');
});

test('a hotfix was pulled, and taken back by `git checkout`, or edited on', async () => {
  const { clone, service } = await deployed();
  service.edit('x', code('x'));
  await clone.rows(['pull']);
  clone.put({ 'x.ts': code('c') });
  expect(await statusOf(clone)).toBe('changed here');
  clone.git('checkout', '-q', '.');
  expect(await statusOf(clone)).toBe('changed there');
  // vals has seen that the file went back, so the hotfix is not the base of the next edit.
  clone.put({ 'x.ts': code('c') });
  expect(await statusOf(clone)).toBe('conflict');
});

test('a hotfix was pulled and committed on another branch', async () => {
  const { clone, service } = await deployed();
  service.edit('x', code('x'));
  clone.git('checkout', '-qb', 'keep');
  await clone.rows(['pull']);
  clone.commit();
  clone.git('checkout', '-q', 'main');
  expect(await statusOf(clone)).toBe('changed there');
  clone.commit({ 'x.ts': code('c') });
  expect((await clone.rows(['push'], 5))[0]?.reason).toBe('both changed');
  clone.git('checkout', '-qf', 'keep');
  expect(await statusOf(clone)).toBe('unchanged');
});

test('pushed without a commit, then the commit was amended and the file edited', async () => {
  const { clone } = await deployed();
  clone.commit({ 'x.ts': code('z') });
  clone.put({ 'x.ts': code('b') });
  await clone.rows(['push']);
  clone.git('checkout', '-q', '.');
  clone.put({ 'x.ts': code('y') });
  clone.git('commit', '-qa', '--amend', '-m', 'amended');
  clone.put({ 'x.ts': code('c') });
  expect(await statusOf(clone)).toBe('conflict');
});
