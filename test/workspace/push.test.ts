import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repository } from './repository.ts';
import { newService, noList, Place, passOnAfter, pushed, serviceWith, workspaceWith } from './support.ts';

it('push sends changed and new files, and writes nothing into vals.json', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  place.put({ 'a.ts': 'a2', 'sub/d.ts': 'd' });
  await service.edit('c', 'c2');
  expect(await place.words(['push', '--dry-run'])).toEqual({
    'a.ts': 'planned',
    'b.ts': 'unchanged',
    'c.ts': 'behind',
    'sub/d.ts': 'planned',
  });
  const { exit, stdout, stderr } = await place.vals('push');
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr:
      'c.ts was not sent, because the service has newer code. To write it into the files, run `vals pull`.\n',
  });
  expect(stdout.split('\n')[0]).toBe(`pushed\ta\t2\t${place.idOf('a.ts')}\ta.ts`);
  expect(await place.rows(['push', 'a.ts'])).toEqual([
    { file: 'a.ts', name: 'a', status: 'unchanged', id: place.idOf('a.ts'), version: 2 },
  ]);
  expect(await place.status()).toMatchObject({ 'sub/d.ts': 'unchanged' });
  expect(place.manifest()).toEqual({});
});

it('on GitHub, push warns once of all files that are behind', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  for (const name of ['a', 'b']) await service.edit(name, 'theirs');
  const job = new Place(place.folder, { ...place.env, GITHUB_ACTIONS: 'true' }, place.home);
  const { exit, stderr } = await job.vals('push');
  const warning = '::warning::2 files were not sent, because the service has newer code. a.ts, b.ts\n';
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: warning });
});

it('push refuses a conflict with exit 5, and sends nothing for it', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  place.put({ 'a.ts': 'mine', 'b.ts': 'b2' });
  await service.edit('a', 'theirs');
  const mixed = await place.rows(['push'], 9);
  expect(mixed.map(({ status }) => status)).toEqual(['failed', 'pushed', 'unchanged']);
  expect(mixed[0]?.error).toMatchObject({ kind: 'conflict', exit: 5 });
  expect(mixed[0]?.error?.hint).toMatch(/vals diff a\.ts.*--merge.*--force/);
  for (const args of [['push'], ['push', 'a.ts'], ['push', '--dry-run']]) {
    expect(await place.words(args, 5)).toMatchObject({ 'a.ts': 'failed' });
  }
  expect(await service.code(place.idOf('a.ts'))).toBe('theirs');
});

it('push --yes overwrites vals in conflict, and --force also those that changed there alone', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  for (const name of ['a', 'b']) await service.edit(name, 'theirs');
  place.put({ 'a.ts': 'mine' });
  expect(await place.words(['push', '--yes'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'behind' });
  expect(await service.versions(place.idOf('a.ts'))).toEqual(['a', 'theirs', 'mine']);
  expect(await place.words(['push', '--force'])).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'pushed' });
  expect(await service.versions(place.idOf('b.ts'))).toEqual(['b', 'theirs', 'b']);
});

it('push --if-version sends a file, whatever its past is, if the val still has that version', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  await service.edit('a', 'theirs');
  for (const more of [[], ['--dry-run']]) {
    const [row] = await place.rows(['push', 'a.ts', '--if-version', '1', ...more], 5);
    const message = 'a has version 2 on the service, not version 1. Nothing was sent.';
    expect(row?.error).toMatchObject({ kind: 'conflict', message });
  }
  expect(await place.words(['push', 'a.ts', '--if-version', '2'])).toEqual({ 'a.ts': 'pushed' });
  expect(await place.words(['push', 'a.ts', '--if-version', '3'])).toEqual({ 'a.ts': 'unchanged' });
  await service.edit('a', 'hotfix');
  place.put({ 'a.ts': 'mine' });
  expect(await place.words(['push', 'a.ts', '--if-version', '4'])).toEqual({ 'a.ts': 'pushed' });
  expect(await service.versions(place.idOf('a.ts'))).toEqual(['a', 'theirs', 'a', 'hotfix', 'mine']);
});

it('push keeps the records of two services apart', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  const second = await newService();
  const elsewhere = new Place(place.folder, second.env, place.home);
  expect(await elsewhere.status()).toEqual({ 'a.ts': 'new' });
  expect(await elsewhere.words(['push'])).toEqual({ 'a.ts': 'created' });
  await second.edit('a', 'a2');
  expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  expect(await elsewhere.status()).toEqual({ 'a.ts': 'changed there' });
  await elsewhere.rows(['pull']);
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  expect(await service.code(place.idOf('a.ts'))).toBe('a2');
  const local = new Place(place.folder, { VALS_LOCAL: '1' }, place.home);
  expect(await local.status()).toEqual({ 'a.ts': 'new' });
});

describe('a push whose answer was lost', () => {
  async function lost(list?: typeof noList) {
    let isLost = false;
    const { service, env } = await serviceWith((seen, { edit }) => {
      if (seen.method !== 'PUT' || !isLost) return list?.(seen);
      const { name, code } = JSON.parse(seen.body);
      return (response) => void edit(name, code).then(() => response.destroy());
    });
    const place = workspaceWith(env, { 'a.ts': 'a' });
    const lose = async () => {
      isLost = true;
      expect(await place.vals('push', '--timeout', '1')).toMatchObject({ exit: 8 });
      isLost = false;
    };
    return { place, service, lose };
  }

  it.each([
    ['with a list', undefined],
    ['without one', noList],
  ])('of a changed val is recognised by the next push, %s', async (_what, list) => {
    const { place, service, lose } = await lost(list);
    await place.rows(['push']);
    place.put({ 'a.ts': 'a2' });
    await lose();
    place.put({ 'a.ts': 'a3' });
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    place.put({ 'a.ts': 'a2' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'unchanged' });
    await service.edit('a', 'theirs');
    expect(await place.status()).toEqual({ 'a.ts': 'changed there' });
  });

  it("of a new val is recognised too, unless somebody else's code is there", async () => {
    const { place, service, lose } = await lost();
    await lose();
    place.put({ 'a.ts': 'a2' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed' });
    place.put({ 'b.ts': 'b' });
    await lose();
    await service.edit('b', 'theirs');
    place.put({ 'b.ts': 'b2' });
    expect(await place.words(['push', 'b.ts'], 5)).toEqual({ 'b.ts': 'failed' });
  });
});

it('push replaces nothing if somebody changes a val meanwhile', async () => {
  let isRace = false;
  const { service, env } = await serviceWith(({ method }, there) => {
    if (method !== 'PUT' || !isRace) return undefined;
    isRace = false;
    return passOnAfter(there, () => there.edit('a', 'theirs'));
  });
  const place = workspaceWith(env, { 'a.ts': 'a' });
  await place.rows(['push']);
  place.put({ 'a.ts': 'mine' });
  isRace = true;
  const [row] = await place.rows(['push'], 5);
  expect(row).toMatchObject({ status: 'failed', error: { kind: 'conflict', exit: 5 } });
  expect(await place.status()).toEqual({ 'a.ts': 'conflict' });
  const { id } = await service.edit('a', 'theirs');
  expect(await service.code(id)).toBe('theirs');
});

it('push does not undo a pull that ends after the push has opened the file', async () => {
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
  expect(opened).toBeGreaterThan(0);
  expect(await service.versions(place.idOf('a.ts'))).toEqual(['old', 'new']);
});

it('push leaves the val of a missing file, and an empty file stops the push before it begins', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  const id = place.idOf('a.ts');
  place.remove('a.ts');
  place.put({ 'b.ts': 'b2' });
  expect(await place.words(['push'])).toEqual({ 'b.ts': 'pushed' });
  expect(await service.code(id)).toBe('a');
  place.put({ 'a.ts': '', 'b.ts': 'b3' });
  expect(await place.words(['push'], 10)).toEqual({ 'a.ts': 'failed', 'b.ts': 'skipped' });
  expect((await place.vals('push')).stderr).toContain('or list the file in .valsignore.\n');
  expect(await service.code(place.idOf('b.ts'))).toBe('b2');
  place.put({ '.valsignore': 'a.ts\n' });
  expect((await place.vals('push')).exit).toBe(0);
});

it('two files of one name: a push sends nothing, and status shows the others', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  place.put({ 'a.ts': 'a2', 'x/index.ts': 'x', 'y/index.ts': 'y' });
  const message = 'x/index.ts and y/index.ts would both be the val "index".';
  const status = await place.vals('status', '--json');
  expect(status).toMatchObject({ exit: 2, error: { kind: 'usage', message } });
  expect(JSON.parse(status.stdout)).toMatchObject([{ file: 'a.ts', status: 'changed here' }]);
  expect(await place.vals('push', '--json')).toMatchObject({ exit: 2, error: { message } });
  expect(await service.code(place.idOf('a.ts'))).toBe('a');
  expect(await place.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'pushed' });
});

describe('the question about vals in conflict', () => {
  async function twoConflicts() {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    for (const name of ['a', 'b']) await service.edit(name, 'theirs');
    place.put({ 'a.ts': 'mine', 'b.ts': 'mine' });
    const ask = (keys: string, ...args: string[]) =>
      place.onScreen(['push', ...args], { answers: [{ after: '[y/N]', keys }] });
    return { place, service, ask };
  }

  it('lists them with their versions, and overwrites them after a yes', async () => {
    const { place, service, ask } = await twoConflicts();
    const { exit, screen } = await ask('y\r');
    expect(exit).toBe(0);
    expect(screen).toMatch(/a {2}version 2 {2}changed \ds ago {2}(?:by \S+ {2})?a\.ts/);
    expect(screen).toContain('Overwrite 2 vals? [y/N]');
    expect(await service.code(place.idOf('a.ts'))).toBe('mine');
    expect(await place.status()).toMatchObject({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
  });

  it('skips them after a no, with exit 2 if nothing else was done, else 9', async () => {
    const { place, service, ask } = await twoConflicts();
    expect((await ask('n\r', 'a.ts')).screen).toContain('Overwrite 1 val? [y/N]');
    const nothing = await ask('n\r');
    expect(nothing.exit).toBe(2);
    expect(nothing.screen).toContain('2 vals were left as they are.');
    expect(nothing.screen).not.toContain('Nothing to push');
    place.put({ 'c.ts': 'c2' });
    expect(await ask('\r')).toMatchObject({ exit: 9 });
    expect(await service.code(place.idOf('c.ts'))).toBe('c2');
    expect(await service.code(place.idOf('a.ts'))).toBe('theirs');
    place.put({ 'c.ts': '<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n' });
    const withFailure = await ask('n\r');
    expect(withFailure).toMatchObject({ exit: 5 });
    expect(withFailure.screen).toMatch(/conflict markers.*2 other vals\s+were\s+left/s);
  });

  it('is not asked in a dry run, which says that a push would ask', async () => {
    const { place } = await twoConflicts();
    const { exit, screen } = await place.onScreen(['push', '--dry-run'], { answers: [] });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining('A push would ask') });
    expect(screen).toMatch(/planned\S* {2}update {2}a /);
  });

  it.each(['the service', 'the file'])('does not count for code of %s that came later', async (side) => {
    const { place, service } = await twoConflicts();
    const change = async () => {
      if (side === 'the service') await service.edit('a', 'newer');
      else place.put({ 'a.ts': 'newer' });
    };
    const { exit } = await place.onScreen(['push'], {
      answers: [{ after: '[y/N]', keys: 'y\r', beforeKeys: change }],
    });
    expect(exit).toBe(9);
    expect(await service.code(place.idOf('a.ts'))).toBe(side === 'the service' ? 'newer' : 'theirs');
    expect(await service.code(place.idOf('b.ts'))).toBe('mine');
  });

  it('is asked about each val that the first push from a folder would change', async () => {
    const service = await newService();
    const mine = repository(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
    await mine.rows(['push']);
    mine.commit({ 'a.ts': 'a2' });
    const fresh = mine.clone();
    fresh.put({ 'new.ts': 'n' });
    const answers = [{ after: 'Overwrite 1 val? [y/N]', keys: 'n\r' }];
    const { exit, screen } = await fresh.onScreen(['push'], { answers, columns: 120 });
    expect({ exit, screen }).toEqual({ exit: 9, screen: expect.stringContaining('This is the first push') });
    expect(await service.versions(mine.idOf('a.ts'))).toEqual(['a']);
    const other = mine.clone();
    expect(await other.onScreen(['push', '--yes'], { answers: [] })).toMatchObject({ exit: 0 });
    mine.commit({ 'b.ts': 'b2' });
    expect(await mine.clone().words(['push'])).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'pushed' });
  });
});
