import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { raw, sql } from '../../../src/service/database/sql.ts';
import { openStore } from '../../../src/service/start-service.ts';
import { isLong } from '../../support/cases.ts';
import { embeddedService, placeOf } from '../support/embedded-service.ts';
import { addPerson, clientOf, type List, newPlace, storeOf, temporaryService } from '../support.ts';

const kills = isLong ? 60 : 2;
const size = { versions: 700, runs: 700 };

/** Filled with SQL, because thousands of requests would take too long. */
async function createLargeVal(at: string, ownerId: string): Promise<string> {
  const id = randomUUID();
  const { db } = await storeOf({ at });
  const series = (count: number) =>
    sql`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${raw(count)})`;
  await db.transaction(async ({ query }) => {
    await query(sql`
      INSERT INTO vals (id, owner_id, name, privacy, type, created_at, updated_at, version, last_version)
        VALUES (${id}, ${ownerId}, ${`large${id.slice(0, 8)}`}, 'private', 'script', '2026', '2026', ${size.versions},
          ${size.versions})`);
    await query(sql`
      INSERT INTO versions (val_id, version, author_id, author_name, code, code_hash, created_at)
        ${series(size.versions)} SELECT ${id}, n, '', '', ${Buffer.alloc(5_000, 'c')}, '', '2026' FROM s`);
    await query(sql`
      INSERT INTO runs (id, owner_id, val, version, started, reporter_id, reporter_name)
        ${series(size.runs)} SELECT ${id} || n, owner_id, position, 1, 1800000000000 + n, '', '' FROM s, vals WHERE id = ${id}`);
  });
  return id;
}

async function countsOf(at: string, id: string) {
  const { db, close } = await openStore(placeOf(at));
  const [counts] = await db.query<Record<'vals' | 'versions' | 'runs', number>>(sql`
    SELECT (SELECT count(*) FROM vals WHERE id = ${id}) AS vals,
      (SELECT count(*) FROM versions WHERE val_id = ${id}) AS versions,
      (SELECT count(*) FROM runs WHERE id LIKE ${`${id}%`}) AS runs`);
  await close();
  return counts ?? { vals: 0, versions: 0, runs: 0 };
}

test('a val whose deletion is killed is whole or gone, and what is left of it is deleted by the next service', async () => {
  const at = await newPlace();
  const { user, token } = await addPerson({ at, baseUrl: '' }, 'ada');
  const deleteVal = ({ baseUrl }: { baseUrl: string }, id: string) =>
    clientOf({ baseUrl, token }).statusOf('DELETE', `/v1/vals/${id}`);

  let service = await embeddedService({ at });
  for (let kill = 0; kill < kills; kill++) {
    const id = await createLargeVal(at, user.id);
    const answer = deleteVal(service, id);
    const deleted = answer.catch(() => 'killed');
    // Once at the request, once at its answer, and then at any moment in between.
    if (kill === 1) expect(await answer).toBe(204);
    if (kill > 1) await sleep(kill);
    await service.end('SIGKILL');
    const counts = await countsOf(at, id);
    const isGone = counts.vals === 0;
    if (!isGone) expect(counts).toEqual({ vals: 1, ...size });
    if ((await deleted) === 204) expect(isGone).toBe(true);
    service = await embeddedService({ at });
    // PostgreSQL may still be ending the deletion of the killed process. Then the service answers 503.
    await expect.poll(() => deleteVal(service, id)).toBe(isGone ? 404 : 204);
    expect(await clientOf({ ...service, token }).get<List>('/v1/me/runs')).toMatchObject({ data: [] });
    if (isGone) await expect.poll(() => countsOf(at, id)).toEqual({ vals: 0, versions: 0, runs: 0 });
  }
});

test('the versions and runs of a deleted val are gone for everybody at once, and from the store later', async () => {
  const service = await temporaryService();
  const me = await service.get<{ id: string }>('/v1/me');
  const kept = await service.createVal({ name: 'kept', code: 'c' });
  const run = { version: 1, runStartAt: '2025-01-01T00:00:00Z', runEndAt: null };
  await service.ask('POST', `/v1/vals/${kept.id}/runs`, { body: run });
  const id = await createLargeVal(service.at, me.id);
  const [newest] = await service.idsFrom('/v1/me/runs?limit=1');
  expect(await service.statusOf('DELETE', `/v1/vals/${id}`)).toBe(204);
  const left = await countsOf(service.at, id);
  expect([left.versions, left.runs].map((count) => count > 0)).toEqual([true, true]);
  expect((await service.get<List>('/v1/me/runs')).data).toMatchObject([{ val: { id: kept.id } }]);
  expect(await service.statusOf('GET', `/v1/runs/${newest}`)).toBe(404);
  for (const path of ['runs', 'versions', 'versions/1']) {
    expect(await service.statusOf('GET', `/v1/vals/${id}/${path}`)).toBe(404);
  }
  const again = await temporaryService({ at: service.at });
  await expect.poll(() => countsOf(service.at, id)).toEqual({ vals: 0, versions: 0, runs: 0 });
  const { db } = await storeOf(service);
  await expect.poll(() => db.query(sql`SELECT val FROM removed_vals`)).toEqual([]);
  await again.close();
});
