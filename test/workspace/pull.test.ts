import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scriptedService } from '../support/scripted-service.ts';
import { newService, noList, type Place, pushed, serviceWith, workspaceWith } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

it('pull writes what changed there, keeps edited files, and restores a missing file only if it is named', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  await service.edit('a', 'a2');
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

it('pull refuses a conflict with exit 5, merges with --merge, and overwrites with --force', async () => {
  const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n', 'lib/b.ts': 'b' });
  place.put({ 'a.ts': 'X\n2\n3\n' });
  await service.edit('a', '1\n2\nY\n');
  const refused = await place.vals('pull', '--json');
  expect(refused).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
  expect(refused.error?.hint).toMatch(/--merge.*--force/);
  expect(place.read('a.ts')).toBe('X\n2\n3\n');
  const merged = await place.vals('pull', 'a.ts', '--merge');
  expect(merged).toMatchObject({ exit: 0, stdout: expect.stringContaining('merged') });
  expect(merged.stderr).toContain('/backup/');
  expect(place.read('a.ts')).toBe('X\n2\nY\n');
  expect(place.backups()).toEqual(['X\n2\n3\n']);
  expect(await place.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'pushed' });

  place.put({ 'a.ts': 'Z\n', 'lib/b.ts': 'mine' });
  await service.edit('a', 'there\n');
  const { stderr } = await place.vals('pull', '--force');
  expect(stderr).toMatch(/^The old content of 2 files is kept in \/.+\/backup\/[^/]+\.\n$/);
  expect(place.read('a.ts')).toBe('there\n');
  expect(place.backups().sort()).toEqual(['X\n2\n3\n', 'Z\n', 'mine']);
});

it.each([[['pull']], [['pull', '--force']], [['pull', '--merge']]])(
  'vals %j does not overwrite what is saved while it runs',
  async (args) => {
    const { service, env } = await serviceWith(({ path }) => {
      if (path.startsWith('/v1/vals/')) place.put({ 'a.ts': 'saved meanwhile' });
      return undefined;
    });
    const place: Place = workspaceWith(env, { 'a.ts': 'a' });
    await place.rows(['push']);
    if (args.includes('--merge')) place.put({ 'a.ts': 'mine' });
    await service.edit('a', 'theirs');
    expect(await place.vals(...args)).toMatchObject({ exit: 5 });
    expect(place.read('a.ts')).toBe('saved meanwhile');
  },
);

it('pull --merge marks a conflict in the file, and push refuses the file until the markers are gone', async () => {
  const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n' });
  place.put({ 'a.ts': '1\nX\n3\n' });
  await service.edit('a', '1\nY\n3\n');
  const merged = await place.vals('pull', '--merge', '--json');
  expect(merged).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
  expect(place.read('a.ts')).toBe('1\n<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n3\n');
  expect(await place.status()).toEqual({ 'a.ts': 'unmerged' });
  for (const args of [['pull'], ['pull', '--merge'], ['push'], ['push', '--yes']]) {
    const { exit, stderr } = await place.vals(...args);
    expect({ exit, stderr }).toEqual({
      exit: 5,
      stderr: expect.stringMatching(
        /^error: a\.ts has conflict markers\.\nhint: Edit the file.*`vals push a\.ts`/,
      ),
    });
  }
  expect(place.backups()).toEqual(['1\nX\n3\n']);
  expect(await service.code(place.idOf('a.ts'))).toBe('1\nY\n3\n');
  const marked = place.read('a.ts');
  place.put({ 'a.ts': '1\nXY\n3\n' });
  expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  expect(await service.code(place.idOf('a.ts'))).toBe('1\nXY\n3\n');
  place.put({ 'a.ts': marked });
  const forced = await place.vals('push', '--force', '--no-check');
  expect(forced).toMatchObject({ exit: 0, stderr: expect.stringContaining('conflict markers') });
});

it('after a merge in git that is not finished, every hint names the file to force if the service changed too', async () => {
  const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n', 'b.ts': 'b' });
  await service.edit('a', '1\nY\n3\n');
  place.put({ 'a.ts': '1\n<<<<<<< HEAD\nX\n=======\nY\n>>>>>>> theirs\n3\n' });
  for (const command of ['status', 'push', 'pull --merge', 'diff']) {
    const { screen } = await place.onScreen(command.split(' '), { columns: 1_000 });
    expect(screen).toContain('`vals push a.ts --force`');
    expect(screen).not.toMatch(/To send (?:it|them) then, run `vals push/);
  }
  place.put({ 'a.ts': '1\nXY\n3\n' });
  expect(await place.words(['push', 'a.ts'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await place.words(['push', 'a.ts', '--force'])).toEqual({ 'a.ts': 'pushed' });
});

it('pull adds a val by its id, in a file of its name', async () => {
  const service = await newService();
  const place = workspaceWith(service.env);
  const { id: hello } = await service.edit('hello', 'hello\n');
  expect(await place.rows(['pull', hello])).toEqual([
    { id: hello, file: 'hello.ts', name: 'hello', version: 1, status: 'pulled' },
  ]);
  expect(place.read('hello.ts')).toBe('hello\n');
  expect(await place.status()).toEqual({ 'hello.ts': 'unchanged' });
  expect(await place.vals('pull', id, '--json')).toMatchObject({ exit: 3, error: { kind: 'not_found' } });
});

it('pull and push keep the files of vals that were deleted there, and push --yes makes the vals anew', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { place, service } = await pushed(Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
  for (const name of names) await service.delete(place.idOf(`${name}.ts`));
  expect(new Set(Object.values(await place.status()))).toEqual(new Set(['deleted there']));
  expect(new Set(Object.values(await place.words(['pull'])))).toEqual(new Set(['kept']));
  expect(await place.vals('push')).toMatchObject({
    exit: 5,
    stderr: expect.stringMatching(/: a\.ts, b\.ts, c\.ts and 2 more have no vals on the service any more/),
  });
  expect(await place.vals('pull', 'a.ts')).toMatchObject({ exit: 3 });
  expect(place.read('a.ts')).toBe('a');
  expect(await place.words(['push', 'a.ts', '--yes'])).toEqual({ 'a.ts': 'created' });
  place.put({ 'b.ts': '<<<<<<< here\n1\n=======\n2\n>>>>>>> there\n' });
  expect(await place.words(['status', 'b.ts'])).toEqual({ 'b.ts': 'unmerged' });
  expect(await place.words(['push', 'b.ts', '--yes'], 5)).toEqual({ 'b.ts': 'failed' });
});

it.each([null, 'a\ud800'])('pull refuses the code %j, which cannot be written to a file', async (bad) => {
  let code: string | null = 'a';
  const service = await scriptedService([], (seen) => {
    if (seen.path === '/v1/me') return { body: { id: 'me' } };
    return noList(seen) ?? { body: { id, name: 'a', code, version: 1 } };
  });
  const place = workspaceWith(service.env);
  await place.rows(['pull', id]);
  place.put({ 'a.ts': 'mine' });
  code = bad;
  for (const flag of ['--merge', '--force']) {
    expect(await place.vals('pull', flag)).toMatchObject({ exit: 11 });
    expect(place.read('a.ts')).toBe('mine');
  }
  const fresh = workspaceWith(service.env);
  expect(await fresh.vals('pull', id)).toMatchObject({ exit: 11 });
  expect(readdirSync(fresh.folder)).toEqual(['vals.json']);
});
