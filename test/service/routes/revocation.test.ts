import { text } from 'node:stream/consumers';
import Libsql from 'libsql';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../src/service/index.ts';
import { homeOf } from '../../../src/service/store/access.ts';
import { listVals } from '../../../src/service/store/lists.ts';
import { ownerNamed, removeOwner } from '../../../src/service/store/owners.ts';
import { renewToken } from '../../../src/service/store/people.ts';
import { listRuns } from '../../../src/service/store/runs.ts';
import { createSpace, grant, revoke } from '../../../src/service/store/spaces.ts';
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
  type Val,
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
  await removeOwner(store.db, 'acme', 'space', { withVals: true });
  await removeOwner(store.db, 'eve', 'person', { withVals: true });
  eve = await addPerson(service, 'eve');
  await createSpace(store.db, 'acme');
  await grant(store.db, 'acme', 'eve', 'write');
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
  [
    'the person is removed',
    '/v1/vals',
    () => removeOwner(store.db, 'eve', 'person', { withVals: false }),
    401,
  ],
  ['the membership ends', '/@acme/v1/vals', () => revoke(store.db, 'acme', 'eve'), 404],
  ['the member may only read', '/@acme/v1/vals', () => grant(store.db, 'acme', 'eve', 'read'), 403],
  [
    'the space is removed',
    '/@acme/v1/vals',
    () => removeOwner(store.db, 'acme', 'space', { withVals: false }),
    404,
  ],
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

/** What ends the access, as the command of an operator or of the person does it, and how a write is refused then. */
const endings = [
  ['the token is removed', '', "DELETE FROM tokens WHERE id = 'TOKEN'", 401],
  [
    'the token expires',
    '',
    "UPDATE tokens SET expires_at = '2026-01-01T00:00:00.000Z' WHERE id = 'TOKEN'",
    401,
  ],
  ['the token for the space is removed', '/@acme', "DELETE FROM tokens WHERE id = 'TOKEN'", 401],
  ['the membership ends', '/@acme', "DELETE FROM members WHERE user_id = 'USER'", 404],
  ['the member may only read', '/@acme', "UPDATE members SET role = 'read' WHERE user_id = 'USER'", 403],
] as const;

/** Holds a lock for which each write to a val waits, and ends what `statement` ends before the lock is free. */
async function lockVals(at: string): Promise<(statement: string) => Promise<unknown>> {
  if (postgres !== undefined) {
    return lock(at, 'SET search_path TO vals; SELECT id FROM vals FOR UPDATE');
  }
  const other = new Libsql(at);
  onTestFinished(() => void other.close());
  other.exec('PRAGMA foreign_keys = ON; BEGIN IMMEDIATE');
  return async (statement) => void other.exec(`${statement}; COMMIT`);
}

test.each(endings)('if %s while writes wait for a lock, nothing is stored', async (_, space, end, status) => {
  const acme = await ownerNamed(store.db, 'acme', 'space');
  if (!acme) throw new Error('no space');
  const vals = `${space}/v1/vals`;
  const put = (name: string, code: string) => eve.ask('PUT', vals, { body: { name, code } });
  const { id, updatedAt } = (await put('v', 'c')).body as Val;
  const [token] = await eve.idsFrom('/v1/me/tokens');
  const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: '2026-01-31T09:30:01Z' };

  const unlock = await lockVals(service.at);
  const writes = [
    put('v', 'late'),
    ...(postgres === undefined ? [put('new', 'late')] : []),
    eve.ask('POST', `${vals}/${id}/versions`, { body: { code: 'late' } }),
    eve.ask('PUT', `${vals}/${id}`, { body: { privacy: 'public' } }),
    eve.ask('POST', `${vals}/${id}/runs`, { body: { version: 1, error: null, ...times } }),
    eve.ask('DELETE', `${vals}/${id}`),
  ];
  if (postgres !== undefined) await untilWaiting(service.at, 2);
  for (let i = 0; i < 5; i++) await eve.ask('GET', '/v1/me');
  await unlock(end.replace('TOKEN', `${token}`).replace('USER', eve.user.id));
  for (const answer of await Promise.all(writes)) expect(answer).toMatchObject({ status });

  const person = await identify(store, 'token', `${(await renewToken(store, 'eve'))?.token}`);
  if (!person) throw new Error('eve has no token');
  const access = space === '' ? homeOf(person) : { ...homeOf(person), owner: acme };
  const { items } = await listVals(store.db, access, access.owner, { limit: 9 });
  expect(items.map(({ item }) => item)).toMatchObject([
    { id, name: 'v', version: 1, privacy: 'private', updatedAt },
  ]);
  expect((await listRuns(store.db, access, { limit: 9 })).items).toEqual([]);
});
