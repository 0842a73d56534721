import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scriptedService } from '../support/scripted-service.ts';
import { Place, pushed, workspaceWith } from './support.ts';

const files = { 'a.ts': 'a', 'secrets.json': '{}', 'main.tfvars': 'password = "x"', 'private/key.ts': 'key' };

async function workspace() {
  const service = await scriptedService([], ({ method, body }) =>
    method === 'GET' ? { status: 404 } : { status: 201, body: { id: JSON.parse(body).name, version: 1 } },
  );
  const vals = Object.fromEntries(Object.keys(files).map((file, index) => [file, { name: `v${index}` }]));
  const more = { '.gitignore': 'private/\n', 'vals.json': JSON.stringify({ vals }) };
  const place = workspaceWith(service.env, { ...files, ...more });
  const sent = () =>
    service.requests.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body).code);
  return { place, sent };
}

it('push and check leave out files that are ignored or not code, and say so', async () => {
  const { place, sent } = await workspace();
  const note =
    'Left out: main.tfvars (not a code file), private/key.ts (listed in an ignore file), secrets.json (not a code file). ' +
    'To use an ignored file or a file that is not code, give its path.\n';
  for (const command of ['check', 'push']) {
    const { exit, stderr } = await place.vals(command);
    expect(exit).toBe(0);
    expect(stderr).toContain(note);
  }
  expect(sent()).toEqual(['a']);
});

it.each([
  ['secrets.json', '{}'],
  ['private/key.ts', 'key'],
  ['v0', 'a'],
])('push sends %s if the command line names the file', async (word, code) => {
  const { place, sent } = await workspace();
  expect(await place.vals('push', word)).toMatchObject({ exit: 0 });
  expect(sent()).toEqual([code]);
});

it.each([
  ['v1', 'secrets.json', 'not a code file'],
  ['v3', 'private/key.ts', 'listed in an ignore file'],
])('push sends nothing for the name %s, because %s is %s', async (name, file, reason) => {
  const { place, sent } = await workspace();
  const { exit, stderr } = await place.vals('push', 'a.ts', name);
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr:
      `error: The val "${name}" was not pushed, because its file ${file} is ${reason}.\n` +
      `hint: To push the file by its path, run \`vals push ${file}\`.\n`,
  });
  expect(sent()).toEqual([]);
});

it('in a folder below, a path is relative to that folder, and messages name files from there', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'sub/b.ts': 'b' });
  place.put({ 'a.ts': 'mine', 'sub/b.ts': 'b2' });
  await service.edit('a', 'theirs');
  const below = new Place(join(place.folder, 'sub'), place.env, place.home);
  const { exit, stderr, stdout } = await below.vals('push');
  expect(exit).toBe(9);
  expect(stdout).toMatch(/failed\ta\t.*\.\.\/a\.ts\npushed\tb\t.*\tb\.ts\n/);
  expect(stderr).toContain('../a.ts changed here and on the service.');
  expect(stderr).toContain('`vals push ../a.ts --force`');
  expect(await below.vals('pull', 'a.ts')).toMatchObject({ exit: 3 });
});

it('in a folder below, messages name links and missing folders from there, and once', async () => {
  const { place } = await pushed({ 'lib/a.ts': 'a', 'sub/b.ts': 'b' });
  place.remove('lib');
  place.put({ lib: 'a file' });
  symlinkSync('b.ts', join(place.folder, 'sub/link.ts'));
  const below = new Place(join(place.folder, 'sub'), place.env, place.home);
  const lib = '../lib/a.ts was not used: ../lib is not a folder.';
  const hint = 'hint: Replace ../lib with a regular file or folder, or move it away.';
  expect((await below.vals('pull')).stderr).toBe(`error: ${lib}\n${hint}\n`);
  const link = 'warning: link.ts was not used, because it is not a regular file.';
  place.remove('lib');
  expect((await below.vals('status')).stderr).toBe(`${link}\n`);
});

it('push leaves out a file of a typed folder that vals.json cannot list', async () => {
  const { place, sent } = await workspace();
  place.put({ 'sub/aux/prod.ts': 'evil', 'sub/b.ts': 'b' });
  const { exit, stderr } = await place.vals('push', 'sub');
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringContaining(
      'sub/aux/prod.ts was not pushed, because its path has a part, "aux", that is reserved',
    ),
  });
  expect(sent()).toEqual(['b']);
});

it('push in a folder reads the ignore files at the top of the workspace', async () => {
  const { place, sent } = await workspace();
  place.put({ 'lib/b.ts': 'b', 'lib/c.ts': 'c', '.valsignore': 'c.ts' });
  expect(await place.vals('push', 'lib')).toMatchObject({ exit: 0 });
  expect(sent()).toEqual(['b']);
});

it.each(['.gitignore', 'lib/.valsignore'])(
  'push sends nothing if %s is too large to be read',
  async (file) => {
    const { place, sent } = await workspace();
    place.put({ 'lib/secret.ts': 'secret', [file]: 'secret.ts\n' });
    truncateSync(join(place.folder, file), 65 * 1_048_576);
    for (const args of [['push'], ['push', 'lib']]) {
      const { exit, stderr } = await place.vals(...args);
      expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('is larger than 64 MB') });
    }
    expect(sent()).toEqual([]);
  },
);

it.each(['.git/HEAD', 'vals.json'])(
  'a file in a folder with %s is neither sent nor written',
  async (mark) => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'lib/b.ts': 'b' });
    const id = place.idOf('lib/b.ts');
    await service.edit('b', 'theirs');
    place.put({ [`lib/${mark}`]: '{}', 'lib/b.ts': 'of others' });
    expect((await place.vals('push', '--force')).stderr).toContain(
      'lib/b.ts (in another repository or workspace)',
    );
    // With a vals.json of its own, the folder is another workspace, and has no record of the val.
    const exit = mark === 'vals.json' ? 5 : 10;
    expect(await place.vals('push', 'lib/b.ts')).toMatchObject({ exit });
    const refused = [
      ['push', 'b'],
      ['pull', '--force'],
      ['pull', 'b', '--force'],
      ['pull', (await service.edit('c', 'c')).id, '--file', 'lib/c.ts'],
    ];
    for (const args of refused) expect(await place.vals(...args), args.join(' ')).toMatchObject({ exit: 10 });
    expect(place.read('lib/b.ts')).toBe('of others');
    expect(await service.code(id)).toBe('theirs');
    place.put({ [`new/${mark}`]: '{}', 'new/d.ts': 'd' });
    expect((await place.vals('init')).stderr).toContain(
      'new was left out: it is a repository or a workspace',
    );
  },
);
