import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { startService } from '../../../src/service/start-service.ts';
import { removeOwner } from '../../../src/service/store/owners.ts';
import { budget, isLong } from '../../support/cases.ts';
import { embeddedService, placeOf } from '../support/embedded-service.ts';
import { lock } from '../support/locks.ts';
import {
  addPerson,
  clientOf,
  type List,
  newPlace,
  postgres,
  storeOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

test('processes that create one store at the same moment agree, and none fails', async () => {
  for (let round = 0; round < budget(1); round++) {
    const at = await newPlace();
    const processes = await Promise.all([1, 2].map(() => embeddedService({ at })));
    const token =
      postgres === undefined ? processes[0]?.token : (await addPerson({ at, baseUrl: '' }, 'ada')).token;
    if (!postgres) expect(new Set(processes.map((each) => each.token)).size).toBe(1);
    const services = processes.map(({ baseUrl }) => clientOf({ baseUrl, token }));
    const writers = services.flatMap((service) => Array.from({ length: 6 }, () => service));
    const pushes = writers.flatMap((service, i) => [
      service.putVal('shared', `// ${i}`),
      service.putVal(`own_${i}`, 'c'),
    ]);
    const answers = await Promise.all(pushes);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(11).fill(200), ...Array(13).fill(201)]);
    const shared = answers.filter((_, i) => i % 2 === 0).map(({ body }) => body as Val);
    const versions = shared.map(({ version }) => version).sort((a, b) => b - a);
    expect(versions).toEqual(Array.from({ length: 12 }, (_, i) => 12 - i));
    for (const { get } of services) {
      const { data } = await get<List>(`/v1/vals/${shared[0]?.id}/versions`);
      expect(data.map(({ version }) => version)).toEqual(versions);
    }
    await Promise.all(processes.map(({ end }) => end('SIGTERM')));
  }
});

test('of equal requests through two services at the same time, only one creates, renames or deletes the val', async () => {
  const one = await temporaryService();
  const two = await temporaryService({ at: one.at });
  for (let round = 0; round < budget(3); round++) {
    const body = { name: `made${round}`, code: 'c' };
    const made = await Promise.all(
      [one, two, one, two].map((each) => each.statusOf('POST', '/v1/vals', { body })),
    );
    expect(made.sort()).toEqual([201, 409, 409, 409]);
    const vals = [0, 1].map((i) => one.createVal({ name: `from${round}_${i}`, code: 'c' }));
    const [first, second] = await Promise.all(vals);
    const rename = (val: Val | undefined, service: TemporaryService) =>
      service.statusOf('POST', `/v1/vals/${val?.id}/versions`, { body: { code: 'c', name: `to${round}` } });
    expect((await Promise.all([rename(first, one), rename(second, two)])).sort()).toEqual([200, 409]);
    const remove = (service: TemporaryService) => service.statusOf('DELETE', `/v1/vals/${first?.id}`);
    expect((await Promise.all([remove(one), remove(two)])).sort()).toEqual([204, 404]);
  }
  await two.close();
  expect((await one.putVal('after', 'c')).status).toBe(201);
});

async function hold(at: string, id: string): Promise<() => unknown> {
  if (postgres === undefined) {
    const other = new Libsql(at);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    return () => other.exec('ROLLBACK');
  }
  return lock(at, `SELECT * FROM vals.vals WHERE id = '${id}' FOR UPDATE`);
}

test('while another program writes, a write waits for it, and reads are answered', async () => {
  const service = await temporaryService();
  const { id } = await service.createVal({ name: 'v', code: 'c' });
  const release = await hold(service.at, id);
  let isWritten = false;
  const write = service.putVal('v', 'd').then((answer) => {
    isWritten = true;
    return answer;
  });
  // SQLite waits for ten seconds, so there are few reads.
  for (let i = 0; i < 3; i++) {
    expect(await service.get(`/v1/vals/${id}`)).toMatchObject({ code: 'c' });
    expect(await service.statusOf('GET', '/healthz')).toBe(200);
  }
  expect(isWritten).toBe(false);
  await release();
  expect(await write).toMatchObject({ status: 200, body: { code: 'd' } });
});

// SQLite waits for ten seconds.
test.runIf(postgres || isLong)(
  'while another program holds a val for too long, reads go on and writes give 503',
  async () => {
    const { at, token, close } = await temporaryService();
    await close();
    const settings = postgres ? '?statement_timeout=4000' : '';
    const { baseUrl, close: end } = await startService({ ...placeOf(at + settings), port: 0 });
    onTestFinished(end);
    const service = clientOf({ baseUrl, token });
    const { id } = await service.createVal({ name: 'v', code: 'c' });
    const release = await hold(at, id);
    expect(await service.statusOf('GET', `/v1/vals/${id}`)).toBe(200);
    expect(await service.putVal('v', 'd')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await release();
    await expect.poll(async () => (await service.putVal('v', 'd')).status).toBe(200);
  },
);

test('a removed person takes their vals along, and a write during the removal is refused and stores nothing', async () => {
  const service = await temporaryService();
  const { db } = await storeOf(service);
  await service.putVal('kept', 'c');
  const eve = await service.addPerson('eve');
  let removed = false;
  const writing = Array.from({ length: 4 }, async (_, who) => {
    const statuses: number[] = [];
    for (let i = 0; statuses.at(-1) !== 401; i++) {
      statuses.push((await eve.putVal(`v${who}_${i}`, 'c')).status);
      if (i !== 3 || removed) continue;
      removed = true;
      expect(await removeOwner(db, 'eve', 'person', { withVals: true })).toBe('removed');
    }
    return statuses;
  });
  expect(new Set((await Promise.all(writing)).flat())).toEqual(new Set([201, 401]));
  expect(await db.query(sql`SELECT name FROM vals`)).toEqual([{ name: 'kept' }]);
  expect(await db.query(sql`SELECT DISTINCT name FROM versions JOIN vals ON id = val_id`)).toEqual([
    { name: 'kept' },
  ]);
});
