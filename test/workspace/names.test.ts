import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { Place, pushed } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

const snapshot = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\/\.vals(\/|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

async function served(name: string): Promise<{ place: Place; outer: string }> {
  const service = await scriptedService([], () => ({ body: { id, name, code: 'evil', version: 1 } }));
  const outer = temporaryFolder();
  const place = new Place(join(outer, 'workspace'), service.env);
  place.put({
    'vals.json': JSON.stringify({
      vals: { 'Known.ts': { name: 'Known' }, 'caf\u00e9.ts': { name: 'cafe' } },
    }),
    'Known.ts': 'known',
    'caf\u00e9.ts': 'cafe',
    'there.ts': 'there',
    'Other.ts': 'other',
    '.git/config': 'git',
  });
  return { place, outer };
}

describe('a val whose name cannot be a file name is refused with exit 10', () => {
  it.each([
    ['contains / or \\ or :', ['../x', 'a/b', 'a\\b', 'x:stream']],
    [
      'begins or ends badly',
      ['', '.git', 'trailing.', 'trailing ', ' leading', '--checkpoint-action=exec=sh x'],
    ],
    ['means something on Windows', ['CON', 'nul.ts', 'COM¹', 'CONIN$', 'GIT~1']],
    ['has invisible characters', ['a\u001b[2Jb', 'a\u202eb', 'a\u2028b', '\ud800']],
    ['is reserved', ['NODE_MODULES']],
    ['is too long', ['x'.repeat(201), 'é'.repeat(101)]],
    ['is taken by a file here', ['known', 'KNOWN', 'cafe\u0301', 'CAFÉ', 'other', 'there']],
  ])('because it %s: %j', async (_why, names) => {
    for (const name of names) {
      const { place, outer } = await served(name);
      const before = snapshot(outer);
      const { exit, stdout, stderr, error } = await place.vals('pull', id, '--json');
      expect({ name, exit }).toEqual({ name, exit: 10 });
      expect(JSON.parse(stdout)).toMatchObject([{ id, status: 'failed' }]);
      expect(error).toMatchObject({ kind: 'local', hint: expect.stringContaining('--file') });
      expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028]/);
      expect(snapshot(outer)).toEqual(before);
    }
  });

  it('but not vite.config, and not if the user chooses a file for the val', async () => {
    const { place: fine } = await served('vite.config');
    expect(await fine.words(['pull', id])).toEqual({ 'vite.config.ts': 'pulled' });
    const { place } = await served('../x');
    expect(await place.words(['pull', id, '--file', 'lib/x.ts'])).toEqual({ 'lib/x.ts': 'pulled' });
    expect(place.read('lib/x.ts')).toBe('evil');
    expect(place.manifest().vals['lib/x.ts']?.name).toBe('../x');
  });
});

const hidden = ['.vals/x.ts', '.git/config', 'node_modules/x.ts', 'NODE_MODULES/x.ts'];
const outside = ['../x.ts', '/tmp/x.ts', 'lib/../../x.ts', 'link/x.ts', 'linked.ts'];
const taken = ['vals.json', 'VALS.JSON', 'Known.ts', 'known.ts', 'OTHER.ts', 'there.ts', 'there.ts/x.ts'];

it.each([...hidden, ...outside, ...taken, '.', 'CON.ts'])(
  '--file %s is refused with exit 10',
  async (file) => {
    const { place, outer } = await served('fine');
    mkdirSync(join(outer, 'target'));
    writeFileSync(join(outer, 'target/file'), 'target');
    symlinkSync(join(outer, 'target'), join(place.folder, 'link'));
    symlinkSync(join(outer, 'target/file'), join(place.folder, 'linked.ts'));
    const before = snapshot(outer);
    const { exit, error } = await place.vals('pull', id, '--file', file, '--json');
    expect(exit).toBe(10);
    expect(error).toMatchObject({ kind: 'local', hint: expect.any(String) });
    expect(snapshot(outer)).toEqual(before);
  },
);

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
    const { exit } = await place.vals(command, '--json');
    expect(exit).toBe(10);
    expect(snapshot(outside)).toEqual({ [join(outside, 'b.ts')]: 'secret' });
    expect(await service.code(place.idOf('a.ts'))).toBe('a2');
  },
);
