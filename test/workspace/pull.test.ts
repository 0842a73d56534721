import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ends, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import {
  Place,
  pushed,
  reachableService,
  repository,
  serviceWith,
  timeOfGit,
  workspaceWith,
} from './places.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

test('pull writes what changed there, keeps edited files, and restores a missing file only if it is named', async () => {
  const service = await startStrict();
  const place = repository(service.env, { 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  await place.rows(['push']);
  service.edit('a', 'a2');
  place.put({ 'b.ts': 'b2' });
  chmodSync(join(place.folder, 'a.ts'), 0o755);
  place.remove('c.ts');
  expect(await place.words(['pull', '--dry-run'])).toEqual({ 'a.ts': 'planned', 'b.ts': 'kept' });
  expect(place.read('a.ts')).toBe('a');
  expect(await place.words(['pull'])).toEqual({ 'a.ts': 'pulled', 'b.ts': 'kept' });
  expect([place.read('a.ts'), place.read('b.ts'), place.backups()]).toEqual(['a2', 'b2', ['a']]);
  expect(statSync(join(place.folder, 'a.ts')).mode & 0o777).toBe(0o755);
  expect(await place.status()).toMatchObject({ 'a.ts': 'unchanged', 'c.ts': 'missing here' });
  expect(await place.words(['pull', 'c.ts'])).toEqual({ 'c.ts': 'pulled' });
  expect(place.read('c.ts')).toBe('c');
});

test('pull refuses a conflict with exit 5, merges with --merge, and overwrites with --force', async () => {
  const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n', 'lib/b.ts': 'b' });
  place.put({ 'a.ts': 'X\n2\n3\n' });
  service.edit('a', '1\n2\nY\n');
  const refused = await place.vals('pull', '--json');
  expect(refused).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
  expect(refused.error?.hint).toMatch(/--merge.*vals diff a\.ts/);
  expect(place.read('a.ts')).toBe('X\n2\n3\n');
  const merged = await place.vals('pull', 'a.ts', '--merge');
  expect(merged).toMatchObject({ exit: 0, stdout: expect.stringContaining('merged') });
  expect(merged.stderr).toContain('/backup/');
  expect(place.read('a.ts')).toBe('X\n2\nY\n');
  expect(place.backups()).toEqual(['X\n2\n3\n']);
  expect(await place.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'pushed' });

  place.put({ 'a.ts': 'Z\n', 'lib/b.ts': 'mine' });
  service.edit('a', 'there\n');
  const { stderr } = await place.vals('pull', '--force');
  expect(stderr).toMatch(/^The old content of 2 files is kept in \/.+\/backup\/[^/]+\.\n$/);
  expect(place.read('a.ts')).toBe('there\n');
  expect(place.backups().sort()).toEqual(['X\n2\n3\n', 'Z\n', 'mine']);
});

test.each([[['pull']], [['pull', '--force']], [['pull', '--merge']]])(
  'vals %j does not overwrite what is saved while it runs',
  async (args) => {
    const service = await serviceWith(({ path }) => {
      if (path.startsWith('/v1/vals/')) place.put({ 'a.ts': 'saved meanwhile' });
      return undefined;
    });
    const place: Place = workspaceWith(service.env, { 'a.ts': 'a' });
    await place.rows(['push']);
    if (args.includes('--merge')) place.put({ 'a.ts': 'mine' });
    service.edit('a', 'theirs');
    expect(await place.vals(...args)).toMatchObject({ exit: 5 });
    expect(place.read('a.ts')).toBe('saved meanwhile');
  },
);

test('pull --merge marks a conflict in the file, and push refuses the file until the markers are gone', async () => {
  const crlf = (text: string) => text.replaceAll('\n', '\r\n');
  const { place, service } = await pushed({ 'a.ts': crlf('1\n2\n3\n') });
  place.put({ 'a.ts': crlf('1\nX\n3\n') });
  service.edit('a', crlf('1\nY\n3\n'));
  const merged = await place.vals('pull', '--merge', '--json');
  expect(merged).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
  expect(place.read('a.ts')).toBe(crlf('1\n<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n3\n'));
  expect(await place.status()).toEqual({ 'a.ts': 'conflict' });
  for (const args of [['pull'], ['pull', '--merge'], ['push'], ['push', '--yes']]) {
    expect(await place.vals(...args)).toMatchObject({
      exit: 5,
      stderr: expect.stringMatching(/^error: a\.ts has conflict markers\.\nhint: Edit the file.*\n$/),
    });
  }
  expect(place.backups()).toEqual([crlf('1\nX\n3\n')]);
  expect(service.code('a')).toBe(crlf('1\nY\n3\n'));
  place.put({ 'a.ts': '1\nXY\n3\n' });
  expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  expect(service.code('a')).toBe(crlf('1\nXY\n3\n'));
});

test('pull takes a restore over, and refuses what was built on the bad version', async () => {
  const { env, edit } = await startStrict();
  const place = repository(env, { 'a.ts': '1\ngood\n3\n4\n5\n6\n' });
  await place.rows(['push', '--no-check']);
  place.commit({ 'a.ts': '1\nbad\n3\n4\n5\n6\n' });
  await place.rows(['push', '--no-check']);
  edit('a', '1\ngood\n3\n4\n5\n6\n');
  place.commit({ 'a.ts': '1\nbad\n3\n4\n5\nsix\n' });
  expect(await place.words(['pull'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await place.words(['pull', '--merge'])).toEqual({ 'a.ts': 'merged' });
  expect(place.read('a.ts')).toBe('1\ngood\n3\n4\n5\nsix\n');
  expect(await place.words(['push', '--no-check'])).toEqual({ 'a.ts': 'pushed' });
});

test('pull says why a file is kept, and without git merges and overwrites nothing', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  place.put({ 'a.ts': 'mine' });
  for (const args of [['a.ts'], ['--merge']]) {
    expect(await place.vals('pull', ...args)).toMatchObject({
      exit: 0,
      stderr: 'a.ts was kept: it has newer code than the service. To send it, run `vals push a.ts`.\n',
    });
  }
  service.edit('a', 'theirs');
  const here = place.at('.', { PATH: '' });
  expect(await here.vals('pull', '--merge')).toMatchObject(ends(10, 'git is not installed here'));
  expect(place.read('a.ts')).toBe('mine');
});

test('pull adds a val by its id, in a file of its name', async () => {
  const service = await startStrict();
  const place = workspaceWith(service.env);
  const { id: hello } = service.edit('hello', 'hello\n');
  expect(await place.rows(['pull', hello])).toEqual([
    { id: hello, file: 'hello.ts', name: 'hello', status: 'pulled', version: 1 },
  ]);
  expect(place.read('hello.ts')).toBe('hello\n');
  expect(await place.status()).toEqual({ 'hello.ts': 'unchanged' });
  expect(await place.vals('pull', id, '--json')).toMatchObject({ exit: 3, error: { kind: 'not_found' } });
});

test('where the service cannot list vals, pull writes the id of a val that a file here has the name of', async () => {
  const service = await reachableService();
  const place = repository(service.env, { 'hello.ts': 'mine' });
  const { id: hello } = service.edit('hello', 'theirs');
  expect(await place.words(['push'], 5)).toEqual({ 'hello.ts': 'failed' });
  expect(await place.vals('pull', hello)).toMatchObject(ends(5, 'Commit vals.json.'));
  expect(place.manifest().ids).toEqual({ [`${service.env.VALS_BASE_URL}`]: { hello } });
  expect(await place.words(['pull', 'hello.ts', '--force'])).toEqual({ 'hello.ts': 'pulled' });
  expect(await place.words(['push'])).toEqual({ 'hello.ts': 'unchanged' });
});

test('pull and push keep the files of vals that were deleted there', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { place, service } = await pushed(Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
  for (const name of names) service.remove(name);
  for (const args of [['pull'], ['pull', '--force']])
    expect(new Set(Object.values(await place.words(args, 5)))).toEqual(new Set(['failed']));
  expect(await place.vals('push')).toMatchObject({
    exit: 5,
    stderr: expect.stringMatching(
      / \(a\.ts, b\.ts, c\.ts and 2 more\)\. Each has a val that the service does not show/,
    ),
  });
  expect(await place.vals('pull', 'a.ts')).toMatchObject({ exit: 5 });
  expect(place.read('a.ts')).toBe('a');
});

test.each([null, 'a\ud800'])('pull refuses the code %j, which cannot be written to a file', async (code) => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  const { id } = service.val('a');
  place.put({ 'a.ts': 'mine' });
  service.switches.instead = ({ path }) =>
    path.startsWith(`/v1/vals/${id}`) ? { body: { id, name: 'a', code, version: 2 } } : undefined;
  const fresh = workspaceWith(service.env);
  for (const args of [['--merge'], ['--force']])
    expect(await place.vals('pull', ...args)).toMatchObject({ exit: 11 });
  expect(place.read('a.ts')).toBe('mine');
  expect(await fresh.vals('pull', id)).toMatchObject({ exit: 11 });
  expect(readdirSync(fresh.folder)).toEqual(['vals.json']);
});

test('a merge whose result is the code of the service is a conflict, and writes nothing', async () => {
  const service = await startStrict({ times: true, now: timeOfGit });
  const place = repository(service.env, { 'a.ts': '1\n' });
  await place.rows(['push', '--no-check']);
  for (const text of ['2\n', '3\n']) place.commit({ 'a.ts': text });
  for (const text of ['3\n', '2\n']) service.edit('a', text);
  place.loseRecords();
  const { exit, stderr } = await place.vals('pull', '--merge');
  expect({ exit, stderr }).toEqual({
    exit: 5,
    stderr:
      "error: a.ts was not merged: the merge is the code of the service, so nothing of the file would stay.\nhint: To take the service's code, run `vals pull a.ts --force`. To overwrite it, run `vals push a.ts --force`.\n",
  });
  expect(place.read('a.ts')).toBe('3\n');
  expect(place.backups()).toEqual([]);
});

test('of two vals of one name, pull and clone write one, and name the other as failed', async () => {
  const service = await startStrict({ list: true });
  const { id } = service.edit('a', 'one');
  service.edit('b', 'two').name = 'a';
  const [first, second] = [service.vals()[0]?.id, service.vals()[1]?.id];
  for (const args of [
    ['pull', '--all'],
    ['clone', 'new'],
  ]) {
    const isClone = args[0] === 'clone';
    const place = isClone ? new Place(temporaryFolder(), service.env) : workspaceWith(service.env);
    const { exit, stdout, error } = await place.vals(...args, '--json');
    expect(exit).toBe(9);
    expect(
      JSON.parse(stdout)
        .map(({ status }: { status: string }) => status)
        .sort(),
    ).toEqual(['failed', 'pulled']);
    expect(error?.message).toMatch(
      /^1 of 2 vals was not pulled \("a"\)\. The val (\S+) got no file, because (\S+) is named "a", too\.$/,
    );
    expect([first, second]).toContain(id);
    const files = place.at(isClone ? 'new' : '.');
    expect(['one', 'two']).toContain(files.read('a.ts'));
    expect(files.manifest().names).toBeUndefined();
  }
});
