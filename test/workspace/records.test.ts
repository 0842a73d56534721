import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { folderOfService } from '../../src/workspace/records/val-records.ts';
import {
  environment,
  folderOf,
  program,
  runOnScreen,
  temporaryFolder,
  valNames,
} from '../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../support/scripted-service.ts';
import { newService, noList, Place, pushed, type Service, serviceWith, workspaceWith } from './support.ts';

const runHooked = (place: Place, args: readonly string[], env: Record<string, string>) =>
  execa(process.execPath, ['--require', resolve('test/workspace/renames.cjs'), program, ...args], {
    cwd: place.folder,
    env: environment(place.home, { ...place.env, ...env }),
    extendEnv: false,
    reject: false,
    input: '',
  });

async function replacements(place: Place, args: readonly string[]): Promise<string[]> {
  const renames = join(temporaryFolder(), 'renames');
  expect(await runHooked(place, args, { RENAMES_FILE: renames })).toMatchObject({ exitCode: 0 });
  const replaced = readFileSync(renames, 'utf8').split('\n');
  return replaced.filter((name) => name === 'vals.json');
}

async function workspaceOf(names: readonly string[]) {
  const { env, writes } = await serviceWith(() => undefined);
  const files = Object.fromEntries(names.map((name) => [`${name}.ts`, `code_of_${name}`]));
  return { place: workspaceWith(env, files), writes };
}

it('a command replaces vals.json once, however many vals are new', async () => {
  const { place } = await workspaceOf(valNames(60));
  expect(await replacements(place, ['push'])).toHaveLength(1);
  expect(Object.keys(place.manifest().vals)).toHaveLength(60);
});

it.each(['a shared service', 'the embedded service'])(
  'push --prune on %s can fail or be killed before it changes vals.json, and the next prune removes the entry',
  async (which) => {
    const files = { 'a.ts': 'a', 'b.ts': 'b' };
    const isLocal = which === 'the embedded service';
    const place = isLocal ? workspaceWith({ VALS_LOCAL: '1' }, files) : (await pushed(files)).place;
    if (isLocal) await place.rows(['push']);
    place.remove('a.ts');
    const prune = ['push', '--prune', '--yes'];
    expect(await runHooked(place, prune, { FAIL_BEFORE: 'vals.json' })).toMatchObject({ exitCode: 10 });
    expect((await runHooked(place, prune, { KILL_BEFORE: 'vals.json' })).signal).toBe('SIGKILL');
    expect(await replacements(place, prune)).toHaveLength(1);
    expect(Object.keys(place.manifest().vals)).toEqual(['b.ts']);
  },
);

describe('after a command was killed before it wrote vals.json', () => {
  it('the next command knows the ids of all answers, and writes them', async () => {
    const { place, writes } = await workspaceOf(['a', 'b', 'c']);
    expect((await runHooked(place, ['push'], { KILL_BEFORE: 'vals.json' })).signal).toBe('SIGKILL');
    expect(writes()).toHaveLength(3);
    expect(place.manifest().vals).toEqual({});
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged', 'c.ts': 'unchanged' });
    await place.rows(['push']);
    expect(place.idOf('c.ts')).toBe(place.records().find(({ name }) => name === 'c')?.id);
    expect(writes()).toHaveLength(3);
  });

  it.each([
    { args: ['val', 'set', 'a', '--name', 'b'], nameBefore: 'a' },
    { args: ['pull'], nameBefore: 'b' },
  ])('the next push does not undo a rename on the service ($args)', async ({ args, nameBefore }) => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const path = `/v1/vals/${place.idOf('a.ts')}`;
    await service.ask('PUT', path, { name: nameBefore });
    expect((await runHooked(place, args, { KILL_BEFORE: 'vals.json' })).signal).toBe('SIGKILL');
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
      stderr: expect.stringContaining('The val "a" of a.ts is named "b" on the service now.'),
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

  it('of a service with a long address are in a folder with a short name', () => {
    const [one = '', two = ''] = ['1', '2'].map((end) =>
      folderOfService(`https://x/${'y'.repeat(300)}${end}`),
    );
    expect(one.length).toBeLessThan(100);
    expect(two).not.toBe(one);
  });

  it('that cannot be written are mentioned once, and the command works', async () => {
    const service = await newService();
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
    const other = workspaceWith(place.env, { 'b.ts': 'b' });
    await new Place(other.folder, place.env, place.home).rows(['push']);
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
});

describe('a service that sends no id', () => {
  const storedSilently = ({ method, body }: Seen, service: Service): Reply | undefined => {
    if (method !== 'PUT') return undefined;
    const { name, code } = JSON.parse(body);
    return async (response) => {
      await service.edit(name, code);
      response.writeHead(204).end();
    };
  };

  it('is compared by the code that was sent, until pull makes the id known', async () => {
    const { service, env, writes } = await serviceWith(
      (seen, real) => noList(seen) ?? storedSilently(seen, real),
    );
    const place = workspaceWith(env, { 'a.ts': 'a' });
    const row = { file: 'a.ts', name: 'a' };
    for (const code of ['a', 'a2']) {
      place.put({ 'a.ts': code });
      expect(await place.status()).toEqual({ 'a.ts': code === 'a' ? 'new' : 'changed here' });
      expect(await place.rows(['push'])).toEqual([{ ...row, status: 'pushed' }]);
      expect(await place.rows(['push'])).toEqual([{ ...row, status: 'unchanged' }]);
      expect((await place.vals('status')).stderr).toContain('with the code that was pushed last');
    }
    expect(writes()).toHaveLength(2);
    expect(place.manifest().vals).toEqual({ 'a.ts': { name: 'a' } });
    expect(await place.vals('val', 'get', 'a', '--json')).toMatchObject({
      exit: 3,
      error: {
        message: expect.stringContaining('which sent no id'),
        hint: expect.stringContaining('`vals pull'),
      },
    });
    place.put({ 'a.ts': 'a3' });
    const { id } = await service.edit('a', 'a2');
    expect(await place.rows(['pull', id])).toEqual([{ ...row, status: 'kept', id, version: 2 }]);
    expect(place.read('a.ts')).toBe('a3');
    expect(place.idOf('a.ts')).toBe(id);
    expect(await place.rows(['status'])).toEqual([{ ...row, status: 'changed here', id, version: 2 }]);
  });

  it('with a list gives the ids by its list in the same command, and edits there are not overwritten', async () => {
    const { service, env } = await serviceWith(storedSilently);
    const place = workspaceWith(env, { 'a.ts': 'a', 'b.ts': 'b' });
    const rows = await place.rows(['push']);
    const { id } = await service.edit('a', 'theirs');
    expect(rows[0]).toEqual({ file: 'a.ts', name: 'a', status: 'pushed', id, version: 1 });
    expect(place.idOf('b.ts')).toBe(rows[1]?.id);
    place.put({ 'a.ts': 'mine', 'b.ts': 'b2' });
    expect(await place.status()).toEqual({ 'a.ts': 'conflict', 'b.ts': 'changed here' });
    expect(await place.words(['push'], 9)).toEqual({ 'a.ts': 'failed', 'b.ts': 'pushed' });
    expect(await service.code(id)).toBe('theirs');
    expect(await place.status()).toEqual({ 'a.ts': 'conflict', 'b.ts': 'unchanged' });
  });

  it('nor a version: --prune compares the code alone', async () => {
    const { service, env } = await serviceWith(storedSilently);
    const place = workspaceWith(env, { 'a.ts': 'a', 'b.ts': 'b' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'a2', 'b.ts': 'b2' });
    await place.rows(['push']);
    await service.edit('b', 'theirs');
    place.remove('a.ts', 'b.ts');
    const pruned = await place.words(['push', '--prune', '--yes'], 9);
    expect(pruned).toEqual({ 'a.ts': 'deleted', 'b.ts': 'failed' });
  });

  it('is mentioned after a push outside of a workspace', async () => {
    const service = await scriptedService([{ status: 204 }]);
    const cwd = folderOf({ 'a.ts': 'a' });
    const { exit, screen } = await runOnScreen(['push', 'a.ts'], { cwd, env: service.env, columns: 1_000 });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringMatching(/sent no id.*`vals val get/) });
  });
});
