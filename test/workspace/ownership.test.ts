import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, temporaryFolder } from '../support/program.ts';
import { reachable } from '../support/reachable.ts';
import { type Reply, type Seen, scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';
import { manifestWith, Place, pushed, reachableService, Service, workspaceWith } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const ownId = '11111111-1111-4111-8111-111111111111';
const acme = { author: { id: 'acme-id', username: 'acme' } };

interface Facts {
  read: Reply;
  path?: string;
  idsFor?: string;
}

async function checkout({ read, path = '', idsFor = path }: Facts) {
  const service = await scriptedService([], (seen: Seen) => {
    const route = seen.path.slice(path.length);
    if (route === '/v1/me') return { body: { id: 'me' } };
    if (route.startsWith('/v1/users/')) return { body: [] };
    if (seen.method === 'GET') return read;
    return { status: 201, body: { id: ownId, name: JSON.parse(seen.body).name, version: 1 } };
  });
  const env = await reachable(service.env);
  const ids = { [env.VALS_BASE_URL + idsFor]: id };
  const files = { 'hello.ts': 'mine', ...manifestWith('hello.ts', 'hello', ids) };
  const place = workspaceWith({ ...env, VALS_BASE_URL: env.VALS_BASE_URL + path }, files);
  const sent = () =>
    service.requests.filter(({ method }) => method !== 'GET').map(({ body }) => JSON.parse(body).name);
  return { place, sent };
}

const theirs = { id, name: 'hello', code: 'theirs', version: 3 };

describe.each<[string, Facts, string, RegExp]>([
  ['of another owner', { read: { body: { ...theirs, ...acme } } }, 'not yours', /belongs to "acme"/],
  ['that may not be read', { read: { status: 403, body: {} } }, 'not yours', /belongs to another owner/],
  [
    'that is gone',
    { read: { status: 404, body: {} } },
    'deleted there',
    /has no val on the service any more/,
  ],
  [
    'of a space, seen from the person',
    { read: { body: { ...theirs, ...acme } }, idsFor: '/@acme' },
    'not yours',
    /belongs to acme,/,
  ],
  [
    'of a person, seen from a space',
    { read: { body: { ...theirs, ...acme } }, path: '/@space', idsFor: '' },
    'not yours',
    /belongs to acme,/,
  ],
])('a val %s', (_which, facts, status, message) => {
  it('is not sent by push', async () => {
    const { place, sent } = await checkout(facts);
    expect(await place.status()).toEqual({ 'hello.ts': status });
    for (const args of [['push'], ['push', 'hello.ts'], ['push', '--force'], ['push', '--dry-run']]) {
      const [row] = await place.rows(args, 5);
      expect(row).toMatchObject({ status: 'failed', error: { kind: 'conflict' } });
      expect(row?.error?.message).toMatch(message);
      expect(row?.error?.hint).toContain('--fork');
    }
    expect(sent()).toEqual([]);
  });

  it('becomes a val of the caller by --fork', async () => {
    const { place, sent } = await checkout(facts);
    expect(await place.words(['push', '--fork'])).toEqual({ 'hello.ts': 'created' });
    expect(sent()).toEqual(['hello']);
    expect(place.idOf('hello.ts')).toBe(ownId);
  });
});

it('pull writes the code of a val of another owner', async () => {
  const { place } = await checkout({ read: { body: { ...theirs, ...acme } } });
  expect(await place.words(['pull', '--force'])).toEqual({ 'hello.ts': 'pulled' });
  expect(place.read('hello.ts')).toBe('theirs');
});

it.each<[string, object]>([
  ['the caller', { author: { id: 'me' } }],
  ['nobody that the service tells', { author: null }],
])('push sends a val whose owner is %s', async (_owner, author) => {
  const { place, sent } = await checkout({ read: { body: { ...theirs, ...author } } });
  await place.rows(['push', '--yes']);
  expect(sent()).toEqual(['hello']);
});

it('two people on one service do not overwrite each other', async () => {
  const file = join(temporaryFolder(), 'vals.db');
  const service = new Service(await serviceInProcess(undefined, file));
  const { stdout } = await run(['user', 'add', 'ann', '--data', file, '--json']);
  const place = workspaceWith(service.env, { 'a.ts': 'mine' });
  await service.ask('POST', '/v1/vals', { name: 'a', code: 'mine', privacy: 'public' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'unchanged' });
  const ann = new Place(place.folder, { ...service.env, VALS_TOKEN: JSON.parse(stdout).token }, place.home);
  ann.put({ 'a.ts': 'edited_by_ann' });
  expect(await ann.status()).toEqual({ 'a.ts': 'not yours' });
  expect(await ann.words(['push', '--force'], 5)).toEqual({ 'a.ts': 'failed' });
  const before = place.idOf('a.ts');
  expect(await ann.words(['push', '--fork'])).toEqual({ 'a.ts': 'created' });
  expect(place.idOf('a.ts')).not.toBe(before);
  expect(await ann.status()).toEqual({ 'a.ts': 'unchanged' });
  ann.put({ 'a.ts': 'edited_again' });
  expect(await ann.words(['push', '--fork'])).toEqual({ 'a.ts': 'pushed' });
  expect(await service.code(before)).toBe('mine');
});

describe('an id that belongs to a val of another name', () => {
  const facts = { read: { body: { ...theirs, name: 'production_billing' } } };

  it('is a conflict, and nothing is sent', async () => {
    const { place, sent } = await checkout(facts);
    expect(await place.status()).toEqual({ 'hello.ts': 'conflict' });
    const message = 'its id in vals.json belongs to the val "production_billing" on the service';
    for (const line of ['push', 'push --dry-run', 'push --yes', 'push hello.ts --force', 'pull --force']) {
      const [row] = await place.rows(line.split(' '), 5);
      expect(row?.error?.message).toContain(message);
    }
    expect((await place.onScreen(['diff'])).stdout).toContain('has the id of the val "production_billing"');
    expect(sent()).toEqual([]);
    expect(place.read('hello.ts')).toBe('mine');
  });

  it('is left alone by push --fork, which makes another val', async () => {
    const { place, sent } = await checkout(facts);
    expect(await place.rows(['push', '--fork', '--dry-run'])).toMatchObject([
      { name: 'hello', status: 'planned' },
    ]);
    expect(await place.rows(['push', '--fork'])).toMatchObject([{ name: 'hello' }]);
    expect(sent()).toEqual(['hello']);
    expect(place.idOf('hello.ts')).toBe(ownId);
  });

  it('is not recorded, even if the code is the same', async () => {
    const { place } = await checkout({
      read: { body: { ...theirs, code: 'mine', name: 'production_billing' } },
    });
    for (const args of [['status'], ['push']]) await place.vals(...args);
    expect(await place.status()).toEqual({ 'hello.ts': 'conflict' });
    expect(place.records()).toEqual([]);
  });
});

it('a val that was renamed on the service is pushed under its name there, and pull takes the name over', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  const id = place.idOf('a.ts');
  await service.ask('PUT', `/v1/vals/${id}`, { name: 'better' });
  expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  place.put({ 'a.ts': 'a2' });
  expect(await place.rows(['push'])).toMatchObject([{ name: 'better', status: 'pushed', id }]);
  expect(await service.ask('GET', `/v1/vals/${id}`)).toMatchObject({ name: 'better', code: 'a2' });
  expect(place.manifest().vals['a.ts']?.name).toBe('a');
  await place.rows(['pull']);
  expect(place.manifest().vals['a.ts']?.name).toBe('better');
  place.put({ 'vals.json': place.read('vals.json').replace('"better"', '"best"') });
  expect(await place.status()).toEqual({ 'a.ts': 'renamed here' });
});

it('a new file with the new name of a val does not take the id of the file that has the val', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' }, await reachableService());
  const id = place.idOf('a.ts');
  await service.ask('PUT', `/v1/vals/${id}`, { name: 'b' });
  place.put({ 'b.ts': 'a' });
  const { exit, stderr } = await place.vals('push');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('a.ts already has that id.') });
  expect(place.idOf('a.ts')).toBe(id);
  expect(place.manifest().vals['b.ts']?.ids).toBeUndefined();
});
