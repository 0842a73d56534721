// One PostgreSQL database that several processes serve, and what happens where it fails them.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { LocalError, UsageError } from '../../src/errors.ts';
import { createRowQueue } from '../../src/service/database/row-queue.ts';
import { openStore, startService } from '../../src/service/index.ts';
import {
  ask,
  bundleDriver,
  createVal,
  firstLine,
  type List,
  newPlace,
  spawnDriver,
  temporaryService,
  type Val,
} from '../service/support.ts';
import { onServer } from '../support/postgres.ts';

let driver: string;
beforeAll(async () => {
  driver = await bundleDriver();
});

/** A connection of another program, which may hold what it likes. */
async function connectTo(address: string): Promise<pg.Client> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const put = (service: { baseUrl: string; token: string }, name: string, code: string) =>
  ask(service, 'PUT', '/v1/vals', { body: { name, code } });

test('ten processes that begin at once on an empty database agree, and none fails', async () => {
  const at = await newPlace();
  const children = Array.from({ length: 10 }, () => spawnDriver(driver, 'serve', at));
  const services = await Promise.all(children.map(firstLine<{ baseUrl: string; token?: string }>));
  for (const service of services) expect(service.token).toBeUndefined();
  const store = await openStore({ database: at });
  const token = (await store.users.add('ada'))?.token ?? '';
  await store.close();
  const pushes = services.flatMap(({ baseUrl }, who) =>
    [0, 1, 2].map((i) => put({ baseUrl, token }, 'shared', `// ${who} ${i}`)),
  );
  const answers = await Promise.all(pushes);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(29);
  const versions = answers.map(({ body }) => (body as Val).version).sort((a, b) => a - b);
  expect(versions).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  const [{ id } = { id: '' }] = answers.map(({ body }) => body as Val);
  const first = { baseUrl: services[0]?.baseUrl ?? '', token };
  const { data } = (await ask(first, 'GET', `/v1/vals/${id}/versions?limit=100`)).body as List;
  expect(data.map(({ version }) => version)).toEqual(versions.reverse());
});

test('the same request at once through two processes: one of them makes or renames it', async () => {
  const one = await temporaryService();
  const two = await temporaryService({ at: one.at });
  for (let round = 0; round < 10; round++) {
    const create = (service: typeof one) =>
      ask(service, 'POST', '/v1/vals', { body: { name: `made${round}`, code: 'c' } });
    const made = await Promise.all([create(one), create(two), create(one), create(two)]);
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const vals = await Promise.all(
      [0, 1].map((i) => createVal(one, { name: `from${round}_${i}`, code: 'c' })),
    );
    const rename = ({ id }: Val, service: typeof one) =>
      ask(service, 'POST', `/v1/vals/${id}/versions`, { body: { code: 'c', name: `to${round}` } });
    const renamed = await Promise.all(vals.map((val, i) => rename(val, i === 0 ? one : two)));
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409]);
    const remove = (service: typeof one) => ask(service, 'DELETE', `/v1/vals/${vals[0]?.id}`);
    const removed = await Promise.all([remove(one), remove(two)]);
    expect(removed.map(({ status }) => status).sort()).toEqual([204, 404]);
  }
});

test('connections that the server ends: at most a 503 that can be repeated, and all goes on', async () => {
  const service = await temporaryService();
  await put(service, 'v', '0');
  let stop = false;
  const statuses: number[] = [];
  const versions = new Set<number>();
  const writers = Array.from({ length: 6 }, async (_, who) => {
    for (let i = 0; !stop; i++) {
      const { status, headers, body } = await put(service, 'v', `// ${who} ${i}`);
      statuses.push(status);
      if (status === 503) expect(headers['retry-after']).toBe('1');
      if (status < 300) versions.add((body as Val).version);
    }
  });
  for (let kills = 0; kills < 5; kills++) {
    const before = statuses.length;
    await onServer(
      service.at,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'vals' AND datname = current_database()",
    );
    while (statuses.length < before + 20) await new Promise((next) => setImmediate(next));
  }
  stop = true;
  await Promise.all(writers);
  expect(new Set(statuses).size).toBeGreaterThan(1);
  // 500: it was ended during a COMMIT, so nobody knows.
  for (const status of statuses) expect([200, 500, 503]).toContain(status);
  const { status, body } = await put(service, 'v', 'end');
  expect(status).toBe(200);
  const { id, version: last } = body as Val;
  const rows = await onServer(service.at, `SELECT version FROM vals.versions WHERE val_id = '${id}'`);
  const kept = new Set(rows.map(({ version }) => version));
  expect([...versions].filter((version) => !kept.has(version))).toEqual([]);
  expect(kept.size).toBe(last);
});

test('a row that is held for too long: reads go on, writes give 503, then all is well again', async () => {
  const { at, close, token } = await temporaryService();
  await close();
  const service = { ...(await startService({ database: `${at}?statement_timeout=300`, port: 0 })), token };
  onTestFinished(service.close);
  const { id } = await createVal(service, { name: 'v', code: 'c' });
  const other = await connectTo(at);
  await other.query(`BEGIN; SELECT * FROM vals.vals WHERE id = '${id}' FOR UPDATE`);
  expect((await ask(service, 'GET', `/v1/vals/${id}`)).status).toBe(200);
  expect(await put(service, 'v', 'd')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  await other.query('ROLLBACK');
  expect((await put(service, 'v', 'd')).status).toBe(200);
});

test('forty writers of a val that is held leave the others unharmed', async () => {
  const service = await temporaryService();
  const { id } = await createVal(service, { name: 'hot', code: 'c' });
  const other = await connectTo(service.at);
  await other.query(`BEGIN; SELECT * FROM vals.vals WHERE id = '${id}' FOR UPDATE`);
  let answered = 0;
  const writers = Array.from({ length: 40 }, async (_, i) => {
    const body = { version: 1, runStartAt: '2026-01-31', runEndAt: '2026-01-31', error: null };
    const answer =
      i % 2 ? put(service, 'hot', `// ${i}`) : ask(service, 'POST', `/v1/vals/${id}/runs`, { body });
    answered += (await answer) ? 1 : 0;
    return (await answer).status;
  });
  const waiting =
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  while ((await onServer(service.at, waiting)).length < 2) await new Promise((next) => setImmediate(next));
  const others = Array.from({ length: 40 }, async (_, i) => [
    (await ask(service, 'GET', `/v1/vals/${id}`)).status,
    (await put(service, `other${i}`, 'c')).status,
    (await ask(service, 'GET', '/v1/me/runs')).status,
  ]);
  for (const statuses of await Promise.all(others)) expect(statuses).toEqual([200, 201, 200]);
  expect(answered).toBe(0);
  await other.query('ROLLBACK');
  for (const status of await Promise.all(writers)) expect([200, 201]).toContain(status);
});

test('a row queue refuses more than it may keep, and those who waited for too long', async () => {
  const queue = createRowQueue({ connections: 2, waiting: 2, waitMs: 0 });
  let finish = () => {};
  const first = queue.run('a', () => new Promise<void>((resolve) => (finish = resolve)));
  const late = [1, 2].map(() => queue.run('a', async () => 'done').catch(({ kind }) => kind));
  await expect(queue.run('a', async () => {})).rejects.toMatchObject({ kind: 'busy' });
  expect(await queue.run('b', async () => 'done')).toBe('done');
  expect(await queue.run(undefined, async () => 'done')).toBe('done');
  finish();
  await first;
  expect(await Promise.all(late)).toEqual(['busy', 'busy']);
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run('a', async () => 'done')).toBe('done');
});

test('a database that is taken away: 503, it is told without the password, and it comes back', async () => {
  const { at, close, token } = await temporaryService();
  await close();
  const failures: string[] = [];
  const started = await startService({
    database: at,
    port: 0,
    onStoreFailure: ({ message }) => failures.push(message),
  });
  onTestFinished(started.close);
  const service = { ...started, token };
  const name = new URL(at).pathname.slice(1);
  const server = new URL(at);
  server.pathname = '/postgres';
  await onServer(
    server.href,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  await onServer(server.href, `ALTER DATABASE ${name} RENAME TO ${name}_away`);
  expect(await put(service, 'v', 'c')).toMatchObject({ status: 503, body: { status: 503 } });
  expect((await ask(service, 'GET', '/healthz')).status).toBe(503);
  expect(failures[0]).toContain(`/${name} could not be used: `);
  expect(failures.join()).not.toContain(new URL(at).password);
  await onServer(server.href, `ALTER DATABASE ${name}_away RENAME TO ${name}`);
  expect((await put(service, 'v', 'c')).status).toBe(201);
});

test.each([
  ['COMMIT\0', 500, true],
  ['INSERT INTO versions', 503, false],
])('the connection breaks at %j: %i', async (statement, status, isWritten) => {
  const { at, close, token } = await temporaryService();
  await close();
  const proxy = await breakingProxy(at);
  const service = { ...(await startService({ database: proxy.address, port: 0 })), token };
  onTestFinished(service.close);
  proxy.breakAfter(statement);
  expect((await put(service, 'v', 'c')).status).toBe(status);
  const rows = await onServer(at, "SELECT id FROM vals.vals WHERE name = 'v'");
  expect(rows).toHaveLength(isWritten ? 1 : 0);
  expect((await put(service, 'v', 'c')).status).toBe(isWritten ? 200 : 201);
});

test('the way to the server becomes silent: 503 when one answer is overdue, and all goes on', async () => {
  const { at, close, token } = await temporaryService();
  await close();
  const proxy = await breakingProxy(at, () => {});
  const address = `${proxy.address}?query_timeout=2000`;
  const service = { ...(await startService({ database: address, port: 0 })), token };
  onTestFinished(service.close);
  proxy.breakAfter('INSERT INTO versions');
  const start = performance.now();
  expect(await put(service, 'v', 'c')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  // A ROLLBACK would be waited for as long again.
  expect(performance.now() - start).toBeLessThan(4_000);
  expect((await put(service, 'v', 'c')).status).toBe(201);
});

/** On the way to the server; cuts a connection, once, when the server has answered this statement. */
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
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = new URL(at);
  address.port = String((server.address() as AddressInfo).port);
  return {
    address: address.href,
    breakAfter(statement) {
      wanted = statement;
    },
  };
}

test('whoever is removed while they write is a stranger, and leaves nothing', async () => {
  const service = await temporaryService();
  const store = await openStore({ database: service.at });
  onTestFinished(store.close);
  const token = (await store.users.add('eve'))?.token;
  const eve = { baseUrl: service.baseUrl, token };
  let removed = false;
  const writing = Array.from({ length: 4 }, async (_, who) => {
    const statuses: number[] = [];
    for (let i = 0; statuses.at(-1) !== 401; i++) {
      statuses.push(
        (await ask(eve, 'PUT', '/v1/vals', { body: { name: `v${who}_${i}`, code: 'c' } })).status,
      );
      if (i === 3 && !removed) {
        removed = true;
        expect(await store.users.remove('eve', true)).toBe('removed');
      }
    }
    return new Set(statuses);
  });
  for (const statuses of await Promise.all(writing)) {
    expect([...statuses].filter((status) => ![201, 401].includes(status))).toEqual([]);
  }
  expect(await onServer(service.at, "SELECT * FROM vals.vals WHERE name LIKE 'v%'")).toEqual([]);
});

test('no token is in the database, and no password in what it knows of us', async () => {
  const service = await temporaryService();
  const rows = await onServer(service.at, 'SELECT * FROM vals.users');
  expect(rows).toMatchObject([{ username: 'local', token_digest: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  expect(JSON.stringify(rows)).not.toContain(service.token);
  expect(await onServer(service.at, 'SELECT * FROM vals.owner')).toEqual([]);
});

test('the tables of others in the same database are left alone', async () => {
  const at = await newPlace();
  await onServer(at, 'CREATE TABLE public.vals (mine TEXT)');
  const service = await temporaryService({ at });
  expect((await put(service, 'v', 'c')).status).toBe(201);
  expect(await onServer(at, 'SELECT * FROM public.vals')).toEqual([]);
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

const tables = (at: string) =>
  onServer(at, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'vals' ORDER BY 1");

test('an empty schema that somebody made for us is taken', async () => {
  const at = await newPlace();
  await onServer(at, 'CREATE SCHEMA vals');
  const service = await temporaryService({ at });
  expect((await put(service, 'v', 'c')).status).toBe(201);
});

test('there is no owner to load a seed for', async () => {
  const at = await newPlace();
  const error = await startService({ database: at, port: 0, seed: { runs: [] } }).catch((reason) => reason);
  expect(error).toBeInstanceOf(UsageError);
});
