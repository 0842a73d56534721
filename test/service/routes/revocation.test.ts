import { connect } from 'node:net';
import pg from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../src/service/index.ts';
import { newValDefaults } from '../../../src/service/store/write-vals.ts';
import { onServer } from '../../support/postgres.ts';
import {
  addPerson,
  ask,
  createVal,
  type Person,
  postgres,
  statusIn,
  statusOf,
  storeOf,
  type TemporaryService,
  temporaryService,
} from '../support.ts';

let service: TemporaryService;
let store: Store;
let eve: Person;

beforeEach(async () => {
  service = await temporaryService();
  store = await storeOf(service);
  eve = await addPerson(service, 'eve');
  await store.spaces.add('acme');
  await store.spaces.grant('acme', 'eve', 'write');
});

async function beginPush(prefix: string): Promise<() => Promise<number>> {
  const body = JSON.stringify({ name: 'late', code: 'c' });
  const head = [
    `PUT ${prefix}/v1/vals HTTP/1.1`,
    `Host: 127.0.0.1:${service.port}`,
    `Authorization: Bearer ${eve.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ].join('\r\n');
  const socket = connect(service.port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(`${head}\r\n\r\n${body.slice(0, 5)}`);
  for (let i = 0; i < 20; i++) await ask(eve, 'GET', '/v1/me');
  return async () => {
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(body.slice(5));
    await closed;
    return statusIn(answer);
  };
}

test('a token that was replaced stops working with the next request', async () => {
  expect(await statusOf(eve, 'GET', '/v1/me')).toBe(200);
  await store.users.renewToken('eve');
  expect(await statusOf(eve, 'GET', '/v1/me')).toBe(401);
});

test.each([
  ['the person is removed', '', () => store.users.remove('eve', false), 401],
  ['the person is removed', '/@acme', () => store.users.remove('eve', false), 404],
  ['the membership ends', '/@acme', () => store.spaces.revoke('acme', 'eve'), 404],
  ['the member may only read', '/@acme', () => store.spaces.grant('acme', 'eve', 'read'), 404],
  ['the space is removed', '/@acme', () => store.spaces.remove('acme', false), 404],
])('if %s before the body arrives, a push to %j/v1/vals is refused', async (_, prefix, end, status) => {
  const finish = await beginPush(prefix);
  await end();
  expect(await finish()).toBe(status);
});

test('if the access stays, a push whose body arrives late is accepted', async () => {
  for (const prefix of ['', '/@acme']) {
    const finish = await beginPush(prefix);
    expect(await finish()).toBe(201);
  }
});

const waitingForVersions =
  "SELECT count(*)::int AS count FROM pg_locks JOIN pg_class ON relation = pg_class.oid WHERE relname = 'versions' AND NOT granted";

test.runIf(postgres !== undefined)(
  'if a version makes its val private while another person reads the version, the code is not shown',
  async () => {
    const { id } = await createVal(eve, { name: 'v', code: 'c', privacy: 'public' });
    const other = new pg.Client(service.at);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('BEGIN; LOCK TABLE vals.versions');
    const read = ask(service, 'GET', `/v1/vals/${id}/versions/2`);
    await expect.poll(async () => (await onServer(service.at, waitingForVersions))[0]?.count).toBe(1);
    await other.query("UPDATE vals.vals SET privacy = 'private' WHERE id = $1", [id]);
    await other.query(
      "INSERT INTO vals.versions (val_id, version, code, created_at) VALUES ($1, 2, 'secret', '')",
      [id],
    );
    await other.query('COMMIT');
    expect(await read).toMatchObject({ status: 404, text: expect.not.stringContaining('secret') });
  },
);

test.each([
  ['the membership ends', () => store.spaces.revoke('acme', 'eve')],
  ['the member may only read', () => store.spaces.grant('acme', 'eve', 'read')],
])('if %s while a write waits in the service, the write is not stored', async (_, end) => {
  const { principal } = (await store.identify(eve.token, 'acme')) ?? {};
  if (!principal) throw new Error('eve is not a member');
  const { id } = await store.create(principal, { ...newValDefaults, name: 'v', code: 'c' });
  await end();
  const at = new Date().toISOString();
  const run = { version: 1, runStartAt: at, runEndAt: at, error: null, logs: null };
  const writes = [
    store.create(principal, { ...newValDefaults, name: 'new', code: 'late' }),
    store.createOrUpdate(principal, { name: 'v', code: 'late' }),
    store.createVersion(principal, id, { code: 'late' }),
    store.changeProperties(principal, id, { privacy: 'public' }),
    store.addRun(principal, id, run),
    store.delete(principal, id),
  ];
  for (const { status } of await Promise.allSettled(writes)) expect(status).toBe('rejected');
  const { items } = await store.listVals(principal, principal, { limit: 9 });
  expect(items).toMatchObject([{ id, name: 'v', version: 1, privacy: 'private' }]);
  expect(await store.countRuns(principal, id, 9)).toBe(0);
});

test.runIf(postgres !== undefined)(
  'if the membership ends while a write waits for its val, the write is refused',
  async () => {
    const { principal } = (await store.identify(eve.token, 'acme')) ?? {};
    if (!principal) throw new Error('eve is not a member');
    await store.create(principal, { ...newValDefaults, name: 'v', code: 'c' });
    const other = new pg.Client(service.at);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; SELECT id FROM vals.vals WHERE name = 'v' FOR UPDATE");
    const write = statusOf(eve, 'PUT', '/@acme/v1/vals', { body: { name: 'v', code: 'late' } });
    const waiting = 'SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted';
    await expect.poll(async () => (await onServer(service.at, waiting))[0]?.count).toBe(1);
    await store.spaces.revoke('acme', 'eve');
    await other.query('COMMIT');
    expect(await write).toBe(404);
  },
);
