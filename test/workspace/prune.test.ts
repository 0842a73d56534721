import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './repository.ts';
import {
  newService,
  Place,
  passOnAfter,
  pushed,
  type Service,
  serviceWith,
  workspaceWith,
} from './support.ts';

const names = async (service: Service): Promise<string[]> =>
  (await service.vals()).map(({ name }) => name).sort();

/** The files of the vals a and b are gone, and the val elsewhere never had one here. */
async function workspace() {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  await service.edit('elsewhere', 'x');
  const ids = { a: place.idOf('a.ts'), b: place.idOf('b.ts') };
  place.remove('a.ts', 'b.ts');
  return { place, service, ids };
}

it('push --prune deletes the vals whose files are gone, and no others', async () => {
  const { place, service } = await workspace();
  expect(await place.words(['push'])).toEqual({ 'c.ts': 'unchanged' });
  const planned = { 'a.ts': 'planned', 'b.ts': 'planned', 'c.ts': 'unchanged' };
  expect(await place.words(['push', '--prune', '--dry-run'])).toEqual(planned);
  expect(await names(service)).toEqual(['a', 'b', 'c', 'elsewhere']);
  const deleted = { 'a.ts': 'deleted', 'b.ts': 'deleted', 'c.ts': 'unchanged' };
  expect(await place.words(['push', '--prune', '--yes'])).toEqual(deleted);
  expect(await names(service)).toEqual(['c', 'elsewhere']);
  expect(await place.words(['push', '--prune'])).toEqual({ 'c.ts': 'unchanged' });
  place.put({ 'a.ts': 'again' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'created', 'c.ts': 'unchanged' });
});

describe('the question of push --prune', () => {
  it('lists the vals, and deletes nothing after a no', async () => {
    const { place, service } = await workspace();
    const ask = (keys: string) =>
      place.onScreen(['push', '--prune'], { answers: [{ after: '[y/N]', keys }] });
    const refused = await ask('n\r');
    expect(refused.exit).toBe(2);
    expect(refused.screen).toMatch(/ {2}a {2}version 1 {2}.*a\.ts/);
    expect(refused.screen).toContain('Delete 2 vals with all their versions? [y/N]');
    place.put({ 'c.ts': 'c2' });
    expect(await ask('n\r')).toMatchObject({ exit: 9 });
    expect(await service.code(place.idOf('c.ts'))).toBe('c2');
    expect(await names(service)).toEqual(['a', 'b', 'c', 'elsewhere']);
    expect((await ask('y\r')).exit).toBe(0);
    expect(await names(service)).toEqual(['c', 'elsewhere']);
  });

  it('cannot be asked without a terminal, and the hint names what --yes overwrites, too', async () => {
    const { place, service } = await workspace();
    const hintOfPush = async () => (await place.vals('push', '--prune')).stderr.split('\n')[1];
    expect(await hintOfPush()).toBe('hint: To delete without a question, add --yes.');
    await service.edit('c', 'hotfix');
    place.put({ 'c.ts': 'mine' });
    expect(await hintOfPush()).toBe(
      'hint: To delete a and b, and to replace what the service has for c, without a question, add --yes.',
    );
    const { stderr } = await place.vals('push', '--prune', '--yes', '--dry-run');
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'A push would delete a and b.',
      'A push would overwrite c, which changed here and on the service.',
    ]);
  });

  it('may be open while a file comes back, and while another command renames a val', async () => {
    const { place, service } = await workspace();
    const beforeKeys = async () => {
      place.put({ 'b.ts': 'b', 'moved.ts': 'a' });
      expect(await place.words(['push', 'moved.ts'])).toEqual({ 'moved.ts': 'renamed' });
    };
    const answers = [{ after: '[y/N]', keys: 'y\r', beforeKeys }];
    expect(await place.onScreen(['push', '--prune'], { answers })).toMatchObject({ exit: 5 });
    expect(await names(service)).toEqual(['b', 'c', 'elsewhere', 'moved']);
  });
});

describe('push --prune does not delete', () => {
  it('a val that has other code by now, or that was renamed', async () => {
    const { place, service, ids } = await workspace();
    await service.edit('a', 'theirs');
    const rows = await place.rows(['push', '--prune', '--yes'], 9);
    const [row, ...others] = rows.sort((one, other) => (one.file < other.file ? -1 : 1));
    expect(row?.error?.message).toContain('a.ts is gone, but its val "a" was not deleted: it changed');
    expect(row?.error?.hint).toMatch(/`vals pull a\.ts`.*`vals val rm a`/);
    expect(others.map(({ status }) => status)).toEqual(['deleted', 'unchanged']);
    expect(await service.code(ids.a)).toBe('theirs');
    await service.ask('PUT', `/v1/vals/${ids.a}`, { name: 'theirs' });
    expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'c.ts': 'unchanged' });
    expect(await names(service)).toEqual(['c', 'elsewhere', 'theirs']);
  });

  it('a val that somebody changes while it is deleted', async () => {
    const { service, env } = await serviceWith(({ method }, there) =>
      method === 'DELETE' ? passOnAfter(there, () => there.edit('a', 'theirs')) : undefined,
    );
    const place = workspaceWith(env, { 'a.ts': 'a' });
    await place.rows(['push']);
    place.remove('a.ts');
    expect(await place.words(['push', '--prune', '--yes'], 5)).toEqual({ 'a.ts': 'failed' });
    expect(await names(service)).toEqual(['a']);
  });

  it('a val without a record and without git', async () => {
    const { place, service } = await workspace();
    place.loseRecords();
    expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'c.ts': 'unchanged' });
    expect(await names(service)).toHaveLength(4);
  });

  it('the val of a file that an ignore file lists by now', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    place.put({ '.valsignore': 'a.ts\n' });
    expect(await place.status()).toEqual({ 'b.ts': 'unchanged' });
    expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'b.ts': 'unchanged' });
    expect(await names(service)).toEqual(['a', 'b']);
  });

  it('the val of a file that git moved to another workspace of the repository', async () => {
    const service = await newService();
    const top = repository(service.env, { 'a/vals.json': '{}', 'a/greet.ts': '1', 'b/vals.json': '{}' });
    await top.rows(['push', 'a']);
    top.git('mv', 'a/greet.ts', 'b/greet.ts');
    top.commit();
    const fresh = top.clone();
    const { exit, stderr } = await fresh.vals('push', 'b');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    // The first clone has a record of the val.
    for (const { folder, env, home } of [fresh, top]) {
      const pruned = await new Place(join(folder, 'a'), env, home).vals('push', '--prune', '--yes');
      expect(pruned).toMatchObject({
        exit: 0,
        stderr: expect.stringContaining('git moved its file greet.ts to ../b/greet.ts'),
      });
    }
    expect(await names(service)).toEqual(['greet']);
  });

  it('anything with --watch, --name or a path, or without an answer to its question', async () => {
    const { place, service } = await workspace();
    for (const args of [
      ['--yes', '--watch'],
      ['--yes', 'c.ts'],
      ['--yes', 'c.ts', '--name', 'x'],
      ['--force'],
      [],
    ]) {
      expect((await place.vals('push', '--prune', ...args)).exit, args.join(' ')).toBe(2);
    }
    expect(await names(service)).toHaveLength(4);
  });
});
