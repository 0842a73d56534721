import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../support/program.ts';
import { reachable } from '../support/reachable.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import { manifestWith, Place, pushed, reachableService, serviceWith, workspaceWith } from './support.ts';

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
    expect(place.manifest().vals['sub/d.ts']).toEqual({ name: 'd' });
    expect(await place.rows(['push', 'a.ts'])).toEqual([
      { file: 'a.ts', name: 'a', status: 'unchanged', id: place.idOf('a.ts'), version: 2 },
    ]);
  });

  it('--force leaves a val that only changed on the service, unless its path is given', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    await service.edit('a', 'theirs');
    expect(await place.words(['push', '--force'])).toMatchObject({ 'a.ts': 'behind' });
    expect(await place.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'behind' });
    expect(await service.code(place.idOf('a.ts'))).toBe('theirs');
    expect(await place.words(['push', '.', '--force'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
    expect(await service.code(place.idOf('a.ts'))).toBe('a');
  });

  it('refuses a conflict with exit 5 and sends nothing for it, unless --force is given', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    place.put({ 'a.ts': 'mine', 'b.ts': 'b2' });
    await service.edit('a', 'theirs');
    const mixed = await place.rows(['push'], 9);
    expect(mixed.map(({ status }) => status)).toEqual(['failed', 'pushed', 'unchanged']);
    expect(mixed[0]?.error).toMatchObject({ kind: 'conflict', exit: 5 });
    expect(mixed[0]?.error?.hint).toMatch(/vals diff a\.ts.*--merge.*--force/);
    for (const args of [['push'], ['push', 'a.ts'], ['push', '--yes']]) {
      expect(await place.words(args, 5)).toMatchObject({ 'a.ts': 'failed' });
    }
    expect(await service.code(place.idOf('a.ts'))).toBe('theirs');
    expect(await place.words(['push', '--force'])).toMatchObject({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
    expect(await service.versions(place.idOf('a.ts'))).toEqual(['a', 'theirs', 'mine']);
  });

  it('says if the service makes a private val public', async () => {
    const { service, env } = await serviceWith(({ method }) =>
      method === 'PUT' ? { body: { id: place.idOf('a.ts'), version: 2, privacy: 'public' } } : undefined,
    );
    const { id } = await service.edit('a', 'a');
    const place: Place = workspaceWith(env, manifestWith('a.ts', 'a', { [env.VALS_BASE_URL]: id }));
    place.put({ 'a.ts': 'a2' });
    const { exit, stderr } = await place.vals('push', '--yes');
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining('a.ts is public on the service now (before the push: private)'),
    });
  });

  it('keeps the bases of two services apart', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' }, await reachableService('one.test'));
    const second = await reachableService('two.test');
    const elsewhere = new Place(place.folder, second.env);
    expect(await elsewhere.status()).toEqual({ 'a.ts': 'new' });
    expect(await elsewhere.words(['push'])).toEqual({ 'a.ts': 'created' });
    const ids = place.manifest().vals['a.ts']?.ids;
    expect(Object.keys(ids ?? {})).toEqual(['http://one.test', 'http://two.test']);
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
  });

  it('recognises its own code on the service after a lost answer', async () => {
    let code = 'a';
    const service = await scriptedService([], (seen) => {
      if (seen.method === 'GET') return { body: { id, name: 'a', code, version: 1 } };
      code = JSON.parse(seen.body).code;
      return (response) => void response.destroy();
    });
    const env = await reachable(service.env);
    const place = workspaceWith(env, {
      'a.ts': 'a',
      ...manifestWith('a.ts', 'a', { [env.VALS_BASE_URL]: id }),
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
    const { place, service } = await pushed({ 'a.ts': 'a' }, await reachableService());
    const { id: other } = await service.edit('other', 'other');
    const ids = { [`${place.env.VALS_BASE_URL}`]: other };
    const clone = workspaceWith(place.env, { 'p.ts': 'p', ...manifestWith('p.ts', 'a', ids) });
    const [row] = await clone.rows(['push', '--fork'], 5);
    expect(row?.error?.hint).toBe('To overwrite that val, run `vals push p.ts --fork --yes`.');
    const answers = [{ after: 'Overwrite this val? [y/N]', keys: 'n\r' }];
    expect((await clone.onScreen(['push', '--fork'], { answers })).exit).toBe(2);
    expect((await clone.vals('push', 'p.ts', '--fork', '--yes')).exit).toBe(0);
    expect(await service.code(place.idOf('a.ts'))).toBe('p');
    expect(await service.code(other)).toBe('other');
  });

  it('keeps the id that another command writes to vals.json during the push', async () => {
    const { promise: thirdPush, resolve: startThirdPush } = withResolvers();
    const service = await scriptedService([], ({ method, body }) => {
      if (method === 'GET') return { body: { data: [] } };
      const { name, code } = JSON.parse(body);
      if (name === 'b') place.put(manifestWith('a.ts', 'a', { [env.VALS_BASE_URL]: id }));
      if (name === 'c') startThirdPush();
      return async (response) => {
        if (name === 'a') await thirdPush;
        response.writeHead(201).end(JSON.stringify({ id: `new-${name}`, name, code, version: 1 }));
      };
    });
    const env = await reachable(service.env);
    const place: Place = workspaceWith(env, { 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    const { exit, stderr } = await place.vals('push', '--concurrency', '2');
    expect(exit).toBe(0);
    expect(stderr).toContain(`vals.json changed while the command was running, so a.ts keeps the id ${id}.`);
    expect(place.idOf('a.ts')).toBe(id);
    expect(place.idOf('c.ts')).toBe('new-c');
  });

  it('does not undo a pull that ends after the push has opened the file', async () => {
    const { place, service } = await pushed({ 'a.ts': 'old' });
    const file = join(place.folder, 'a.ts');
    const [{ path: record } = { path: '' }] = place.records();
    const read = () => [file, record].map((path) => ({ path, text: fs.readFileSync(path) }));
    const before = read();
    await service.edit('a', 'new');
    await place.vals('pull');
    const after = read();
    const restore = (files: typeof before) => {
      for (const { path, text } of files) {
        fs.writeFileSync(`${path}.new`, text);
        fs.renameSync(`${path}.new`, path);
      }
    };
    restore(before);
    let opened = 0;
    const { openSync } = fs;
    onTestFinished(() => {
      fs.openSync = openSync;
      syncBuiltinESMExports();
    });
    fs.openSync = (path, ...rest) => {
      const descriptor = openSync(path, ...rest);
      if (path === file) {
        opened += 1;
        restore(after);
      }
      return descriptor;
    };
    syncBuiltinESMExports();
    await place.vals('push');
    expect(opened).toBe(1);
    expect(await service.versions(place.idOf('a.ts'))).toEqual(['old', 'new']);
  });

  it('reports a missing file and sends the others; an empty file stops the push before it begins', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    place.remove('a.ts');
    place.put({ 'b.ts': 'b2' });
    const { exit, stdout, stderr } = await place.vals('push');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('a.ts is gone') });
    expect(stdout).toMatch(/^skipped\ta\t.*\npushed\tb\t/);
    place.put({ 'a.ts': '', 'b.ts': 'b3' });
    expect(await place.words(['push'], 10)).toEqual({ 'a.ts': 'failed', 'b.ts': 'skipped' });
    expect((await place.vals('push')).stderr).toContain('or list the file in .valsignore.\n');
    expect(await service.code(place.idOf('b.ts'))).toBe('b2');
    place.put({ '.valsignore': 'a.ts\n' });
    expect((await place.vals('push')).exit).toBe(0);
  });
});

describe('without a record', () => {
  async function freshCheckout() {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    await service.edit('a', 'theirs');
    const id = place.idOf('a.ts');
    place.loseRecords();
    return { place, service, id };
  }

  it('a val that differs is a conflict without a terminal, also in a dry run', async () => {
    const { place, service, id } = await freshCheckout();
    const [row] = await place.rows(['status', 'a.ts']);
    expect(row).toMatchObject({ status: 'differs', version: 2, changedAt: expect.any(String) });
    expect((await place.onScreen(['status'])).screen).toContain('nobody knows which');
    for (const args of [['push'], ['push', '--dry-run'], ['push', 'a.ts']]) {
      const { exit, stderr } = await place.vals(...args);
      expect({ exit, stderr }).toEqual({ exit: 5, stderr: expect.stringContaining('`vals push --yes`') });
    }
    expect(await service.code(id)).toBe('theirs');
  });

  it.each(['--yes', '--force'])('%s overwrites it, and nobody asks again', async (flag) => {
    const { place, service, id } = await freshCheckout();
    expect(await place.words(['push', flag, '--dry-run'])).toEqual({
      'a.ts': 'planned',
      'b.ts': 'unchanged',
    });
    expect(await service.code(id)).toBe('theirs');
    expect(await place.words(['push', flag])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
    expect(await service.versions(id)).toEqual(['a', 'theirs', 'a']);
    place.put({ 'a.ts': 'a2' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
  });
});

describe('the question about vals that differ', () => {
  async function twoDiffer() {
    const files = { 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' };
    const { place, service } = await pushed(files, await reachableService());
    for (const name of ['a', 'b']) await service.edit(name, 'theirs');
    place.loseRecords();
    const ask = (keys: string, ...args: string[]) =>
      place.onScreen(['push', ...args], { answers: [{ after: '[y/N]', keys }] });
    return { place, service, ask };
  }

  it('lists them with their versions, and overwrites them after a yes', async () => {
    const { place, service, ask } = await twoDiffer();
    const { exit, screen } = await ask('y\r');
    expect(exit).toBe(0);
    expect(screen).toMatch(/a {2}version 2 {2}changed \ds ago {2}(?:by \S+ {2})?a\.ts/);
    expect(screen).toContain('Overwrite these 2 vals? [y/N]');
    expect(await service.code(place.idOf('a.ts'))).toBe('a');
    expect(await place.status()).toMatchObject({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
  });

  it('skips them after a no, with exit 2 if nothing else was sent, else 9', async () => {
    const { place, service, ask } = await twoDiffer();
    expect((await ask('n\r', 'a.ts')).screen).toContain('Overwrite this val? [y/N]');
    const nothing = await ask('n\r');
    expect(nothing.exit).toBe(2);
    expect(nothing.screen).toContain('2 vals were not overwritten.');
    expect(nothing.screen).not.toContain('Nothing to push');
    place.put({ 'c.ts': 'c2' });
    expect(await ask('\r')).toMatchObject({ exit: 9 });
    expect(await service.code(place.idOf('c.ts'))).toBe('c2');
    expect(await service.code(place.idOf('a.ts'))).toBe('theirs');
    place.put({ 'c.ts': 'c3', 'x/index.ts': 'x', 'y/index.ts': 'y' });
    const summary = /would both be the val.*2 other vals\s+were\s+not\s+overwritten/s;
    const withFailure = { exit: 9, screen: expect.stringMatching(summary) };
    expect(await ask('n\r')).toMatchObject(withFailure);
  });

  it('is not asked in a dry run, which says that a push would ask', async () => {
    const { place } = await twoDiffer();
    const { exit, screen } = await place.onScreen(['push', '--dry-run'], { answers: [] });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining('A push would ask') });
    expect(screen).toMatch(/planned\S* {2}update {2}a /);
  });

  it.each(['the service', 'the file'])('does not count for code of %s that came later', async (side) => {
    const { place, service } = await twoDiffer();
    const id = place.idOf('a.ts');
    const change = async () => {
      if (side === 'the service') await service.edit('a', 'newer');
      else place.put({ 'a.ts': 'newer' });
    };
    const { exit } = await place.onScreen(['push'], {
      answers: [{ after: '[y/N]', keys: 'y\r', beforeKeys: change }],
    });
    expect(exit).toBe(9);
    expect(await service.code(id)).toBe(side === 'the service' ? 'newer' : 'theirs');
    expect(await service.code(place.idOf('b.ts'))).toBe('b');
  });
});

it('two new files of one name fail, and the other files work', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  place.put({ 'a.ts': 'a2', 'x/index.ts': 'x', 'y/index.ts': 'y' });
  const status = await place.vals('status', '--json');
  const message = 'x/index.ts and y/index.ts would both be the val "index".';
  expect(status).toMatchObject({ exit: 2, error: { kind: 'usage', message } });
  expect(JSON.parse(status.stdout)).toMatchObject([{ file: 'a.ts', status: 'changed here' }]);
  expect(await place.words(['push'], 9)).toEqual({
    'a.ts': 'pushed',
    'x/index.ts': 'failed',
    'y/index.ts': 'failed',
  });
  expect(await service.code(place.idOf('a.ts'))).toBe('a2');
});
