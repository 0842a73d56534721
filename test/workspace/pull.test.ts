import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reachable } from '../support/reachable.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { manifestWith, newService, type Place, pushed, serviceWith, workspaceWith } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

describe('pull', () => {
  it('writes changed and missing files, and keeps files that were edited here', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    await service.edit('a', 'a2');
    place.put({ 'b.ts': 'b2' });
    chmodSync(join(place.folder, 'a.ts'), 0o755);
    place.remove('c.ts');
    const planned = { 'a.ts': 'planned', 'b.ts': 'kept', 'c.ts': 'planned' };
    expect(await place.words(['pull', '--dry-run'])).toEqual(planned);
    expect(place.read('a.ts')).toBe('a');
    expect(await place.words(['pull'])).toEqual({ 'a.ts': 'pulled', 'b.ts': 'kept', 'c.ts': 'pulled' });
    expect([place.read('a.ts'), place.read('b.ts'), place.read('c.ts')]).toEqual(['a2', 'b2', 'c']);
    expect(statSync(join(place.folder, 'a.ts')).mode & 0o777).toBe(0o755);
    expect(await place.status()).toMatchObject({ 'a.ts': 'unchanged', 'c.ts': 'unchanged' });
  });

  it('refuses a conflict with exit 5, merges with --merge, and overwrites with --force', async () => {
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

  it('asks before it takes code of a service that went back, as after a restored backup', async () => {
    const { place } = await pushed({ 'a.ts': '1' });
    place.put({ 'a.ts': '2' });
    await place.rows(['push']);
    await place.vals('version', 'rm', 'a', '2', '--yes');
    expect(await place.status()).toEqual({ 'a.ts': 'differs' });
    for (const command of ['pull', 'push']) {
      const refused = await place.vals(command, '--json');
      expect(refused).toMatchObject({ exit: 5 });
      expect(refused.error?.message).toContain('which went back from version 2 to 1');
    }
    await place.vals('pull', '--force');
    expect([place.read('a.ts'), place.backups()]).toEqual(['1', ['2']]);
  });

  it.each([['pull'], ['pull', '--force']])(
    'does not overwrite what is saved while it runs: %s %s',
    async (...args) => {
      const { service, env } = await serviceWith(({ path }) => {
        if (path.startsWith('/v1/vals/')) place.put({ 'a.ts': 'saved meanwhile' });
        return undefined;
      });
      const place: Place = workspaceWith(env, { 'a.ts': 'a' });
      await place.rows(['push']);
      await service.edit('a', 'theirs');
      const { exit, stderr } = await place.vals(...args);
      expect({ exit, stderr }).toEqual({
        exit: 5,
        stderr: expect.stringContaining('it was not overwritten'),
      });
      expect(place.read('a.ts')).toBe('saved meanwhile');
    },
  );

  it('marks a conflict in the file, and push refuses the file until the markers are gone', async () => {
    const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n' });
    place.put({ 'a.ts': '1\nX\n3\n' });
    await service.edit('a', '1\nY\n3\n');
    const merged = await place.vals('pull', '--merge', '--json');
    expect(merged).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
    expect(place.read('a.ts')).toBe('1\n<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n3\n');
    expect(await place.status()).toEqual({ 'a.ts': 'unmerged' });
    expect((await place.vals('pull')).stderr).toContain('a.ts has conflict markers. Edit the file');
    expect(await place.vals('pull', '--merge')).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('markers'),
    });
    expect(place.backups()).toEqual(['1\nX\n3\n']);
    expect(await place.vals('push', '--json')).toMatchObject({ exit: 5 });
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

  it.each(['status', 'push', 'pull --merge', 'diff'])(
    'vals %s says what to do after a merge in git that is not finished, if the service changed too',
    async (command) => {
      const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n' });
      await service.edit('a', '1\nY\n3\n');
      place.put({ 'a.ts': '1\n<<<<<<< HEAD\nX\n=======\nY\n>>>>>>> theirs\n3\n' });
      const { screen } = await place.onScreen(command.split(' '), { columns: 1_000 });
      expect(screen).toContain(command === 'status' ? '`vals status`' : '`vals push a.ts --force`');
      expect(screen).not.toMatch(/To send (?:it|them) then, run `vals push/);
      place.put({ 'a.ts': '1\nXY\n3\n' });
      expect(await place.words(['push', 'a.ts'], 5)).toEqual({ 'a.ts': 'failed' });
      expect(await place.words(['push', 'a.ts', '--force'])).toEqual({ 'a.ts': 'pushed' });
    },
  );

  it('adds a val by its id, in a file of its name or in the chosen file', async () => {
    const service = await newService();
    const place = workspaceWith(service.env);
    const first = await service.edit('hello', 'hello\n');
    const second = await service.edit('other', 'other');
    expect(await place.rows(['pull', first.id])).toEqual([
      { id: first.id, file: 'hello.ts', name: 'hello', version: 1, status: 'pulled' },
    ]);
    expect(place.read('hello.ts')).toBe('hello\n');
    place.put({ 'lib/other.js': 'mine' });
    const taken = await place.vals('pull', second.id, '--file', 'lib/other.js', '--json');
    expect(taken).toMatchObject({ exit: 10, error: { kind: 'local' } });
    expect(place.read('lib/other.js')).toBe('mine');
    expect(await place.words(['pull', second.id, '--file', 'lib/other.js', '--force'])).toEqual({
      'lib/other.js': 'pulled',
    });
    expect(place.backups()).toEqual(['mine']);
    expect(await place.status()).toEqual({ 'hello.ts': 'unchanged', 'lib/other.js': 'unchanged' });
    expect(await place.vals('pull', id, '--json')).toMatchObject({ exit: 3, error: { kind: 'not_found' } });
    expect(await place.vals('pull', 'hello', '--file', 'x.ts')).toMatchObject({ exit: 2 });
  });

  it('keeps the files of vals that were deleted on the service, and says so in one sentence', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { place, service } = await pushed(Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
    for (const name of names) await service.delete(place.idOf(`${name}.ts`));
    const sentence = 'a\\.ts, b\\.ts, c\\.ts and 2 more have no vals? on .*\n';
    expect(await place.vals('pull')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('kept'),
      stderr: expect.stringMatching(new RegExp(`^warning: ${sentence}$`)),
    });
    expect((await place.vals('push')).stderr).toMatch(new RegExp(`: ${sentence}`));
    expect(await place.vals('pull', 'a.ts')).toMatchObject({ exit: 3 });
    expect(place.read('a.ts')).toBe('a');
  });

  it('names several files that differ or have conflict markers in one sentence', async () => {
    const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    place.loseRecords();
    place.put({ 'a.ts': 'a2', 'b.ts': 'b2' });
    expect((await place.vals('pull')).stderr).toContain(
      ": a.ts and b.ts differ from the service's code, and no record shows which side is newer.",
    );
    const marked = '<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n';
    place.put({ 'c.ts': marked, 'd.ts': marked });
    expect((await place.vals('push', 'c.ts', 'd.ts')).stderr).toContain(
      ': c.ts and d.ts have conflict markers.',
    );
  });

  it.each([null, 'a\ud800'])('refuses the code %j, which cannot be written to a file', async (code) => {
    const service = await scriptedService([], () => ({ body: { id, name: 'a', code } }));
    const env = await reachable(service.env);
    const place = workspaceWith(env);
    expect(await place.vals('pull', id)).toMatchObject({ exit: 11 });
    expect(readdirSync(place.folder)).not.toContain('a.ts');
    place.put({ 'a.ts': 'mine', ...manifestWith('a.ts', 'a', { [env.VALS_BASE_URL]: id }) });
    for (const flag of ['--merge', '--force']) {
      expect(await place.vals('pull', flag)).toMatchObject({ exit: 11 });
      expect(place.read('a.ts')).toBe('mine');
    }
  });
});
