import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LocalError } from '../../../src/core/errors.ts';
import { type ServiceOptions, startService } from '../../../src/service/index.ts';
import { removeOwner } from '../../../src/service/store/owners.ts';
import { createSpace, grant } from '../../../src/service/store/spaces.ts';
import { listen } from '../../support/listen.ts';
import { lock, untilWaiting } from '../support/locks.ts';
import { onServer, takeDatabaseAway } from '../support/postgres.ts';
import {
  addPerson,
  beginPut,
  clientOf,
  newPlace,
  storeOf,
  type TemporaryService,
  temporaryService,
} from '../support.ts';

const lockVals = ({ at }: TemporaryService, names: string) =>
  lock(at, `SELECT * FROM vals.vals WHERE name LIKE '${names}' FOR UPDATE`);

/** Sends many requests, and tells how many of them were answered. */
function sendMany(count: number, send: (index: number) => Promise<number>) {
  let answered = 0;
  const statuses = Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const status = await send(index);
      answered += 1;
      return status;
    }),
  );
  return { statuses, answered: () => answered };
}

test('forty writers of a locked val do not block other requests', async () => {
  const service = await temporaryService();
  const { id } = await service.createVal({ name: 'hot', code: 'c' });
  const unlock = await lockVals(service, 'hot');
  const body = { version: 1, runStartAt: '2026-01-31', runEndAt: '2026-01-31', error: null };
  const writes = sendMany(40, async (i) =>
    i % 2
      ? (await service.putVal('hot', `// ${i}`)).status
      : service.statusOf('POST', `/v1/vals/${id}/runs`, { body }),
  );
  await untilWaiting(service.at, 2);
  const others = Array.from({ length: 12 }, async (_, i) => [
    await service.statusOf('GET', `/v1/vals/${id}`),
    (await service.putVal(`other${i}`, 'c')).status,
    await service.statusOf('GET', '/v1/me/runs'),
  ]);
  for (const statuses of await Promise.all(others)) expect(statuses).toEqual([200, 201, 200]);
  expect(writes.answered()).toBe(0);
  await unlock();
  for (const status of await writes.statuses) expect([200, 201]).toContain(status);
});

test('a person who writes to a val of somebody else does not wait among the writes of its owner', async () => {
  const service = await temporaryService();
  const { id } = await service.createVal({ name: 'v', code: 'c', privacy: 'public' });
  const bob = await addPerson(service, 'bob');
  const unlock = await lockVals(service, 'v');
  const path = `/v1/vals/${id}/versions`;
  const own = sendMany(1, () => service.statusOf('POST', path, { body: { code: 'd' } }));
  await untilWaiting(service.at, 1);
  expect(await bob.statusOf('POST', path, { body: { code: 'e' } })).toBe(403);
  expect(own.answered()).toBe(0);
  await unlock();
  expect(await own.statuses).toEqual([201]);
});

test('the removal of a person and a write to one of their vals do not wait for each other', async () => {
  const service = await temporaryService();
  const eve = await addPerson(service, 'eve');
  const { id } = await eve.createVal({ name: 'v', code: 'c' });
  const { db } = await storeOf(service);
  const unlock = await lockVals(service, 'v');
  const removal = removeOwner(db, 'eve', 'person', { withVals: true });
  await untilWaiting(service.at, 1);
  expect(await eve.statusOf('GET', '/v1/me')).toBe(401);
  await unlock(`INSERT INTO vals.records (owner_id, kind, key, at, val_id, json)
    VALUES ('${eve.user.id}', 'runs', 'k', '2026', '${id}', '{}')`);
  expect(await removal).toBe('removed');
  expect(await onServer(service.at, 'SELECT key FROM vals.records')).toEqual([]);
});

test('members who add vals all the time cannot prevent the removal of their space', async () => {
  const service = await temporaryService();
  const eve = await addPerson(service, 'eve');
  const { db } = await storeOf(service);
  await createSpace(db, 'acme');
  await grant(db, 'acme', 'eve', 'write');
  expect(await eve.statusOf('POST', '/@acme/v1/vals', { body: { name: 'a', code: 'c' } })).toBe(201);
  // Adding a val takes the same lock.
  const unlock = await lock(service.at, "SELECT * FROM vals.users WHERE username = 'acme' FOR KEY SHARE");
  const removal = removeOwner(db, 'acme', 'space', { withVals: true });
  await untilWaiting(service.at, 1);
  expect(await eve.statusOf('POST', '/@acme/v1/vals', { body: { name: 'b', code: 'c' } })).toBe(404);
  await unlock();
  expect(await removal).toBe('removed');
});

test('a write counts as a request of its caller until it ends, even if the caller disconnects', async () => {
  const service = await temporaryService({ limits: { requests: { perSecond: 1_000, inFlight: 1 } } });
  await service.putVal('v', 'c');
  const unlock = await lockVals(service, 'v');
  const body = JSON.stringify({ name: 'v', code: 'd' });
  const socket = beginPut(service, body, { length: body.length });
  await untilWaiting(service.at, 1);
  socket.destroy();
  for (let i = 0; i < 20; i++) expect(await service.statusOf('GET', '/v1/me')).toBe(429);
  await unlock();
  await expect.poll(() => service.statusOf('GET', '/v1/me')).toBe(200);
});

test('a request whose client disconnects before its body is read does not count for ever', async () => {
  const service = await temporaryService({ limits: { requests: { perSecond: 1_000, inFlight: 1 } } });
  const unlock = await lock(service.at, 'LOCK TABLE vals.users');
  const socket = beginPut(service, '{');
  await untilWaiting(service.at, 1);
  socket.resetAndDestroy();
  for (let i = 0; i < 5; i++) await service.ask('GET', '/v1/openapi.json', { token: null });
  await unlock();
  await expect.poll(() => service.statusOf('GET', '/v1/me'), { timeout: 10_000 }).toBe(200);
});

test('a write that the database undoes because of a conflict is tried again', async () => {
  const service = await temporaryService();
  await onServer(
    service.at,
    `CREATE SEQUENCE vals.tries;
    CREATE FUNCTION vals.fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('vals.tries') < 3 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40P01'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER conflict BEFORE INSERT ON vals.versions FOR EACH ROW EXECUTE FUNCTION vals.fail_twice()`,
  );
  expect((await service.putVal('v', 'c')).status).toBe(201);
});

async function restartAt(
  service: TemporaryService,
  database: string,
  reports: Pick<ServiceOptions, 'onEvent'> = {},
) {
  await service.close();
  const { baseUrl, close } = await startService({ database, port: 0, ...reports });
  onTestFinished(close);
  return clientOf({ baseUrl, token: service.token });
}

test('a database that is taken away gives 503 and a message without the password, and works again when it is back', async () => {
  const before = await temporaryService();
  const failures: string[] = [];
  const service = await restartAt(before, before.at, {
    onEvent(event) {
      if (event.kind === 'store failed') failures.push(event.error.message);
      if (event.kind === 'store recovered') failures.push('over');
    },
  });
  const { pathname, password } = new URL(before.at);
  for (const status of [201, 200]) {
    const giveBack = await takeDatabaseAway(before.at);
    expect(await service.putVal('v', 'c')).toMatchObject({ status: 503, body: { status: 503 } });
    expect(await service.statusOf('GET', '/healthz')).toBe(503);
    await giveBack();
    expect((await service.putVal('v', 'c')).status).toBe(status);
  }
  const down = expect.stringContaining(`${pathname} could not be used: `);
  expect(failures).toEqual([down, 'over', down, 'over']);
  expect(failures.join()).not.toContain(password);
});

test.each([
  ['COMMIT\0', 500, 'is', 1],
  ['INSERT INTO versions', 503, 'is not', 0],
])('a connection that breaks at %j gives %i, and the val %s written', async (statement, status, _, count) => {
  const before = await temporaryService();
  const proxy = await breakingProxy(before.at);
  const service = await restartAt(before, proxy.address);
  // The list waits until the use of the token has been noted, which is a commit too.
  await service.get('/v1/me/tokens');
  proxy.breakAfter(statement);
  expect((await service.putVal('v', 'c')).status).toBe(status);
  expect(await onServer(before.at, "SELECT id FROM vals.vals WHERE name = 'v'")).toHaveLength(count);
  expect((await service.putVal('v', 'c')).status).toBe(count === 1 ? 200 : 201);
});

test('a silent connection gives 503 when one answer is overdue, and later requests succeed', {
  timeout: 15_000,
}, async () => {
  const before = await temporaryService();
  const proxy = await breakingProxy(before.at, () => {});
  const service = await restartAt(before, `${proxy.address}?query_timeout=500`);
  proxy.breakAfter('INSERT INTO versions');
  expect(await service.putVal('v', 'c')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect((await service.putVal('v', 'c')).status).toBe(201);
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

test('the database has a digest of each token and no token, and a statement that fails gives 500', async () => {
  const service = await temporaryService();
  const rows = await onServer(service.at, 'SELECT * FROM vals.tokens');
  expect(rows).toMatchObject([{ name: 'first', digest: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  expect(JSON.stringify(rows)).not.toContain(service.token);
  await onServer(service.at, 'ALTER TABLE vals.records RENAME TO hidden');
  expect(await service.statusOf('GET', '/v1/me/likes')).toBe(500);
});

test('a table called vals in another schema is left alone, and an empty schema called vals is used', async () => {
  const at = await newPlace();
  await onServer(at, 'CREATE TABLE public.vals (mine TEXT); CREATE SCHEMA vals');
  const service = await temporaryService({ at });
  expect((await service.putVal('v', 'c')).status).toBe(201);
  expect(await onServer(at, 'SELECT * FROM public.vals')).toEqual([]);
});

test('a database with a schema of another program is refused, and stays as it is', async () => {
  const at = await newPlace();
  await onServer(at, 'CREATE SCHEMA vals; CREATE TABLE vals.theirs (x TEXT)');
  const error = await startService({ database: at, port: 0 }).catch((reason) => reason);
  expect(error).toBeInstanceOf(LocalError);
  expect(error.message).toMatch(/belongs to another program/);
  const tables = "SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text = 'vals'";
  expect(await onServer(at, tables)).toEqual([{ relname: 'theirs' }]);
});
