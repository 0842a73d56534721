import { expect, it } from 'vitest';
import {
  type Env,
  newService,
  type Place,
  pushed,
  reachableService,
  type Service,
  serviceWith,
  workspaceWith,
} from './support.ts';

function editName(place: Place, file: string, name: string): void {
  const manifest = place.manifest();
  Object.assign(manifest.vals[file] ?? {}, { name });
  place.put({ 'vals.json': JSON.stringify(manifest) });
}

const read = async (service: Service, id: string) => {
  const { name, code, version } = (await service.ask('GET', `/v1/vals/${id}`)) as Record<string, unknown>;
  return { name, code, version };
};

async function renamed(on?: Service) {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' }, on);
  const id = place.idOf('a.ts');
  editName(place, 'a.ts', 'better');
  return { place, service, id };
}

async function renamedOn(env: Env): Promise<Place> {
  const place = workspaceWith(env, { 'a.ts': 'a' });
  await place.rows(['push']);
  editName(place, 'a.ts', 'better');
  return place;
}

it('status shows a val that was renamed in vals.json, and the next push renames the val without a new version', async () => {
  const { place, service, id } = await renamed();
  expect(await place.status()).toEqual({ 'a.ts': 'renamed here', 'b.ts': 'unchanged' });
  const { screen } = await place.onScreen(['status']);
  expect(screen.replace(/\s+/g, ' ')).toContain(
    'To give the vals on the service the new names from vals.json, run `vals push`.',
  );
  const dry = await place.vals('push', '--dry-run');
  expect(dry).toMatchObject({ exit: 0, stderr: 'A push would rename the val "a" of a.ts to "better".\n' });
  expect(await read(service, id)).toMatchObject({ name: 'a' });
  const [row] = await place.rows(['push']);
  expect(row).toEqual({ file: 'a.ts', name: 'better', status: 'renamed', id, version: 1 });
  expect(await read(service, id)).toEqual({ name: 'better', code: 'a', version: 1 });
  expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
});

it('push renames the val before it sends the code', async () => {
  const { place, service, id } = await renamed();
  place.put({ 'a.ts': 'a2' });
  expect(await place.status()).toMatchObject({ 'a.ts': 'renamed here' });
  const [row] = await place.rows(['push']);
  expect(row).toEqual({ ...row, name: 'better', status: 'pushed', id, version: 2 });
  expect(await read(service, id)).toEqual({ name: 'better', code: 'a2', version: 2 });
});

it('pull keeps the new name, and pull --force takes the old name back', async () => {
  const { place, service, id } = await renamed();
  await service.ask('POST', `/v1/vals/${id}/versions`, { code: 'theirs' });
  expect(await place.words(['pull', 'a.ts'])).toEqual({ 'a.ts': 'pulled' });
  expect(place.read('a.ts')).toBe('theirs');
  expect(await place.words(['pull'])).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
  expect(await place.status()).toMatchObject({ 'a.ts': 'renamed here' });
  await place.rows(['pull', 'a.ts', '--force']);
  expect(place.manifest().vals['a.ts']?.name).toBe('a');
  expect(await place.status()).toMatchObject({ 'a.ts': 'unchanged' });
});

it('push renames a val whose code is newer on the service, but not if both sides changed', async () => {
  const { place, service, id } = await renamed();
  await service.ask('POST', `/v1/vals/${id}/versions`, { code: 'theirs' });
  place.put({ 'a.ts': 'mine' });
  expect(await place.status()).toMatchObject({ 'a.ts': 'conflict' });
  expect(await place.words(['push'], 5)).toMatchObject({ 'a.ts': 'failed' });
  expect(await read(service, id)).toMatchObject({ name: 'a', code: 'theirs' });
  place.put({ 'a.ts': 'a' });
  expect(await place.words(['push'])).toMatchObject({ 'a.ts': 'renamed' });
  expect(await read(service, id)).toEqual({ name: 'better', code: 'theirs', version: 2 });
  expect(await place.status()).toMatchObject({ 'a.ts': 'changed there' });
});

it('a name that another val has is refused, and the code is not sent', async () => {
  const { place, service, id } = await renamed();
  await service.edit('better', 'other');
  place.put({ 'a.ts': 'a2' });
  expect(await place.words(['push'], 5)).toMatchObject({ 'a.ts': 'failed' });
  expect(await read(service, id)).toMatchObject({ name: 'a', code: 'a' });
});

it('a renamed val is a conflict without a record, or if the service has a third name', async () => {
  const { place, service, id } = await renamed(await reachableService());
  await service.ask('PUT', `/v1/vals/${id}`, { name: 'third' });
  expect(await place.status()).toMatchObject({ 'a.ts': 'conflict' });
  expect(await place.words(['push'], 5)).toMatchObject({ 'a.ts': 'failed' });
  await service.ask('PUT', `/v1/vals/${id}`, { name: 'a' });
  place.loseRecords();
  expect(await place.status()).toMatchObject({ 'a.ts': 'conflict' });
  expect(await place.words(['push'], 5)).toMatchObject({ 'a.ts': 'failed' });
  expect(await read(service, id)).toMatchObject({ name: 'a' });
});

it('push says if the service does not rename the val', async () => {
  const { service, env } = await serviceWith(({ method, path }) => {
    if (method === 'POST') return { body: { name: 'a', version: 1 } };
    return method === 'PUT' && path !== '/v1/vals' ? { status: 404, body: {} } : undefined;
  });
  const place = await renamedOn(env);
  const { exit, stderr } = await place.vals('push');
  expect(exit).toBe(6);
  expect(stderr).toContain('The service did not rename "a" to "better"');
  expect(await read(service, place.idOf('a.ts'))).toMatchObject({ name: 'a', version: 1 });
});

it('a push whose code is refused after the rename says that a part was done', async () => {
  const { env } = await serviceWith(({ method, path, body }) => {
    const isCode = method === 'PUT' && path === '/v1/vals';
    return isCode && JSON.parse(body).name === 'better' ? { status: 503 } : undefined;
  });
  const place = await renamedOn(env);
  place.put({ 'a.ts': 'a2' });
  const { exit, stderr } = await place.vals('push', '--timeout', '1');
  expect({ exit, stderr }).toEqual({
    exit: 9,
    stderr: expect.stringContaining('The val was renamed before.'),
  });
});

/** The val "a" was renamed to "better", with its file. Then the branch from before was checked out. */
async function onOlderBranch(on: Service): Promise<Place> {
  const { place } = await pushed({ 'a.ts': 'a' }, on);
  const before = place.read('vals.json') ?? '';
  await place.vals('val', 'set', 'a', '--name', 'better');
  const renamedManifest = (place.read('vals.json') ?? '').replace('a.ts', 'better.ts');
  place.remove('a.ts');
  place.put({ 'better.ts': 'a', 'vals.json': renamedManifest });
  expect(await place.words(['push'])).toEqual({ 'better.ts': 'unchanged' });
  place.remove('better.ts');
  place.put({ 'a.ts': 'a', 'vals.json': before });
  return place;
}

it.each([
  ['a service of others', reachableService],
  ['a service of this machine', newService],
])('an older branch does not take the old name back unasked, on %s', async (_title, makeService) => {
  const place = await onOlderBranch(await makeService());
  expect(await place.status()).toEqual({ 'a.ts': 'older here' });
  const refused = await place.vals('push', '--json');
  expect(refused).toMatchObject({ exit: 5, stdout: expect.stringContaining('"failed"') });
  expect(refused.error?.message).toContain('which its val had before it became "better"');
  expect(
    (await place.onScreen(['push'], { columns: 200, answers: [{ after: '[y/N]', keys: 'n\r' }] })).screen,
  ).toContain('(the val is named "better" now)');
  expect(await place.words(['push', '--yes'])).toEqual({ 'a.ts': 'renamed' });
});

it('on an older branch, a val that changed on both sides is a conflict, and --force is proposed', async () => {
  const service = await reachableService();
  const place = await onOlderBranch(service);
  await service.edit('better', 'theirs');
  place.put({ 'a.ts': 'mine' });
  const { exit, error } = await place.vals('push', '--json');
  expect({ exit, message: error?.message }).toEqual({
    exit: 5,
    message: expect.stringContaining('a.ts changed here and on the service'),
  });
  expect(error?.hint).toContain('`vals push a.ts --force`');
});
