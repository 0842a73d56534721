import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { environment, folderOf, program, runOnScreen, temporaryFolder } from '../support/program.ts';
import { type Seen, scriptedService } from '../support/scripted-service.ts';
import { Place, pushed, workspaceWith } from './support.ts';

const idOf = (name: string) => `4f2c0c1e-6a53-4bd2-9a2e-${name.padStart(12, '0').replace(/[^\da-f]/g, 'a')}`;

async function namingService() {
  const codes = new Map<string, { name: string; code: string }>();
  const service = await scriptedService([], ({ method, path, body }: Seen) => {
    if (method === 'PUT') {
      const { name, code } = JSON.parse(body);
      codes.set(idOf(name), { name, code });
      return { status: 201, body: { id: idOf(name), name, version: 1 } };
    }
    const id = path.split('/').at(-1) ?? '';
    const val = codes.get(id);
    return val ? { body: { id, ...val, version: 1 } } : { status: 404, body: {} };
  });
  const puts = () => service.requests.filter(({ method }) => method === 'PUT').length;
  return { service, puts };
}

const runHooked = (place: Place, args: readonly string[], env: Record<string, string>) =>
  execa(process.execPath, ['--require', resolve('test/workspace/renames.cjs'), program, ...args], {
    cwd: place.folder,
    env: environment(place.home, { ...place.env, ...env }),
    extendEnv: false,
    reject: false,
    input: '',
  });

const inDotVals = ({ folder }: Place, start: string): string | undefined =>
  readdirSync(join(folder, '.vals')).find((name) => name.startsWith(start));

const journalOf = (place: Place) => inDotVals(place, 'journal-');
const localIdsFile = (place: Place) => `.vals/${inDotVals(place, 'local-')}`;
const localIds = (place: Place): unknown => JSON.parse(place.read(localIdsFile(place))).ids;

async function workspaceOf(names: readonly string[]) {
  const { service, puts } = await namingService();
  const place = new Place(temporaryFolder(), service.env);
  place.put(Object.fromEntries(names.map((name) => [`${name}.ts`, `code of ${name}`])));
  place.put({ 'vals.json': '{"vals":{}}' });
  return { place, service, puts };
}

async function killedBeforeTheEnd(names: readonly string[]) {
  const made = await workspaceOf(names);
  const { signal } = await runHooked(made.place, ['push'], { KILL_BEFORE: 'vals.json' });
  expect(signal).toBe('SIGKILL');
  expect(made.puts()).toBe(names.length);
  expect(made.place.manifest().vals).toEqual({});
  expect(journalOf(made.place)).toBeDefined();
  return made;
}

it('a command replaces vals.json once, however many vals are new', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `v${index}`);
  const { place } = await workspaceOf(names);
  const renames = join(temporaryFolder(), 'renames');
  const { exitCode } = await runHooked(place, ['push'], { RENAMES_FILE: renames });
  expect(exitCode).toBe(0);
  const replaced = readFileSync(renames, 'utf8').split('\n');
  expect(replaced.filter((name) => name === 'vals.json')).toHaveLength(1);
  expect(Object.keys(place.manifest().vals)).toHaveLength(200);
  expect(journalOf(place)).toBeUndefined();
});

describe('push --prune', () => {
  it.each(['a shared service', 'the embedded service'])(
    'on %s can be killed before any change of vals.json, and the next prune removes the entry',
    async (which) => {
      const files = { 'a.ts': 'a', 'b.ts': 'b' };
      const isLocal = which === 'the embedded service';
      const place = isLocal ? workspaceWith({ VALS_LOCAL: '1' }, files) : (await pushed(files)).place;
      if (isLocal) await place.rows(['push']);
      place.remove('a.ts');
      const prune = ['push', '--prune', '--yes'];
      const { signal } = await runHooked(place, prune, { KILL_BEFORE: 'vals.json' });
      expect(signal).toBe('SIGKILL');
      const renames = join(temporaryFolder(), 'renames');
      expect(await runHooked(place, prune, { RENAMES_FILE: renames })).toMatchObject({ exitCode: 0 });
      const replaced = readFileSync(renames, 'utf8').split('\n');
      expect(replaced.filter((name) => name === 'vals.json')).toHaveLength(1);
      expect(Object.keys(place.manifest().vals)).toEqual(['b.ts']);
    },
  );

  it('names vals forget if the file of an entry without an id is gone', async () => {
    const place = workspaceWith({ VALS_LOCAL: '1' }, { 'vals.json': '{"vals":{"a.ts":{"name":"a"}}}' });
    const { exit, stderr } = await place.vals('push', '--prune');
    expect(exit).toBe(0);
    expect(stderr).toContain('a.ts is neither in this folder nor on the embedded service. ');
    expect(stderr).toContain('run `vals forget a.ts`');
    expect(stderr).not.toContain('--prune');
  });
});

describe('after a command was killed before it wrote vals.json', () => {
  it('the next command knows the ids of all answers, and writes them', async () => {
    const { place, puts } = await killedBeforeTheEnd(['a', 'b', 'c']);
    expect(JSON.parse((await place.vals('val', 'get', 'b', '--json')).stdout)).toMatchObject({
      id: idOf('b'),
    });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged', 'c.ts': 'unchanged' });
    expect(place.idOf('c.ts')).toBe(idOf('c'));
    expect(journalOf(place)).toBeUndefined();
    await place.rows(['push']);
    expect(puts()).toBe(3);
  });

  it('a line that was cut off is skipped, and later lines are not lost', async () => {
    const { place } = await killedBeforeTheEnd(['a']);
    const journal = join(place.folder, '.vals', journalOf(place) as string);
    writeFileSync(journal, '{"service":"http', { flag: 'a' });
    place.put({ 'b.ts': 'b' });
    await runHooked(place, ['push'], { KILL_BEFORE: 'vals.json' });
    await place.rows(['status']);
    expect([place.idOf('a.ts'), place.idOf('b.ts')]).toEqual([idOf('a'), idOf('b')]);
  });

  it.each([
    { args: ['val', 'set', 'a', '--name', 'b'], nameBefore: 'a' },
    { args: ['pull'], nameBefore: 'b' },
  ])('the next push does not undo a rename on the service ($args)', async ({ args, nameBefore }) => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const path = `/v1/vals/${place.idOf('a.ts')}`;
    await service.ask('PUT', path, { name: nameBefore });
    const { signal } = await runHooked(place, args, { KILL_BEFORE: 'vals.json' });
    expect(signal).toBe('SIGKILL');
    await place.vals('push');
    expect(await service.ask('GET', path)).toMatchObject({ name: 'b' });
    await place.rows(['pull']);
    expect(place.manifest().vals['a.ts']?.name).toBe('b');
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    place.put({ 'vals.json': place.read('vals.json').replace('"b"', '"c"') });
    expect(await place.status()).toEqual({ 'a.ts': 'renamed here' });
  });

  it('the next push does not undo val set --name, if only the write of vals.json failed', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const path = `/v1/vals/${place.idOf('a.ts')}`;
    const { exitCode, stderr } = await runHooked(place, ['val', 'set', 'a', '--name', 'b'], {
      FAIL_BEFORE: 'vals.json',
    });
    expect(exitCode).toBe(10);
    expect(stderr).toContain('The val is named "b" on the service now, but vals.json could not be changed');
    place.put({ 'a.ts': 'a2' });
    expect(await place.vals('push')).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('belongs to the val "b" on the service'),
    });
    expect(await service.ask('GET', path)).toMatchObject({ name: 'b', code: 'a' });
  });

  it('the next push does not rename or overwrite a val that a hostile vals.json lists by another name', async () => {
    const { place, service } = await pushed({ 'prod.ts': 'precious' });
    const id = place.idOf('prod.ts');
    const vals = { 'scratch.ts': { name: 'scratch', ids: { [service.process.baseUrl]: id } } };
    const cloned = workspaceWith(place.env, { 'vals.json': JSON.stringify({ vals }) });
    const { signal } = await runHooked(cloned, ['pull'], { KILL_BEFORE: 'vals.json' });
    expect(signal).toBe('SIGKILL');
    expect(cloned.read('scratch.ts')).toBe('precious');
    for (const args of [['push'], ['push', 'scratch.ts'], ['push', '--prune', '--yes']]) {
      cloned.put({ 'scratch.ts': 'evil' });
      expect(await cloned.vals(...args)).toMatchObject({
        exit: 5,
        stderr: expect.stringContaining('belongs to the val "prod" on the service'),
      });
    }
    cloned.remove('scratch.ts');
    expect(await cloned.vals('push', '--prune', '--yes')).toMatchObject({ exit: 5 });
    expect(await service.ask('GET', `/v1/vals/${id}`)).toMatchObject({ name: 'prod', code: 'precious' });
  });

  it('a journal in a copy of the folder is not used', async () => {
    const { place } = await killedBeforeTheEnd(['a']);
    const copy = new Place(temporaryFolder(), place.env);
    cpSync(place.folder, copy.folder, { recursive: true });
    expect(journalOf(copy)).toBe(journalOf(place));
    expect(await copy.status()).toEqual({ 'a.ts': 'new' });
  });

  it('notes that contradict vals.json are skipped', async () => {
    const { place, service } = await killedBeforeTheEnd(['a']);
    const ids = (name: string) => ({ [service.baseUrl]: idOf(name) });
    const before = { 'b.ts': { name: 'b', ids: ids('b') }, 'c.ts': { name: 'c' }, 'd.ts': { name: 'd' } };
    place.put({ 'b.ts': 'b', 'c.ts': 'c', 'd.ts': 'd', 'vals.json': JSON.stringify({ vals: before }) });
    const notes = [
      { file: 'b.ts', name: 'b', id: idOf('x') },
      { file: 'c.ts', name: 'c', id: idOf('b') },
      { file: 'D.ts', name: 'big', id: idOf('y') },
      { file: 'd.ts', name: 'other', id: idOf('d') },
      { file: '../e.ts', name: 'e', id: idOf('e') },
      { file: 'f.ts', name: 'b', id: idOf('f') },
      { file: 'g.ts', name: '', id: idOf('g') },
    ];
    const lines = notes.map((note) => JSON.stringify({ service: service.baseUrl, ...note }));
    writeFileSync(join(place.folder, '.vals', journalOf(place) as string), `${lines.join('\n')}\nnull\n[]\n`);
    await place.vals('status');
    expect(place.manifest().vals).toEqual({ ...before, 'd.ts': { name: 'd', ids: ids('d') } });
  });
});

describe('the embedded service', () => {
  it('has its ids in .vals, and moves the ids of older versions there', async () => {
    const place = new Place(temporaryFolder(), { VALS_LOCAL: '1' });
    place.put({ 'a.ts': 'a' });
    await place.vals('init');
    const [{ id } = { id: '' }] = await place.rows(['push']);
    expect(place.manifest().vals).toEqual({ 'a.ts': { name: 'a' } });
    expect(localIds(place)).toEqual({ 'a.ts': id });
    expect(await place.rows(['status'])).toMatchObject([{ status: 'unchanged', id }]);

    const older = new Place(temporaryFolder(), { ...place.env, VALS_DATA_DIR: join(place.folder, 'data') });
    older.put({ 'vals.json': JSON.stringify({ vals: { 'a.ts': { name: 'a', ids: { local: id } } } }) });
    older.put({ 'a.ts': 'a' });
    expect(await older.rows(['status'])).toMatchObject([{ id }]);
    older.put({ 'b.ts': 'b' });
    await older.vals('init');
    expect(older.manifest().vals).toEqual({ 'a.ts': { name: 'a' }, 'b.ts': { name: 'b' } });
    expect(localIds(older)).toEqual({ 'a.ts': id });
  });

  it.each([
    ['of another folder', (text: string) => text],
    ['without JSON', () => 'no JSON'],
  ])('does not use a file of ids %s that came with a repository', async (_what, change) => {
    const place = workspaceWith({ VALS_LOCAL: '1' }, { 'a.ts': 'a' });
    await place.rows(['push']);
    const other = workspaceWith({ VALS_LOCAL: '1' }, { 'a.ts': 'a', 'vals.json': place.read('vals.json') });
    const ids = change(place.read(localIdsFile(place)));
    other.put({ '.vals/local.json': ids, [localIdsFile(place)]: ids });
    expect(await other.status()).toEqual({ 'a.ts': 'new' });
    expect(await other.rows(['push'])).toMatchObject([{ status: 'created' }]);
  });

  it('does not read its ids through a link', async () => {
    const place = workspaceWith({ VALS_LOCAL: '1' }, { 'a.ts': 'a' });
    await place.rows(['push']);
    const outside = join(temporaryFolder(), 'ids.json');
    writeFileSync(outside, '{"ids":{}}\n');
    const file = join(place.folder, localIdsFile(place));
    rmSync(file);
    symlinkSync(outside, file);
    expect(await place.vals('push', '--json')).toMatchObject({ exit: 10 });
    expect(readFileSync(outside, 'utf8')).toBe('{"ids":{}}\n');
  });
});

describe('a service that sends no id', () => {
  it('is compared by the code that was sent, until pull makes the id known', async () => {
    let sent = '';
    const id = idOf('a');
    const service = await scriptedService([], ({ method, body }) => {
      if (method === 'GET') return { body: { id, name: 'a', code: sent, version: 7 } };
      sent = JSON.parse(body).code;
      return { status: 204 };
    });
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    const row = { file: 'a.ts', name: 'a' };
    expect(await place.rows(['push'])).toEqual([{ ...row, status: 'pushed' }]);
    expect(place.manifest().vals).toEqual({ 'a.ts': { name: 'a' } });
    expect(await place.rows(['status'])).toEqual([{ ...row, status: 'unchanged' }]);
    expect((await place.vals('status')).stderr).toContain('with the code that was pushed last');
    expect(await place.rows(['push'])).toEqual([{ ...row, status: 'unchanged' }]);
    place.put({ 'a.ts': 'a2' });
    expect(await place.rows(['status'])).toEqual([{ ...row, status: 'changed here' }]);
    expect(await place.rows(['push'])).toEqual([{ ...row, status: 'pushed' }]);
    expect(await place.vals('val', 'get', 'a', '--json')).toMatchObject({
      exit: 3,
      error: {
        message: expect.stringContaining('which sent no id'),
        hint: expect.stringContaining('vals pull <id>'),
      },
    });
    expect(service.requests.map(({ method }) => method).filter((method) => method === 'PUT')).toEqual([
      'PUT',
      'PUT',
    ]);
    place.put({ 'a.ts': 'a3' });
    expect(await place.rows(['pull', id])).toEqual([{ ...row, status: 'kept', id, version: 7 }]);
    expect(place.read('a.ts')).toBe('a3');
    expect(place.idOf('a.ts')).toBe(id);
    expect(await place.rows(['status'])).toEqual([{ ...row, status: 'changed here', id, version: 7 }]);
  });

  it('with a list gives the ids by its list in the same command, and edits there are not overwritten', async () => {
    const stored = new Map<string, { name: string; code: string; version: number }>();
    const service = await scriptedService([], ({ method, path, body }) => {
      const record = (name: string) => ({ id: idOf(name), ...stored.get(name) });
      if (path === '/v1/me') return { body: { id: 'me' } };
      if (path.startsWith('/v1/users/me/vals'))
        return { body: path.includes('offset=0') ? [...stored.keys()].map(record) : [] };
      if (method === 'GET')
        return { body: record([...stored.keys()].find((name) => path.endsWith(idOf(name))) ?? '') };
      const { name, code } = JSON.parse(body);
      stored.set(name, { name, code, version: (stored.get(name)?.version ?? 0) + 1 });
      return { status: 204 };
    });
    const place = workspaceWith(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
    expect(await place.rows(['push'])).toEqual([
      { file: 'a.ts', name: 'a', status: 'pushed', id: idOf('a'), version: 1 },
      { file: 'b.ts', name: 'b', status: 'pushed', id: idOf('b'), version: 1 },
    ]);
    expect(place.idOf('b.ts')).toBe(idOf('b'));
    stored.set('a', { name: 'a', code: 'theirs', version: 2 });
    place.put({ 'a.ts': 'mine', 'b.ts': 'b2' });
    expect(await place.status()).toEqual({ 'a.ts': 'conflict', 'b.ts': 'changed here' });
    expect(await place.words(['push'], 9)).toEqual({ 'a.ts': 'failed', 'b.ts': 'pushed' });
    expect(stored.get('a')?.code).toBe('theirs');
    expect(await place.status()).toEqual({ 'a.ts': 'conflict', 'b.ts': 'unchanged' });
  });

  it('is mentioned after a push outside of a workspace', async () => {
    const service = await scriptedService([{ status: 204 }]);
    const cwd = folderOf({ 'a.ts': 'a' });
    const { exit, screen } = await runOnScreen(['push', 'a.ts'], { cwd, env: service.env });
    expect({ exit, screen }).toMatchObject({ exit: 0, screen: expect.stringContaining('sent no id') });
  });
});
