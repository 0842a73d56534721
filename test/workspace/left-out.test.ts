import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ends, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { Clone, Place, pushed } from './places.ts';

const files = { 'a.ts': 'a', 'secrets.json': '{}', 'private/key.ts': 'key', 'b.test.ts': 'b' };

/** vals.json has names for files that a push of the folder does not take. */
async function workspace() {
  const service = await startStrict();
  const names = { 'secrets.json': 'v1', 'private/key.ts': 'v2' };
  const more = { '.gitignore': 'private/\n', 'vals.json': JSON.stringify({ names }) };
  const place = new Clone(temporaryFolder(), service.env);
  place.put({ ...files, ...more });
  const there = async () => (await place.vals('ls', '--all', '--fields', 'name')).stdout.split('\n').sort();
  return { place, service, there };
}

it('push sends such a source file if the command line names it, and a prune in a repository does not delete its val', async () => {
  const { place, there } = await workspace();
  const paths = ['private/key.ts', 'b.test.ts'];
  const rows = await place.rows(['push', ...paths, '--no-check']);
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ['v2', 'created'],
    ['b_test', 'created'],
  ]);
  expect(await place.vals('push', 'secrets.json')).toMatchObject(
    ends(2, 'secrets.json is not a source file'),
  );
  expect(await place.status()).toEqual({ 'a.ts': 'new' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'created' });
  expect(await place.words(['push', '.'])).toEqual({ 'a.ts': 'unchanged' });
  place.git('init', '-q');
  place.git('add', '-A', '-f');
  place.git('commit', '-qm', 'all');
  expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'a.ts': 'unchanged' });
  expect(await there()).toEqual(['', 'a', 'b_test', 'v2']);
});

it('in a folder below, a path is relative to that folder, and messages name files from there', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'sub/b.ts': 'b' });
  place.put({ 'a.ts': 'mine', 'sub/b.ts': 'b2' });
  service.edit('a', 'theirs');
  symlinkSync('a.ts', join(place.folder, '.gitignore'));
  const below = new Place(join(place.folder, 'sub'), place.env, place.home);
  const { exit, stderr, stdout } = await below.vals('push');
  expect(exit).toBe(9);
  expect(stderr).toMatch(/^warning: \.\.\/\.gitignore was not read/);
  expect(stdout).toMatch(/failed\ta\t.*\.\.\/a\.ts\npushed\tb\t.*\tb\.ts\n/);
  expect(stderr).toContain('../a.ts differs from the service, and nobody can tell which side is newer.');
  expect(stderr).toContain('`vals push ../a.ts --force`');
  expect(await below.vals('pull', 'a.ts')).toMatchObject({ exit: 3 });
});

it('push in a folder reads the ignore files at the top of the workspace', async () => {
  const { place } = await workspace();
  place.put({ 'lib/b.ts': 'b', 'lib/c.ts': 'c', '.valsignore': 'c.ts' });
  expect(await place.words(['push', 'lib'])).toEqual({ 'lib/b.ts': 'created' });
});

it('push sends nothing if an ignore file is too large to be read', async () => {
  const { place, there } = await workspace();
  place.put({ 'lib/secret.ts': 'secret', 'lib/.valsignore': 'secret.ts\n' });
  truncateSync(join(place.folder, 'lib/.valsignore'), 65 * 1_048_576);
  for (const args of [['push'], ['push', 'lib']]) {
    expect(await place.vals(...args)).toMatchObject(ends(10, 'is larger than 64 MB'));
  }
  expect(await there()).toEqual(['']);
});

it.each(['.git/HEAD', 'vals.json'])(
  'a file in a folder with %s is neither sent nor written',
  async (mark) => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'lib/b.ts': 'b' });
    service.edit('b', 'theirs');
    place.put({ [`lib/${mark}`]: '{}', 'lib/b.ts': 'of others' });
    for (const args of [
      ['push', '--force'],
      ['push', '--prune', '--yes'],
      ['pull', '--force'],
    ]) {
      const { stderr } = await place.vals(...args);
      expect(stderr).toContain('lib was left out: it is a repository or a workspace of its own.');
    }
    // With a vals.json of its own, the folder is another workspace, and has no record of the val.
    const exit = mark === 'vals.json' ? 5 : 10;
    expect(await place.vals('push', 'lib/b.ts')).toMatchObject({ exit });
    await place.vals('pull', 'b', '--force');
    expect(place.read('lib/b.ts')).toBe('of others');
    expect(service.code('b')).toBe('theirs');
    place.put({ 'lib/.git/HEAD': '', 'lib/vals.json': '{}' });
    for (const command of ['push', 'status', 'pull'])
      expect(await place.vals(command, 'lib/b.ts')).toMatchObject({ exit: 10 });
  },
);
