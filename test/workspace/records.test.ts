import { statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { asCode } from '../../src/workspace/code.ts';
import { usualFields } from '../support/strict/switches.ts';
import { startStrict } from '../support/strict-service.ts';
import { type Env, type Place, pushed, repository, workspaceWith } from './places.ts';

it('a record has the id, the version, the code and the commit, and is for its owner alone, as backups are', async () => {
  const service = await startStrict(usualFields);
  const place = repository(service.env, { 'lib/a.ts': 'a' });
  await place.rows(['push']);
  const commit = place.git('rev-parse', 'HEAD').trim();
  expect(place.records()).toEqual({
    a: { id: service.val('a').id, version: 1, blob: asCode('a').blob, commit },
  });
  expect(place.git('status', '--porcelain')).toBe('');
  service.edit('a', 'new');
  await place.rows(['pull']);
  expect(place.backups()).toEqual(['a']);
  const modesOf = (paths: string[]) => new Set(paths.map((path) => statSync(path).mode & 0o777));
  const files = place.ownFiles().map(({ path }) => path);
  expect([modesOf(files), modesOf(files.map(dirname))]).toEqual([new Set([0o600]), new Set([0o700])]);
});

it('every command writes one where both sides have the same code', async () => {
  const { place } = await pushed({ 'a.ts': 'a' }, await startStrict({ list: true }));
  for (const command of ['status', 'diff', 'pull', 'push']) {
    place.loseRecords();
    await place.rows([command]);
    expect(place.records()).toMatchObject({ a: { blob: asCode('a').blob } });
  }
});

it.each<[string, (place: Place) => void]>([
  ['lost', (place) => place.loseRecords()],
  [
    'cut',
    (place) => {
      for (const { path, text } of place.ownFiles()) writeFileSync(path, text.slice(0, -3));
    },
  ],
])('a record that is %s costs no more than a conflict', async (_how, lose) => {
  const { place, service } = await pushed({ 'a.ts': 'a' }, await startStrict({ list: true }));
  lose(place);
  place.put({ 'a.ts': 'mine' });
  expect(await place.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await place.words(['push', '--force'])).toEqual({ 'a.ts': 'pushed' });
  place.put({ 'a.ts': 'mine again' });
  expect(await place.words(['push', '--no-check'])).toEqual({ 'a.ts': 'pushed' });
  expect(service.code('a')).toBe('mine again');
});

it('a folder that took the place of another one does not get its records', async () => {
  const { place } = await pushed({ 'a.ts': 'a' }, await startStrict({ list: true }));
  place.remove('.');
  place.put({ 'vals.json': '{}', 'a.ts': 'another' });
  expect(await place.status()).toEqual({ 'a.ts': 'conflict' });
});

it('nothing in a repository can make up a record', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' }, await startStrict({ list: true }));
  service.edit('a', 'theirs');
  const stranger = workspaceWith(service.env, { 'a.ts': 'evil' });
  for (const { path, text } of place.ownFiles()) {
    const forged = text.replace(asCode('a').blob, asCode('theirs').blob);
    const below = path.split('/workspaces/')[1] ?? '';
    for (const folder of ['.vals', '.vals/workspaces', '.local/share/vals/workspaces'])
      stranger.put({ [`${folder}/${below}`]: forged });
  }
  expect(await stranger.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(service.code('a')).toBe('theirs');
});

it.each(['/dev/null', ''])('a data directory that cannot be written (%j) costs one warning', async (data) => {
  const { env } = await startStrict({ list: true });
  const where: Env = data === '' ? { HOME: '' } : { VALS_DATA_DIR: data };
  const place = workspaceWith({ ...env, ...where }, { 'a.ts': 'a', 'b.ts': 'b' });
  const { exit, stderr } = await place.vals('push');
  expect(exit).toBe(0);
  expect(stderr.match(/warning: vals keeps no record of this workspace/g)).toHaveLength(1);
  place.put({ 'a.ts': 'a2' });
  expect((await place.vals('push')).exit).toBe(5);
  expect((await place.vals('push', '--force')).exit).toBe(0);
});
