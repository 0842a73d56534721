import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { LocalError } from '../../src/errors.ts';
import { createWriteSlots } from '../../src/service/database/write-slots.ts';
import { openStore, startService } from '../../src/service/index.ts';
import {
  addPerson,
  ask,
  createVal,
  newPlace,
  putVal,
  statusOf,
  storeOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../service/support.ts';
import { listen } from '../support/listen.ts';
import { newDatabase, onServer, takeDatabaseAway } from '../support/postgres.ts';

async function restartAt(
  service: TemporaryService,
  database: string,
  onStoreFailure?: (error: LocalError) => void,
) {
  await service.close();
  const started = await startService({ database, port: 0, onStoreFailure });
  onTestFinished(started.close);
  return { ...started, token: service.token };
}

test('forty writers of a locked val do not block other requests', async () => {
  const service = await temporaryService();
  const { id } = await createVal(service, { name: 'hot', code: 'c' });
  const other = new pg.Client(service.at);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`BEGIN; SELECT * FROM vals.vals WHERE id = '${id}' FOR UPDATE`);
  let answered = 0;
  const writers = Array.from({ length: 40 }, async (_, i) => {
    const body = { version: 1, runStartAt: '2026-01-31', runEndAt: '2026-01-31', error: null };
    const answer =
      i % 2 ? putVal(service, 'hot', `// ${i}`) : ask(service, 'POST', `/v1/vals/${id}/runs`, { body });
    answered += (await answer) ? 1 : 0;
    return (await answer).status;
  });
  const waiting =
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await expect.poll(async () => (await onServer(service.at, waiting)).length).toBeGreaterThan(1);
  const others = Array.from({ length: 12 }, async (_, i) => [
    await statusOf(service, 'GET', `/v1/vals/${id}`),
    (await putVal(service, `other${i}`, 'c')).status,
    await statusOf(service, 'GET', '/v1/me/runs'),
  ]);
  for (const statuses of await Promise.all(others)) expect(statuses).toEqual([200, 201, 200]);
  expect(answered).toBe(0);
  await other.query('ROLLBACK');
  for (const status of await Promise.all(writers)) expect([200, 201]).toContain(status);
});

test('forty slow reads by one person leave the connections of others free', async () => {
  const service = await temporaryService();
  const bob = await addPerson(service, 'bob');
  const other = new pg.Client(service.at);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN; LOCK TABLE vals.records');
  let answered = 0;
  const reads = Array.from({ length: 40 }, async () => {
    const status = await statusOf(service, 'GET', '/v1/me/runs');
    answered += 1;
    return status;
  });
  const waiting =
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await expect.poll(async () => (await onServer(service.at, waiting)).length).toBeGreaterThan(2);
  for (let i = 0; i < 20; i++) expect(await statusOf(bob, 'GET', '/v1/me')).toBe(200);
  expect(answered).toBe(0);
  await other.query('ROLLBACK');
  expect(await Promise.all(reads)).toContain(200);
});

test('writes to one row wait for each other, and a write that waited for too long is refused', async () => {
  const slots = createWriteSlots(500);
  let finish = () => {};
  const first = slots.run({ row: 'a' }, () => new Promise<void>((resolve) => (finish = resolve)));
  const late = [1, 2].map(() => slots.run({ row: 'a' }, async () => 'done').catch(({ kind }) => kind));
  expect(slots.waiting()).toBe(2);
  expect(await slots.run({ row: 'b' }, async () => 'done')).toBe('done');
  expect(await slots.run({}, async () => 'done')).toBe('done');
  await setTimeout(600);
  finish();
  await first;
  expect(await Promise.all(late)).toEqual(['busy', 'busy']);
  await expect(slots.run({ row: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots.run({ row: 'a' }, async () => 'done')).toBe('done');
  expect(slots.waiting()).toBe(0);
});

async function connectTo(service: TemporaryService): Promise<pg.Client> {
  const client = new pg.Client(service.at);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function lockVals(service: TemporaryService, ids: string[]): Promise<() => Promise<unknown>> {
  const other = await connectTo(service);
  const list = ids.map((id) => `'${id}'`).join(', ');
  await other.query(`BEGIN; SELECT * FROM vals.vals WHERE id IN (${list}) FOR UPDATE`);
  return () => other.query('ROLLBACK');
}

const waitForLock = (service: TemporaryService, count: number) =>
  expect
    .poll(async () => {
      const waiting = `SELECT pid FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      return (await onServer(service.at, waiting)).length;
    })
    .toBe(count);

test('a person who writes to a val of somebody else does not wait among the writes of its owner', async () => {
  const service = await temporaryService();
  const { id } = await createVal(service, { name: 'v', code: 'c', privacy: 'public' });
  const bob = await addPerson(service, 'bob');
  const unlock = await lockVals(service, [id]);
  const path = `/v1/vals/${id}/versions`;
  let isAnswered = false;
  const own = statusOf(service, 'POST', path, { body: { code: 'd' } }).then((status) => {
    isAnswered = true;
    return status;
  });
  await waitForLock(service, 1);
  expect(await statusOf(bob, 'POST', path, { body: { code: 'e' } })).toBe(403);
  expect(isAnswered).toBe(false);
  await unlock();
  expect(await own).toBe(201);
});

/** Begins to remove eve, who has one val. The removal waits until `other` ends its transaction. */
async function beginRemoval(service: TemporaryService) {
  const eve = await addPerson(service, 'eve');
  const { id } = await createVal(eve, { name: 'v', code: 'c' });
  const store = await storeOf(service);
  const other = await connectTo(service);
  await other.query(`BEGIN; SELECT * FROM vals.vals WHERE id = '${id}' FOR UPDATE`);
  const removal = store.users.remove('eve', true);
  await waitForLock(service, 1);
  return { eve, id, store, other, removal };
}

test('the removal of a person and a write to one of their vals do not wait for each other', async () => {
  const service = await temporaryService();
  const { eve, id, other, removal } = await beginRemoval(service);
  expect(await statusOf(eve, 'GET', '/v1/me')).toBe(401);
  await other.query(`INSERT INTO vals.records (owner_id, kind, key, at, val_id, json)
    VALUES ('${eve.user.id}', 'runs', 'k', '2026', '${id}', '{}'); COMMIT`);
  expect(await removal).toBe('removed');
  expect(await onServer(service.at, 'SELECT key FROM vals.records')).toEqual([]);
});

test('members who add vals all the time cannot prevent the removal of their space', async () => {
  const service = await temporaryService();
  const eve = await addPerson(service, 'eve');
  const store = await storeOf(service);
  await store.spaces.add('acme');
  await store.spaces.grant('acme', 'eve', 'write');
  expect(await statusOf(eve, 'POST', '/@acme/v1/vals', { body: { code: 'c' } })).toBe(201);
  const other = new pg.Client(service.at);
  await other.connect();
  onTestFinished(() => other.end());
  // Adding a val takes the same lock.
  await other.query("BEGIN; SELECT * FROM vals.users WHERE username = 'acme' FOR KEY SHARE");
  const removal = store.spaces.remove('acme', true);
  await waitForLock(service, 1);
  expect(await statusOf(eve, 'POST', '/@acme/v1/vals', { body: { code: 'c' } })).toBe(404);
  await other.query('COMMIT');
  expect(await removal).toBe('removed');
});

test('eight waiting writes of one person leave connections for the writes of others', async () => {
  const service = await temporaryService();
  const bob = await addPerson(service, 'bob');
  const names = Array.from({ length: 8 }, (_, i) => `v${i}`);
  const vals: Val[] = [];
  for (const name of names) vals.push(await createVal(bob, { name, code: 'c' }));
  const unlock = await lockVals(
    service,
    vals.map(({ id }) => id),
  );
  let answered = 0;
  const writes = names.map(async (name) => {
    const { status } = await putVal(bob, name, 'd');
    answered += 1;
    return status;
  });
  await waitForLock(service, 4);
  expect((await putVal(service, 'other', 'c')).status).toBe(201);
  expect(answered).toBe(0);
  await unlock();
  expect(await Promise.all(writes)).toEqual(names.map(() => 200));
});

test('a write counts as a request of its caller until it ends, even if the caller disconnects', async () => {
  const service = await temporaryService({ limits: { perSecond: 1_000, inFlight: 1 } });
  const { id } = await createVal(service, { name: 'v', code: 'c' });
  const unlock = await lockVals(service, [id]);
  const body = JSON.stringify({ name: 'v', code: 'd' });
  const socket = connect(service.port, '127.0.0.1');
  const head = [
    'PUT /v1/vals HTTP/1.1',
    `Host: 127.0.0.1:${service.port}`,
    `Authorization: Bearer ${service.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await waitForLock(service, 1);
  socket.destroy();
  for (let i = 0; i < 20; i++) expect(await statusOf(service, 'GET', '/v1/me')).toBe(429);
  await unlock();
  await expect.poll(() => statusOf(service, 'GET', '/v1/me')).toBe(200);
});

test('a request whose client disconnects before its body is read does not count for ever', async () => {
  const service = await temporaryService({ limits: { perSecond: 1_000, inFlight: 1 } });
  const other = await connectTo(service);
  await other.query('BEGIN; LOCK TABLE vals.users');
  const socket = connect(service.port, '127.0.0.1');
  const head = [
    'PUT /v1/vals HTTP/1.1',
    `Host: 127.0.0.1:${service.port}`,
    `Authorization: Bearer ${service.token}`,
    'Content-Type: application/json',
    'Content-Length: 100',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  await waitForLock(service, 1);
  socket.resetAndDestroy();
  for (let i = 0; i < 5; i++) await ask(service, 'GET', '/v1/openapi.json', { token: null });
  await other.query('ROLLBACK');
  await expect.poll(() => statusOf(service, 'GET', '/v1/me'), { timeout: 10_000 }).toBe(200);
});

test('a database that is taken away gives 503 and a message without the password, and works again when it is back', async () => {
  const before = await temporaryService();
  const failures: string[] = [];
  const service = await restartAt(before, before.at, ({ message }) => failures.push(message));
  const { pathname, password } = new URL(before.at);
  const giveBack = await takeDatabaseAway(before.at);
  expect(await putVal(service, 'v', 'c')).toMatchObject({ status: 503, body: { status: 503 } });
  expect(await statusOf(service, 'GET', '/healthz')).toBe(503);
  expect(failures[0]).toContain(`${pathname} could not be used: `);
  expect(failures.join()).not.toContain(password);
  await giveBack();
  expect((await putVal(service, 'v', 'c')).status).toBe(201);
});

test.each([
  ['COMMIT\0', 500, 'is', 1],
  ['INSERT INTO versions', 503, 'is not', 0],
])('a connection that breaks at %j gives %i, and the val %s written', async (statement, status, _, count) => {
  const before = await temporaryService();
  const proxy = await breakingProxy(before.at);
  const service = await restartAt(before, proxy.address);
  proxy.breakAfter(statement);
  expect((await putVal(service, 'v', 'c')).status).toBe(status);
  expect(await onServer(before.at, "SELECT id FROM vals.vals WHERE name = 'v'")).toHaveLength(count);
  expect((await putVal(service, 'v', 'c')).status).toBe(count === 1 ? 200 : 201);
});

test('a silent connection gives 503 when one answer is overdue, and later requests succeed', async () => {
  const before = await temporaryService();
  const proxy = await breakingProxy(before.at, () => {});
  const service = await restartAt(before, `${proxy.address}?query_timeout=500`);
  proxy.breakAfter('INSERT INTO versions');
  const start = performance.now();
  expect(await putVal(service, 'v', 'c')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(performance.now() - start).toBeLessThan(10_000);
  expect((await putVal(service, 'v', 'c')).status).toBe(201);
});

async function breakingProxy(
  at: string,
  cutOff = (near: Socket): void => void near.destroy(),
): Promise<{ address: string; breakAfter(statement: string): void }> {
  const target = new URL(at);
  let wanted: string | undefined;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let cut = false;
    near.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        cut = true;
        wanted = undefined;
      }
      far.write(chunk);
    });
    far.on('data', (chunk) => (cut ? cutOff(near) : near.write(chunk)));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    for (const socket of [near, far]) socket.on('error', () => {});
  });
  const address = new URL(at);
  address.port = `${await listen(server)}`;
  return {
    address: address.href,
    breakAfter(statement) {
      wanted = statement;
    },
  };
}

test('the database has a digest of each token, and no token', async () => {
  const service = await temporaryService();
  const rows = await onServer(service.at, 'SELECT * FROM vals.users');
  expect(rows).toMatchObject([{ username: 'local', token_digest: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  expect(JSON.stringify(rows)).not.toContain(service.token);
  expect(await onServer(service.at, 'SELECT * FROM vals.owner')).toEqual([]);
});

test.each([
  ['a table called vals in another schema is left alone', 'CREATE TABLE public.vals (mine TEXT)'],
  ['an empty schema called vals is used', 'CREATE SCHEMA vals'],
])('%s', async (_, sql) => {
  const at = await newPlace();
  await onServer(at, sql);
  const service = await temporaryService({ at });
  expect((await putVal(service, 'v', 'c')).status).toBe(201);
  if (sql.includes('public')) expect(await onServer(at, 'SELECT * FROM public.vals')).toEqual([]);
});

test.each([
  [
    'of another program',
    'CREATE SCHEMA vals; CREATE TABLE vals.theirs (x TEXT)',
    /belongs to another program/,
  ],
  [
    'of a newer vals',
    'CREATE SCHEMA vals; CREATE TABLE vals.store_version (version INTEGER); INSERT INTO vals.store_version VALUES (99)',
    /newer version of vals/,
  ],
])('a schema %s is refused', async (_, sql, message) => {
  const at = await newPlace();
  await onServer(at, sql);
  const before = await tables(at);
  const error = await startService({ database: at, port: 0 }).catch((reason) => reason);
  expect(error).toBeInstanceOf(LocalError);
  expect(error.message).toMatch(message);
  expect(await tables(at)).toEqual(before);
});

test.each(['LATIN1', 'SQL_ASCII'])('a database with the encoding %s is refused', async (encoding) => {
  const { address, drop } = await newDatabase(
    `${inject('postgres')}`,
    `ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
  );
  onTestFinished(drop);
  const error = await startService({ database: address, port: 0 }).catch((reason) => reason);
  expect(error).toBeInstanceOf(LocalError);
  expect(error.message).toMatch(`has the encoding ${encoding}, but vals needs UTF8`);
  expect(await tables(address)).toEqual([]);
});

const tables = (at: string) =>
  onServer(at, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'vals' ORDER BY 1");

test('twenty stores that create the schema at the same moment agree', async () => {
  const database = await newPlace();
  const stores = await Promise.all(Array.from({ length: 20 }, () => openStore({ database })));
  await Promise.all(stores.map(({ close }) => close()));
  expect(await onServer(database, 'SELECT * FROM vals.store_version')).toHaveLength(1);
});
