import { text } from 'node:stream/consumers';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../../src/service/index.ts';
import { changeProperties, createVersion } from '../../../src/service/store/change-val.ts';
import { createOrUpdateVal, createVal, newValDefaults } from '../../../src/service/store/create-val.ts';
import { listVals } from '../../../src/service/store/lists.ts';
import { deleteVal } from '../../../src/service/store/remove-val.ts';
import { addRun, runsOfVal } from '../../../src/service/store/runs.ts';
import { identify } from '../../../src/service/store/tokens.ts';
import { lock, untilWaiting } from '../support/locks.ts';
import {
  addPerson,
  beginPut,
  type Person,
  postgres,
  statusIn,
  storeOf,
  type TemporaryService,
  temporaryService,
} from '../support.ts';

let service: TemporaryService;
let store: Store;
let eve: Person;

beforeAll(async () => {
  service = await temporaryService();
  store = await storeOf(service);
});

/** Each test has a person and a space of its own. */
beforeEach(async () => {
  await store.spaces.remove('acme', { withVals: true });
  await store.people.remove('eve', { withVals: true });
  eve = await addPerson(service, 'eve');
  await store.spaces.add('acme');
  await store.spaces.grant('acme', 'eve', 'write');
});

async function beginPush(path: string): Promise<() => Promise<number>> {
  const body = JSON.stringify({ name: 'late', code: 'c' });
  const socket = beginPut({ port: service.port, token: eve.token }, body.slice(0, 5), {
    path,
    length: body.length,
    headers: ['Connection: close'],
  });
  const answer = text(socket);
  for (let i = 0; i < 5; i++) await eve.ask('GET', '/v1/me');
  return async () => {
    socket.write(body.slice(5));
    return statusIn(await answer);
  };
}

test.each([
  ['the person is removed', '/v1/vals', () => store.people.remove('eve', { withVals: false }), 401],
  ['the membership ends', '/@acme/v1/vals', () => store.spaces.revoke('acme', 'eve'), 404],
  ['the member may only read', '/@acme/v1/vals', () => store.spaces.grant('acme', 'eve', 'read'), 404],
  ['the space is removed', '/@acme/v1/vals', () => store.spaces.remove('acme', { withVals: false }), 404],
])('if %s before the body arrives, a push to %s is refused', async (_, path, end, status) => {
  const finish = await beginPush(path);
  await end();
  expect(await finish()).toBe(status);
});

test('if the access stays, a push whose body arrives late is accepted', async () => {
  const finish = await beginPush('/@acme/v1/vals');
  expect(await finish()).toBe(201);
});

const inPostgres = test.runIf(postgres !== undefined);

inPostgres(
  'if a val becomes private while another person reads a version, its code is not shown',
  async () => {
    const { id } = await eve.createVal({ name: 'v', code: 'c', privacy: 'public' });
    const unlock = await lock(service.at, 'LOCK TABLE vals.versions');
    const read = service.ask('GET', `/v1/vals/${id}/versions/2`);
    await untilWaiting(service.at, 1);
    await unlock(`UPDATE vals.vals SET privacy = 'private' WHERE id = '${id}';
    INSERT INTO vals.versions (val_id, version, code, code_hash, created_at)
      VALUES ('${id}', 2, 'secret', '', '')`);
    expect(await read).toMatchObject({ status: 404, text: expect.not.stringContaining('secret') });
  },
);

test.each([
  ['the membership ends', () => store.spaces.revoke('acme', 'eve')],
  ['the member may only read', () => store.spaces.grant('acme', 'eve', 'read')],
])('if %s while a write waits in the service, the write is not stored', async (_, end) => {
  const { access } = (await identify(store, { secret: eve.token }, 'acme')) ?? {};
  if (!access) throw new Error('eve is not a member');
  const { id } = await createVal(store.db, access, { ...newValDefaults, name: 'v', code: 'c' });
  await end();
  const at = new Date().toISOString();
  const run = { version: 1, runStartAt: at, runEndAt: at, error: null, logs: null };
  const writes = [
    createVal(store.db, access, { ...newValDefaults, name: 'new', code: 'late' }),
    createOrUpdateVal(store.db, access, { name: 'v', code: 'late' }),
    createVersion(store.db, access, id, {}, { code: 'late' }),
    changeProperties(store.db, access, id, {}, { privacy: 'public' }),
    addRun(store.db, access, id, run),
    deleteVal(store.db, access, id, {}),
  ];
  for (const { status } of await Promise.allSettled(writes)) expect(status).toBe('rejected');
  const { items } = await listVals(store.db, access, access.owner, { limit: 9 });
  expect(items).toMatchObject([{ id, name: 'v', version: 1, privacy: 'private' }]);
  expect((await runsOfVal(store.db, access, id)).records).toEqual([]);
});

inPostgres('if the membership ends while a write waits for its val, the write is refused', async () => {
  const put = (code: string) => eve.statusOf('PUT', '/@acme/v1/vals', { body: { name: 'v', code } });
  expect(await put('c')).toBe(201);
  const unlock = await lock(service.at, "SELECT id FROM vals.vals WHERE name = 'v' FOR UPDATE");
  const write = put('late');
  await untilWaiting(service.at, 1);
  await store.spaces.revoke('acme', 'eve');
  await unlock();
  expect(await write).toBe(404);
});
