import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { repository } from './repository.ts';
import { newService, Place, pushed } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

const snapshot = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\/\.vals(\/|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

/** A workspace, and a service with one val of this name. */
async function served(name: string): Promise<{ place: Place; outer: string }> {
  const val = { id, name, code: 'evil', version: 1 };
  const service = await scriptedService([], ({ path }) => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    return { body: path.startsWith('/v1/users/me/vals') ? [val] : val };
  });
  const outer = temporaryFolder();
  const place = new Place(join(outer, 'workspace'), service.env);
  place.put({
    'vals.json': '{"names": {"café.ts": "cafe", "sub/known.ts": "known2"}}',
    ...{ 'Known.ts': 'known', 'café.ts': 'cafe', 'Other.ts': 'other', '.git/config': 'git' },
  });
  return { place, outer };
}

const hostile = [
  ...['../x', '/tmp/x', 'a/b', 'a\\b', 'x:stream', '.git', 'trailing.', 'trailing ', ' leading'],
  ...[
    '--checkpoint-action=exec=sh x',
    'CON',
    'nul.ts',
    'COM¹',
    'CONIN$',
    'GIT~1',
    'NODE_MODULES',
    'vite.config',
  ],
  ...['a\u001b[2Jb', 'a\u202eb', 'a\u2028b', '\ud800', 'x'.repeat(201), 'é'.repeat(101), '1'],
  ...['known', 'KNOWN', 'cafe\u0301', 'CAFÉ', 'other'],
];

it.each(hostile)('the val %j gets a new file in the workspace, and keeps its name', async (name) => {
  const { place, outer } = await served(name);
  const before = snapshot(outer);
  const [row, ...others] = await place.rows(['pull', id]);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ id, name, status: 'pulled', file: expect.stringMatching(/^[^/\\]+\.ts$/) });
  const { file = '' } = row ?? {};
  const path = join(place.folder, file);
  const manifest = join(place.folder, 'vals.json');
  expect(before[path]).toBeUndefined();
  expect(snapshot(outer)).toEqual({ ...before, [path]: 'evil', [manifest]: expect.any(String) });
  expect(place.manifest().names).toMatchObject({ 'café.ts': 'cafe', [file]: name });
  expect(await place.words(['status', file])).toEqual({ [file]: 'unchanged' });
  expect(await place.words(['pull', id])).toEqual({ [file]: 'unchanged' });
});

it('a val without a name gets no file', async () => {
  const { place, outer } = await served('');
  const before = snapshot(outer);
  expect(await place.rows(['pull', id], 11)).toMatchObject([{ id, status: 'failed' }]);
  expect(snapshot(outer)).toEqual(before);
});

it.each(['status', 'diff', 'pull', 'push'])(
  '%s does not follow a file or folder that became a link',
  async (command) => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'sub/b.ts': 'b' });
    await service.edit('a', 'a2');
    await service.edit('b', 'b2');
    const outside = folderOf({ 'b.ts': 'secret' });
    await place.vals('pull', '--dry-run');
    const swap = (path: string, target: string) => {
      place.remove(path);
      symlinkSync(target, join(place.folder, path));
    };
    swap('a.ts', join(outside, 'b.ts'));
    swap('sub', outside);
    await place.vals(command, '--json');
    expect(snapshot(outside)).toEqual({ [join(outside, 'b.ts')]: 'secret' });
    expect(await service.code(place.idOf('a.ts'))).toBe('a2');
  },
);

it('a name in vals.json counts for the path that git gave its file, in every command', async () => {
  const place = repository((await newService()).env, { 'lib/send.ts': '1' });
  await place.rows(['push', 'lib/send.ts', '--name', 'sendMail']);
  place.commit();
  place.git('mv', 'lib/send.ts', 'lib/mail.ts');
  expect((await place.vals('status')).stdout).toMatch(/^unchanged\tsendMail\t.*\tlib\/mail.ts\n$/);
  const { stdout, stderr } = await place.vals('val', 'get', 'lib/mail.ts', '--fields', 'name');
  expect({ stdout, stderr }).toEqual({
    stdout: 'sendMail\n',
    stderr: expect.stringContaining('change "lib/send.ts" in "names" to "lib/mail.ts"'),
  });
  await place.vals('val', 'set', 'sendMail', '--name', 'mailer');
  expect(place.manifest().names).toMatchObject({ 'lib/mail.ts': 'mailer' });
});
