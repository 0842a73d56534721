import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ServiceOptions, startService } from '../../../src/service/start-service.ts';
import { listen } from '../../support/listen.ts';
import { lock, untilWaiting } from '../support/locks.ts';
import { onServer, takeDatabaseAway } from '../support/postgres.ts';
import { clientOf, newPlace, type TemporaryService, temporaryService } from '../support.ts';

test('while one row is locked, 64 writers of a token wait for it, its others are 429, and nobody else is slow', async () => {
  const service = await temporaryService();
  const bob = await service.addPerson('bob');
  const { id } = await service.createVal({ name: 'hot', code: 'c' });
  const shared = await bob.createVal({ name: 'shared', code: 'c', privacy: 'public' });
  const unlock = await lock(service.at, "SELECT * FROM vals.vals WHERE name = 'hot' FOR UPDATE");
  const body = { version: 1, runStartAt: '2026-01-31', runEndAt: '2026-01-31', error: null };
  const early: number[] = [];
  const writes = Array.from({ length: 70 }, async (_, i) => {
    const isRun = i % 2 === 0;
    const { status } = isRun
      ? await service.ask('POST', `/v1/vals/${id}/runs`, { body })
      : await service.putVal('hot', `// ${i}`);
    early.push(status);
    return status;
  });
  await untilWaiting(service.at, 2);
  await expect.poll(() => early).toEqual(Array(6).fill(429));
  const others = Array.from({ length: 12 }, async (_, i) => [
    await bob.statusOf('GET', `/v1/vals/${shared.id}`),
    (await bob.putVal(`other${i}`, 'c')).status,
    await bob.statusOf('GET', '/v1/me/runs'),
  ]);
  for (const statuses of await Promise.all(others)) expect(statuses).toEqual([200, 201, 200]);
  expect(early).toHaveLength(6);
  await unlock();
  const statuses = await Promise.all(writes);
  expect(statuses.filter((status) => status === 200 || status === 201)).toHaveLength(64);
});

const insertOfVersion = 'INSERT INTO versions';

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
  ['the COMMIT', 500, 'is', 1, [insertOfVersion, 'COMMIT\0']],
  ['the INSERT', 503, 'is not', 0, [insertOfVersion]],
] as const)('a connection that breaks at %s gives %i, and the val %s written', async (...given) => {
  const [, status, , count, statements] = given;
  const before = await temporaryService();
  const proxy = await breakingProxy(before.at);
  const service = await restartAt(before, proxy.address);
  proxy.breakAfter(...statements);
  expect((await service.putVal('v', 'c')).status).toBe(status);
  expect(await onServer(before.at, "SELECT id FROM vals.vals WHERE name = 'v'")).toHaveLength(count);
  expect((await service.putVal('v', 'c')).status).toBe(count === 1 ? 200 : 201);
});

test('a silent connection gives 503 when one answer is overdue, and later requests succeed', async () => {
  const before = await temporaryService();
  const proxy = await breakingProxy(before.at, () => {});
  const service = await restartAt(before, `${proxy.address}?query_timeout=5000`);
  proxy.breakAfter(insertOfVersion);
  expect(await service.putVal('v', 'c')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  // On a busy machine, other answers may be overdue, too.
  await expect.poll(async () => (await service.putVal('v', 'c')).status).toBeLessThan(300);
});

async function breakingProxy(
  at: string,
  cutOff = (near: Socket): void => void near.destroy(),
): Promise<{ address: string; breakAfter(...statements: string[]): void }> {
  const target = new URL(at);
  let wanted: readonly string[] = [];
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let sent = 0;
    let cut = false;
    near.on('data', (chunk) => {
      const next = wanted[sent];
      if (next !== undefined && chunk.includes(next)) sent += 1;
      if (next !== undefined && sent === wanted.length) {
        cut = true;
        wanted = [];
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
    /** The connection that sends all of these, one after the other: a service commits on other connections too. */
    breakAfter(...statements) {
      wanted = statements;
    },
  };
}

test('a schema of another program is refused and stays as it is, and an empty one is used', async () => {
  const at = await newPlace();
  await onServer(at, 'CREATE SCHEMA vals; CREATE TABLE vals.theirs (x TEXT)');
  await expect(startService({ database: at, port: 0 })).rejects.toThrow(/belongs to another program/);
  const tables = "SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text = 'vals'";
  expect(await onServer(at, tables)).toEqual([{ relname: 'theirs' }]);
  await onServer(at, 'DROP TABLE vals.theirs; CREATE TABLE public.vals (mine TEXT)');
  const service = await temporaryService({ at });
  expect((await service.putVal('v', 'c')).status).toBe(201);
  expect(await onServer(at, 'SELECT * FROM public.vals')).toEqual([]);
});
