import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repository } from './repository.ts';
import { type Env, newService, type Place, pushed, workspaceWith } from './support.ts';

it('a record has the id, the name, the file, the code and the branch, and is for its owner alone', async () => {
  const { env } = await newService();
  const place = repository(env, { 'lib/a.ts': 'a' });
  await place.rows(['push']);
  const [record, ...others] = place.records();
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    name: 'a',
    file: 'lib/a.ts',
    id: expect.any(String),
    version: 1,
    code: 'a',
  });
  expect(record).toMatchObject({ head: 'ref: refs/heads/main' });
  expect(place.git('status', '--porcelain')).toBe('');
});

it('every command writes one where both sides have the same code', async () => {
  const { place } = await pushed({ 'a.ts': 'a' });
  for (const command of ['status', 'diff', 'pull', 'push']) {
    place.loseRecords();
    await place.rows([command]);
    expect(place.records()).toMatchObject([{ name: 'a', code: 'a' }]);
  }
});

describe('with git, a record counts on its branch alone', () => {
  /** Pushed uncommitted, so that only the record knows the code of the service. */
  async function uncommitted() {
    const { env } = await newService();
    const place = repository(env, { 'a.ts': 'a1' });
    place.put({ 'a.ts': 'a2' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'a3' });
    return place;
  }

  it('on another branch the push asks once', async () => {
    const place = await uncommitted();
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    place.git('checkout', '-qb', 'feature');
    expect(await place.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
    place.git('checkout', '-q', 'main');
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  });

  it('a detached HEAD counts at its commit', async () => {
    const { env } = await newService();
    const place = repository(env, { 'a.ts': 'a1' });
    place.git('checkout', '-q', '--detach');
    place.put({ 'a.ts': 'a2' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'a3' });
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    place.git('commit', '-q', '--allow-empty', '-m', 'other');
    expect(await place.status()).toEqual({ 'a.ts': 'conflict' });
  });
});

describe('a record that is lost costs one question', () => {
  it.each<[string, (place: Place) => void]>([
    ['lost', (place) => place.loseRecords()],
    ['cut', (place) => overwriteAll(place, '.txt', (text) => text.slice(0, -1))],
    [
      'of another folder',
      (place) => overwriteAll(place, 'folder.json', (text) => text.replace('"path":"', '"path":"/x')),
    ],
  ])('if it is %s', async (_how, lose) => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const id = place.idOf('a.ts');
    lose(place);
    place.put({ 'a.ts': 'mine' });
    expect(await place.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
    const answers = [{ after: 'Overwrite 1 val?', keys: 'y\r' }];
    expect(await place.onScreen(['push'], { answers })).toMatchObject({ exit: 0 });
    place.put({ 'a.ts': 'mine again' });
    expect(await place.words(['push', '--no-check'])).toEqual({ 'a.ts': 'pushed' });
    expect(await service.code(id)).toBe('mine again');
  });

  function overwriteAll(place: Place, end: string, change: (text: string) => string): void {
    for (const { path, text } of place.ownFiles()) if (path.endsWith(end)) writeFileSync(path, change(text));
  }
});

it('a folder that took the place of another one does not get its records', async () => {
  const { place } = await pushed({ 'a.ts': 'a' });
  place.remove('.');
  place.put({ 'vals.json': '{}', 'a.ts': 'another' });
  expect(await place.status()).toEqual({ 'a.ts': 'conflict' });
});

it('nothing in a repository can make up a record', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  const id = place.idOf('a.ts');
  await service.edit('a', 'theirs');
  const stranger = workspaceWith(service.env, { 'a.ts': 'evil' });
  for (const { path, text } of place.ownFiles()) {
    const forged = text.replace(/\na$/, '\ntheirs').replace('"length":1', '"length":6');
    const below = path.split('/workspaces/')[1] ?? '';
    for (const folder of ['.vals', '.vals/workspaces', '.local/share/vals/workspaces'])
      stranger.put({ [`${folder}/${below}`]: forged });
  }
  expect(await stranger.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await service.code(id)).toBe('theirs');
});

it.each(['/dev/null', ''])('a data directory that cannot be written (%j) costs one warning', async (data) => {
  const { env } = await newService();
  const where: Env = data === '' ? { HOME: '' } : { VALS_DATA_DIR: data };
  const place = workspaceWith({ ...env, ...where }, { 'a.ts': 'a', 'b.ts': 'b' });
  const { exit, stderr } = await place.vals('push');
  expect(exit).toBe(0);
  expect(stderr.match(/warning: vals keeps no record of this workspace/g)).toHaveLength(1);
  place.put({ 'a.ts': 'a2' });
  expect((await place.vals('push')).exit).toBe(5);
  expect((await place.vals('push', '--force')).exit).toBe(0);
});
