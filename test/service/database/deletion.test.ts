import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/service/database/open-database.ts';
import { openStore } from '../../../src/service/index.ts';
import { countAll } from '../../../src/service/store/records.ts';
import { budget } from '../../support/cases.ts';
import { embeddedService, placeOf } from '../../support/embedded-service.ts';
import { addPerson, clientOf, newPlace } from '../support.ts';

const kills = budget(3);
const size = { versions: 200, runs: 6_000 };

/** Filled with SQL, because thousands of requests would take too long. */
async function createLargeVal(at: string, ownerId: string): Promise<string> {
  const id = randomUUID();
  const { transaction, close } = await openDatabase(placeOf(at));
  const series = (count: number) =>
    `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`;
  await transaction({}, async ({ query }) => {
    await query(
      `INSERT INTO vals (id, owner_id, name, privacy, created_at, updated_at, version, last_version)
        VALUES (?, ?, ?, 'private', '2026', '2026', ${size.versions}, ${size.versions})`,
      [id, ownerId, `large${id.slice(0, 8)}`],
    );
    await query(
      `INSERT INTO versions (val_id, version, code, code_hash, created_at)
        ${series(size.versions)} SELECT '${id}', n, ?, '', '2026' FROM s`,
      [Buffer.alloc(5_000, 'c')],
    );
    await query(
      `INSERT INTO records (owner_id, kind, key, at, val_id, json)
        ${series(size.runs)} SELECT '${ownerId}', 'runs', '${id}' || n, '2026', '${id}', '{}' FROM s`,
    );
  });
  await close();
  return id;
}

async function countsOf(at: string, id: string) {
  const { query, close } = await openDatabase(placeOf(at));
  const count = async (from: string) =>
    Number((await query<{ count: number }>(`SELECT count(*) AS count FROM ${from} = '${id}'`))[0]?.count);
  const counts = {
    vals: await count('vals WHERE id'),
    versions: await count('versions WHERE val_id'),
    runs: await count('records WHERE val_id'),
  };
  await close();
  return counts;
}

test('a val whose deletion is killed half-way is whole or gone, and the next deletion succeeds', async () => {
  const at = await newPlace();
  const { user, token } = await addPerson({ at, baseUrl: '' }, 'ada');
  const deleteVal = ({ baseUrl }: { baseUrl: string }, id: string) =>
    clientOf({ baseUrl, token }).statusOf('DELETE', `/v1/vals/${id}`);

  let service = await embeddedService({ at });
  const start = performance.now();
  expect(await deleteVal(service, await createLargeVal(at, user.id))).toBe(204);
  const usualMs = performance.now() - start;

  const outcomes = new Set<string>();
  for (let kill = 1; kill <= kills; kill++) {
    const id = await createLargeVal(at, user.id);
    const deleted = deleteVal(service, id).catch(() => 'killed');
    // From the beginning of a usual deletion to its middle.
    await sleep((usualMs * (kill - 0.5)) / (2 * kills));
    await service.end('SIGKILL');
    const counts = await countsOf(at, id);
    const isGone = counts.vals === 0;
    outcomes.add(isGone ? 'gone' : 'whole');
    expect(counts).toEqual(isGone ? { vals: 0, versions: 0, runs: 0 } : { vals: 1, ...size });
    if ((await deleted) === 204) expect(isGone).toBe(true);
    service = await embeddedService({ at });
    // PostgreSQL may still be ending the deletion of the killed process. Then the service answers 503.
    await expect.poll(() => deleteVal(service, id)).toBe(isGone ? 404 : 204);
    expect(await countsOf(at, id)).toEqual({ vals: 0, versions: 0, runs: 0 });
  }
  expect(outcomes).toContain('whole');

  const store = await openStore(placeOf(at));
  expect(await countAll(store.db)).toEqual({ vals: 0, runs: 0 });
  await store.close();
});
