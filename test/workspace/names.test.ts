import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameProblem } from '../../src/workspace/disk/write-files.ts';
import { folderOf, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { Place, pushed } from './places.ts';

const snapshot = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\/\.vals(\/|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

const idOf = (index: number) => `4f2c0c1e-6a53-4bd2-9a2e-${String(index).padStart(12, '0')}`;

/** A workspace, and a service with vals of these names. */
async function served(...names: string[]) {
  const vals = names.map((name, index) => ({ id: idOf(index), name, code: 'evil', version: 1 }));
  const service = await scriptedService([], ({ path }) => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    if (path.startsWith('/v1/users/me/vals')) return { body: vals };
    return { body: vals.find(({ id }) => path.endsWith(id)) };
  });
  const outer = temporaryFolder();
  const place = new Place(join(outer, 'workspace'), service.env);
  place.put({
    'vals.json': '{"names": {"café.ts": "cafe"}}',
    ...{ 'Known.ts': 'known', 'café.ts': 'cafe', 'Other.ts': 'other', '.git/config': 'git' },
  });
  return { place, outer, ids: vals.map(({ id }) => id) };
}

const hostile = [
  ...['../x', '/tmp/x', 'a/b', 'a\\b', 'x:stream', '.git', 'trailing.', 'trailing ', ' leading'],
  ...['--checkpoint-action=exec=sh x', 'CON', 'nul.ts', 'COM¹', 'CONIN$', 'GIT~1', 'vite.config'],
  ...['a\u001b[2Jb', 'a\u202eb', 'a\u2028b', '\ud800', 'x'.repeat(201), 'é'.repeat(101), '1'],
  ...['known', 'KNOWN', 'cafe\u0301', 'CAFÉ', 'other'],
];

it('a val of any name gets a new file in the workspace, and keeps its name', async () => {
  const { place, outer, ids } = await served(...hostile);
  const before = snapshot(outer);
  const rows = await place.rows(['pull', ...ids]);
  expect(rows.map(({ name, status }) => [name, status])).toEqual(hostile.map((name) => [name, 'pulled']));
  const written = rows.map(({ file }) => [join(place.folder, file), 'evil']);
  const manifest = join(place.folder, 'vals.json');
  expect(rows.filter(({ file }) => !/^[^/\\]+\.ts$/.test(file))).toEqual([]);
  expect(written.filter(([path = '']) => path in before)).toEqual([]);
  expect(snapshot(outer)).toEqual({
    ...before,
    ...Object.fromEntries(written),
    [manifest]: expect.any(String),
  });
  const names = Object.fromEntries(rows.map(({ file, name }) => [file, name]));
  expect(place.manifest().names).toMatchObject({ 'café.ts': 'cafe', ...names });
  const files = Object.keys(names);
  const unchanged = Object.fromEntries(files.map((file) => [file, 'unchanged']));
  expect(await place.words(['status', ...files])).toEqual(unchanged);
  expect(await place.words(['pull', ...ids])).toEqual(unchanged);
  const nameless = await served('');
  expect(await nameless.place.vals('pull', ...nameless.ids)).toMatchObject({ exit: 11 });
});

it('no command follows a file or folder that became a link', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'sub/b.ts': 'b' });
  service.edit('a', 'a2');
  service.edit('b', 'b2');
  const outside = folderOf({ 'b.ts': 'secret' });
  const swap = (path: string, target: string) => {
    place.remove(path);
    symlinkSync(target, join(place.folder, path));
  };
  swap('a.ts', join(outside, 'b.ts'));
  swap('sub', outside);
  for (const command of ['status', 'diff', 'pull', 'push']) await place.vals(command, '--json');
  expect(snapshot(outside)).toEqual({ [join(outside, 'b.ts')]: 'secret' });
  expect(service.code('a')).toBe('a2');
});

it('on Windows, a file cannot have a name that Windows does not allow', () => {
  expect(nameProblem('what?', 'win32')).toContain('? or *');
  expect(nameProblem('what?', 'linux')).toBeUndefined();
});

// A link stands for a disk that takes two spellings for one file.
it.each([
  ['case.ts', 'Case.ts', 'case'],
  ['caf\u00e9.ts', 'cafe\u0301.ts', 'cafe'],
])('%j is pushed to its val by the spelling %j', async (file, other, name) => {
  const { place } = await pushed({ [file]: 'code' });
  symlinkSync(file, join(place.folder, other));
  expect(await place.rows(['push', other])).toMatchObject([{ file, name, status: 'unchanged' }]);
});
