import { chownSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { environment, folderOf, program, runOnScreen, temporaryFolder } from '../support/program.ts';
import { type Seen, scriptedService } from '../support/scripted-service.ts';
import { Place, pushed, startService, workspaceWith } from './support.ts';

const idOf = (name: string) => `4f2c0c1e-6a53-4bd2-9a2e-${name.padStart(12, '0').replace(/[^\da-f]/g, 'a')}`;

async function namingService() {
  const codes = new Map<string, { name: string; code: string }>();
  const service = await scriptedService([], ({ method, path, body }: Seen) => {
    if (method === 'PUT') {
      const { name, code } = JSON.parse(body);
      codes.set(idOf(name), { name, code });
      return { status: 201, body: { id: idOf(name), name, version: 1 } };
    }
    if (path === '/v1/me') return { body: { id: 'me' } };
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

async function workspaceOf(names: readonly string[]) {
  const { service, puts } = await namingService();
  const place = new Place(temporaryFolder(), service.env);
  place.put(Object.fromEntries(names.map((name) => [`${name}.ts`, `code_of_${name}`])));
  place.put({ 'vals.json': '{"vals":{}}' });
  return { place, service, puts };
}

async function killedBeforeTheEnd(names: readonly string[]) {
  const made = await workspaceOf(names);
  const { signal } = await runHooked(made.place, ['push'], { KILL_BEFORE: 'vals.json' });
  expect(signal).toBe('SIGKILL');
  expect(made.puts()).toBe(names.length);
  expect(made.place.manifest().vals).toEqual({});
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
});

describe('after a command was killed before it wrote vals.json', () => {
  it('the next command knows the ids of all answers, and writes them', async () => {
    const { place, puts } = await killedBeforeTheEnd(['a', 'b', 'c']);
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged', 'c.ts': 'unchanged' });
    await place.rows(['push']);
    expect(place.idOf('c.ts')).toBe(idOf('c'));
    expect(puts()).toBe(3);
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
      exit: 0,
      stderr: expect.stringContaining('a.ts was sent to the val "b"'),
    });
    expect(await service.ask('GET', path)).toMatchObject({ name: 'b', code: 'a2' });
  });
});

describe('records', () => {
  const differs = { 'a.ts': 'differs' };

  it('are written by status, and show later which side changed', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    place.loseRecords();
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    await service.edit('a', 'theirs');
    expect(await place.status()).toEqual({ 'a.ts': 'changed there' });
    place.loseRecords();
    expect(await place.status()).toEqual(differs);
  });

  it('of another folder at the same path do not count', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const aside = `${place.folder}.aside`;
    renameSync(place.folder, aside);
    mkdirSync(place.folder);
    place.put({ 'a.ts': 'older', 'vals.json': readFileSync(join(aside, 'vals.json')) });
    rmSync(aside, { recursive: true });
    expect(await place.status()).toEqual(differs);
    expect(await place.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
    expect(await service.code(place.idOf('a.ts'))).toBe('a');
  });

  it('do not move with the folder, which costs a question', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    await service.edit('b', 'theirs');
    const moved = new Place(`${place.folder}-moved`, place.env, place.home);
    renameSync(place.folder, moved.folder);
    expect(await moved.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'differs' });
    renameSync(moved.folder, place.folder);
  });

  it.each([
    ['is empty', () => ''],
    ['is cut off', (text: string) => text.slice(0, -1)],
    ['is no JSON', (text: string) => text.replace('{', '')],
  ])('a record that %s counts as lost', async (_what, change) => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const [{ path } = { path: '' }] = place.records();
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    await service.edit('a', 'theirs');
    expect(await place.status()).toEqual(differs);
  });

  it('that cannot be written are mentioned once, and the command works', async () => {
    const service = await startService();
    const place = workspaceWith(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
    const blocked = new Place(place.folder, { ...service.env, VALS_DATA_DIR: join(place.folder, 'a.ts') });
    const { exit, stderr, stdout } = await blocked.vals('push');
    expect({ exit, rows: stdout.split('\n').length - 1 }).toEqual({ exit: 0, rows: 2 });
    expect(stderr.match(/vals keeps no record of this workspace/g)).toHaveLength(1);
    expect(Object.keys(place.manifest().vals)).toEqual(['a.ts', 'b.ts']);
    const homeless = new Place(place.folder, { ...service.env, HOME: '' });
    place.put({ 'a.ts': 'a2' });
    expect(await homeless.words(['push', '--yes'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
  });

  it('of folders that are gone are removed, but not their backups', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    place.put({ 'a.ts': 'mine' });
    await service.edit('a', 'theirs');
    await place.vals('pull', '--force');
    expect(place.records()).toHaveLength(1);
    rmSync(place.folder, { recursive: true });
    const other = new Place(temporaryFolder(), place.env, place.home);
    other.put({ 'b.ts': 'b', 'vals.json': '{"vals":{}}' });
    await other.rows(['push']);
    expect(place.records().map(({ file }) => file)).toEqual(['b.ts']);
    expect(place.backups()).toEqual(['mine']);
    mkdirSync(place.folder);
  });

  it('are all that the embedded service has for ids', async () => {
    const place = workspaceWith({ VALS_LOCAL: '1' }, { 'a.ts': 'a' });
    const [{ id = '' } = { id: '' }] = await place.rows(['push']);
    expect(place.manifest().vals).toEqual({ 'a.ts': { name: 'a' } });
    expect(await place.rows(['status'])).toMatchObject([{ status: 'unchanged', id }]);
    const vals = { 'a.ts': { name: 'a', ids: { local: 'another-id' } } };
    place.put({ 'vals.json': JSON.stringify({ vals }) });
    expect(await place.rows(['status'])).toMatchObject([{ status: 'unchanged', id }]);
    place.put({ 'vals.json': '{"vals":{"a.ts":{"name":"better"}}}' });
    expect(await place.status()).toEqual({ 'a.ts': 'renamed here' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'renamed' });
    expect(await place.rows(['pull', id])).toMatchObject([{ file: 'a.ts', status: 'unchanged' }]);
  });

  it('leave nothing but vals.json in the workspace', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    expect(readdirSync(place.folder).sort()).toEqual(['a.ts', 'vals.json']);
  });

  it.runIf(process.getuid?.() === 0)('and workspaces of another user work for root', async () => {
    const service = await startService();
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    chownSync(place.folder, 12_345, 12_345);
    chownSync(join(place.folder, 'vals.json'), 12_345, 12_345);
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'created' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  });
});

describe('a service that sends no id', () => {
  it('is compared by the code that was sent, until pull makes the id known', async () => {
    let sent = '';
    const id = idOf('a');
    const service = await scriptedService([], ({ method, path, body }) => {
      if (path === '/v1/me') return { body: { id: 'me' } };
      if (method === 'GET' && path !== `/v1/vals/${id}`) return { status: 404, body: {} };
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
        hint: expect.stringContaining('`vals pull'),
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
