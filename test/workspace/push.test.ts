import fs, { cpSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import { Place, pushed, type Row, startService, workspaceWith } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

describe('push', () => {
  it('sends changed and new files, and reports the versions', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    place.put({ 'a.ts': 'a2', 'sub/d.ts': 'd' });
    await service.edit('c', 'c2');
    expect(await place.words(['push', '--dry-run'])).toEqual({
      'a.ts': 'planned',
      'b.ts': 'unchanged',
      'c.ts': 'behind',
      'sub/d.ts': 'planned',
    });
    const { exit, stdout } = await place.vals('push');
    expect(exit).toBe(0);
    expect(stdout.split('\n')[0]).toBe(`pushed\ta\t2\t${place.idOf('a.ts')}\ta.ts`);
    expect(place.manifest().vals['sub/d.ts']).toEqual({
      name: 'd',
      ids: { [service.process.baseUrl]: place.idOf('sub/d.ts') },
    });
    expect(await place.words(['push', '--force'])).toMatchObject({ 'a.ts': 'unchanged', 'c.ts': 'behind' });
    expect(await service.code(place.idOf('c.ts'))).toBe('c2');
    expect(await place.rows(['push', 'a.ts'])).toEqual([
      { file: 'a.ts', name: 'a', status: 'unchanged', id: place.idOf('a.ts'), version: 2 },
    ]);
  });

  it('refuses a conflict with exit 5 and sends nothing for it, unless --force', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    place.put({ 'a.ts': 'mine', 'b.ts': 'b2' });
    await service.edit('a', 'theirs');
    const mixed = await place.rows(['push'], 9);
    expect(mixed.map(({ status }) => status)).toEqual(['failed', 'pushed', 'unchanged']);
    expect(mixed[0]?.error).toMatchObject({ kind: 'conflict', exit: 5 });
    expect(mixed[0]?.error?.hint).toMatch(/vals diff.*--merge.*--force/);
    expect((await place.rows(['push'], 5)).map(({ status }) => status)).toEqual([
      'failed',
      'unchanged',
      'unchanged',
    ]);
    expect(await place.vals('push', 'a.ts')).toMatchObject({ exit: 5 });
    expect(await service.code(place.idOf('a.ts'))).toBe('theirs');
    expect(await place.words(['push', '--force'])).toEqual({
      'a.ts': 'pushed',
      'b.ts': 'unchanged',
      'c.ts': 'unchanged',
    });
    expect(await service.versions(place.idOf('a.ts'))).toEqual(['a', 'theirs', 'mine']);
  });

  it('says if the service makes a private val public', async () => {
    let privacy = 'private';
    const service = await scriptedService([], ({ method, path }) => {
      if (method === 'PUT') privacy = 'public';
      if (path !== '/v1/vals' && path !== `/v1/vals/${id}`) return { status: 404, body: {} };
      return { body: { id, name: 'a', code: 'a', version: 1, privacy } };
    });
    const place = new Place(temporaryFolder(), service.env);
    place.put({ 'a.ts': 'a' });
    await place.vals('init');
    await place.vals('push');
    privacy = 'private';
    place.put({ 'a.ts': 'a2' });
    const { exit, stderr } = await place.vals('push');
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining('a.ts is public on the service now (before the push: private)'),
    });
  });

  it('keeps the bases of two services apart', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const second = await startService();
    const elsewhere = new Place(place.folder, second.env);
    expect(await elsewhere.status()).toEqual({ 'a.ts': 'new' });
    expect(await elsewhere.words(['push'])).toEqual({ 'a.ts': 'created' });
    expect(Object.keys(place.manifest().vals['a.ts']?.ids ?? {}).sort()).toEqual(
      [service.process.baseUrl, second.process.baseUrl].sort(),
    );
    await second.edit('a', 'a2');
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    expect(await elsewhere.status()).toEqual({ 'a.ts': 'changed there' });
    await elsewhere.rows(['pull']);
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    await place.rows(['push']);
    expect(await service.code(place.idOf('a.ts'))).toBe('a2');
    const local = await run(['status', '--local', '--json'], { cwd: place.folder });
    expect(JSON.parse(local.stdout)).toEqual([{ file: 'a.ts', name: 'a', status: 'new' }]);
  });

  it('keeps the val of a file that was renamed in vals.json', async () => {
    const { place, service } = await pushed({ 'old.ts': 'a' });
    const before = place.idOf('old.ts');
    place.put({
      'lib/new.ts': 'a2',
      'vals.json': place.read('vals.json').replace('"old.ts"', '"lib/new.ts"'),
    });
    place.remove('old.ts');
    expect(await place.rows(['push'])).toEqual([
      { file: 'lib/new.ts', name: 'old', status: 'pushed', id: before, version: 2, versionBefore: 1 },
    ]);
    expect(await service.code(before)).toBe('a2');
    expect(await place.words(['push', 'lib'])).toEqual({ 'lib/new.ts': 'unchanged' });
  });

  it('finds a file by the name of its val, and says when the service is ahead', async () => {
    const { place, service } = await pushed({ 'sub/a.ts': 'a', 'b.ts': 'b' });
    place.put({ 'sub/a.ts': 'a2' });
    expect(await place.words(['push', 'a'])).toEqual({ 'sub/a.ts': 'pushed' });
    await service.edit('b', 'theirs');
    const { exit, screen } = await place.onScreen(['push']);
    expect({ exit, screen }).toEqual({
      exit: 0,
      screen: expect.stringContaining('To write the changes into the files, run'),
    });
    const { error } = await place.vals('val', 'get', 'a.ts', '--json');
    expect(error?.message).toContain('Did you mean "sub/a.ts"?');
  });

  it('warns of the conflict markers that --force sends', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    place.put({ 'a.ts': '<<<<<<< here\na\n=======\nb\n>>>>>>> there\n' });
    expect(await place.vals('push')).toMatchObject({ exit: 5 });
    const { exit, stderr } = await place.vals('push', '--force');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('conflict markers') });
  });

  it('does not overwrite the edits of a val that others added to vals.json', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const { id } = await service.edit('b', 'b, edited by others');
    const manifest = JSON.parse(place.read('vals.json'));
    manifest.vals['b.ts'] = { name: 'b', ids: { [service.process.baseUrl]: id } };
    place.put({ 'vals.json': JSON.stringify(manifest), 'b.ts': 'b' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'conflict' });
    const refused = await place.vals('push', '--json');
    expect(refused).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
    expect(await service.code(id)).toBe('b, edited by others');
    await place.rows(['pull', '--force']);
    expect(place.read('b.ts')).toBe('b, edited by others');
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
  });

  it('recognises its own code on the service after a lost answer', async () => {
    let code = 'a';
    const service = await scriptedService([], (seen) => {
      if (seen.method === 'GET') return { body: { id, name: 'a', code, version: 1 } };
      code = JSON.parse(seen.body).code;
      return (response) => void response.destroy();
    });
    const place = new Place(temporaryFolder(), service.env);
    place.put({
      'a.ts': 'a',
      'vals.json': JSON.stringify({ vals: { 'a.ts': { name: 'a', ids: { [service.baseUrl]: id } } } }),
    });
    await place.rows(['status']);
    place.put({ 'a.ts': 'a2' });
    expect(await place.vals('push', '--timeout', '1')).toMatchObject({ exit: 8 });
    place.put({ 'a.ts': 'a3' });
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    place.put({ 'a.ts': 'a2' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    code = 'theirs';
    expect(await place.status()).toEqual({ 'a.ts': 'changed there' });
  });

  it.each(['push --force', 'push --fork', 'pull --force', 'pull --merge', 'forget'])(
    'and other commands refuse a path that can mean two files: %s',
    async (command) => {
      const { place, service } = await pushed({ 'a.ts': 'a' });
      const { vals } = place.manifest();
      const id = place.idOf('a.ts');
      const listed = JSON.stringify({ vals: { ...vals, 'sub/a.ts': { name: 'other' } } });
      place.put({ 'sub/a.ts': 'other', 'vals.json': listed });
      const inSub = (path: string) =>
        run([...command.split(' '), path], {
          cwd: join(place.folder, 'sub'),
          env: place.env,
          home: place.home,
        });
      const { exit, stderr } = await inSub('a.ts');
      expect(exit).toBe(2);
      expect(stderr).toContain('"a.ts" can mean two files: sub/a.ts and a.ts.');
      expect(stderr).toContain(
        'For the file in this folder, write ./a.ts. For the other file, write ../a.ts.',
      );
      expect((await inSub('../a.ts')).exit).toBe(0);
      expect(await service.code(id)).toBe('a');
    },
  );

  it('refuses a path that can also mean a file with a dash, or a folder of the same name', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    const { vals } = place.manifest();
    const listed = { ...vals, '-x.ts': { name: 'x' }, 'sub/-x.ts': { name: 'y' } };
    place.put({
      'vals.json': JSON.stringify({ vals: listed }),
      '-x.ts': 'x',
      'sub/-x.ts': 'y',
      'sub/a.ts/b.ts': 'b',
    });
    for (const [path, pathHere] of [
      ['./-x.ts', '../sub/-x.ts'],
      ['a.ts', './a.ts'],
    ] as const) {
      const args = ['push', '--force', path];
      const { exit, stderr } = await run(args, {
        cwd: join(place.folder, 'sub'),
        env: place.env,
        home: place.home,
      });
      expect(exit).toBe(2);
      expect(stderr).toContain(`For the file in this folder, write ${pathHere}.`);
    }
  });

  it('takes ./ for the current folder, not for the root of the workspace', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    place.put({ 'sub/a.ts': 'new' });
    const options = { cwd: join(place.folder, 'sub'), env: place.env, home: place.home };
    expect((await run(['val', 'rm', './a.ts', '--yes'], options)).exit).toBe(3);
    expect((await run(['forget', './a.ts'], options)).exit).toBe(3);
    place.remove('sub');
    expect(await place.status()).toMatchObject({ 'a.ts': 'unchanged' });
  });

  it('--fork proposes only commands for the val that it would make', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const { id: other } = await service.edit('other', 'other');
    const ids = { [service.process.baseUrl]: other };
    const clone = new Place(temporaryFolder(), place.env);
    clone.put({ 'p.ts': 'p', 'vals.json': JSON.stringify({ vals: { 'p.ts': { name: 'a', ids } } }) });
    const [row] = await clone.rows(['push', '--fork'], 5);
    expect(row?.error?.hint).toBe('To overwrite the code of that val, run `vals push p.ts --fork --force`.');
    expect((await clone.vals('push', 'p.ts', '--fork', '--force')).exit).toBe(0);
    expect(await service.code(place.idOf('a.ts'))).toBe('p');
    expect(await service.code(other)).toBe('other');
  });

  it('refuses a path that can also mean a new file, but not ./ or a folder', async () => {
    const { place, service } = await pushed({ 'sub/a.ts': 'a' });
    place.put({ 'a.ts': 'new', 'lib/b.ts': 'b', 'sub/lib/c.ts': 'c', 'sub/a.ts': 'changed' });
    const inSub = (path: string) =>
      run(['push', '--force', path], { cwd: join(place.folder, 'sub'), env: place.env, home: place.home });
    expect(await inSub('a.ts')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('"a.ts" can mean two files: sub/a.ts and a.ts.'),
    });
    expect(await service.code(place.idOf('sub/a.ts'))).toBe('a');
    for (const path of ['./a.ts', 'lib']) expect([path, (await inSub(path)).exit]).toEqual([path, 0]);
  });

  it('keeps the id that another command writes to vals.json during the push', async () => {
    const { promise: thirdPush, resolve: startThirdPush } = withResolvers();
    const service = await scriptedService([], ({ method, body }) => {
      if (method === 'GET') return { body: { data: [] } };
      const { name, code } = JSON.parse(body);
      if (name === 'b')
        place.put({
          'vals.json': JSON.stringify({ vals: { 'a.ts': { name: 'a', ids: { [service.baseUrl]: id } } } }),
        });
      if (name === 'c') startThirdPush();
      return async (response) => {
        if (name === 'a') await thirdPush;
        response.writeHead(201).end(JSON.stringify({ id: `new-${name}`, name, code, version: 1 }));
      };
    });
    const place: Place = workspaceWith(service.env, { 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    const { exit, stderr } = await place.vals('push', '--concurrency', '2');
    expect(exit).toBe(0);
    expect(stderr).toContain(`vals.json changed while the command was running, so a.ts keeps the id ${id}.`);
    expect(place.idOf('a.ts')).toBe(id);
    expect(place.idOf('c.ts')).toBe('new-c');
  });

  it('does not undo a pull that ends after the push has opened the file', async () => {
    const { place, service } = await pushed({ 'a.ts': 'old' });
    const other = join(temporaryFolder(), 'after-pull');
    const before = join(temporaryFolder(), 'before-pull');
    const base = join('.vals/agreed', readdirSync(join(place.folder, '.vals/agreed'))[0] ?? '');
    const copy = (from: string, to: string) => {
      for (const path of ['a.ts', base]) {
        cpSync(join(from, path), join(to, `${path}.new`), { recursive: true });
        fs.rmSync(join(to, path), { recursive: true, force: true });
        renameSync(join(to, `${path}.new`), join(to, path));
      }
    };
    await service.edit('a', 'new');
    copy(place.folder, before);
    await place.vals('pull');
    copy(place.folder, other);
    copy(before, place.folder);
    let opened = 0;
    const { openSync } = fs;
    onTestFinished(() => {
      fs.openSync = openSync;
      syncBuiltinESMExports();
    });
    fs.openSync = (path, ...rest) => {
      const descriptor = openSync(path, ...rest);
      if (`${path}`.endsWith('/a.ts')) {
        opened += 1;
        // The push opens the file twice: first to check it, then to send it.
        if (opened === 2) copy(other, place.folder);
      }
      return descriptor;
    };
    syncBuiltinESMExports();
    await place.vals('push');
    expect(opened).toBe(2);
    expect(await service.versions(place.idOf('a.ts'))).toEqual(['old', 'new']);
  });

  it('warns once of a broken base, and does not send the file without --force', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const folder = join(place.folder, '.vals/agreed');
    const file = join(folder, readdirSync(folder)[0] ?? '', `${place.idOf('a.ts')}.json`);
    writeFileSync(file, '{"id":');
    place.put({ 'a.ts': 'a2' });
    const { exit, stderr } = await place.vals('push');
    expect(exit).toBe(5);
    expect(stderr.match(/json cannot be read, so it is unknown whether "a" is newer/g)).toHaveLength(1);
    expect(await service.code(place.idOf('a.ts'))).toBe('a');
    expect(await place.words(['push', '--force'])).toEqual({ 'a.ts': 'pushed' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  });

  it('reports a missing file and sends the others; an empty file stops the push before it begins', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    place.remove('a.ts');
    place.put({ 'b.ts': 'b2' });
    const { exit, stdout, stderr } = await place.vals('push', '--json');
    expect(exit).toBe(0);
    expect(stderr).toContain('a.ts is gone');
    expect(JSON.parse(stdout).map(({ status }: Row) => status)).toEqual(['skipped', 'pushed']);
    place.put({ 'a.ts': '', 'b.ts': 'b3' });
    expect(await place.words(['push'], 10)).toEqual({ 'a.ts': 'failed', 'b.ts': 'skipped' });
    expect(await service.code(place.idOf('b.ts'))).toBe('b2');
  });
});

describe('in a fresh checkout, which has no bases', () => {
  async function freshCheckout() {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    await service.edit('a', 'theirs');
    place.remove('.vals');
    return { place, service };
  }

  it('push sends the file over the code of the service', async () => {
    const { place, service } = await freshCheckout();
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
    expect(await service.versions(place.idOf('a.ts'))).toEqual(['a', 'theirs', 'a']);
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
  });

  it('a second push sends files that the first push did not send', async () => {
    const { place } = await freshCheckout();
    place.put({ 'b.ts': 'b2' });
    expect(await place.words(['push', 'b.ts'])).toEqual({ 'b.ts': 'pushed' });
    expect(await place.status()).toEqual({ 'a.ts': 'changed here', 'b.ts': 'unchanged' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
  });

  it('status says that the newer side is unknown, and pull needs --force or --merge', async () => {
    const { place } = await freshCheckout();
    expect((await place.onScreen(['status'])).screen).toContain('cannot tell whether these files');
    expect(await place.status()).toEqual({ 'a.ts': 'changed here', 'b.ts': 'unchanged' });
    expect(await place.vals('pull')).toMatchObject({ exit: 5 });
    expect(place.read('a.ts')).toBe('a');
    await place.rows(['pull', '--force']);
    expect(place.read('a.ts')).toBe('theirs');
    expect(place.backups()).toEqual(['a']);
  });
});
