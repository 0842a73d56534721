// Runs that happened elsewhere, and the list of a user's vals, by which a client finds what they are of.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteOrphanedRuns } from '../../src/service/database/database.ts';
import { openDatabase } from '../../src/service/database/open.ts';
import { placeOf } from './place.ts';
import { ask, createVal, type List, temporaryService, type Val } from './support.ts';

const run = {
  version: 1,
  runStartAt: '2024-05-01T10:00:00.000Z',
  runEndAt: '2024-05-01T10:00:01.500Z',
  error: null as string | null,
};

describe('a run that is reported', () => {
  let service: Awaited<ReturnType<typeof temporaryService>>;
  let val: Val;
  beforeAll(async () => {
    service = await temporaryService();
    val = await createVal(service, { name: 'one', code: 'c' });
  });
  const report = (body: unknown, id = val.id) => ask(service, 'POST', `/v1/vals/${id}/runs`, { body });
  const runs = async (query = '') =>
    ((await ask(service, 'GET', `/v1/me/runs${query}`)).body as List).data.map(({ id }) => id);

  test('is answered as it is kept, and listed by time, by val and by failure', async () => {
    const first = await report(run);
    expect(first).toMatchObject({ status: 201 });
    const { version, ...times } = run;
    expect(first.body).toEqual({
      id: expect.any(String),
      val: { id: val.id, name: 'one', version },
      ...times,
      reporter: val.versionAuthor,
    });
    const later = (await report({ ...run, runStartAt: '2024-05-01T10:00:01Z', error: 'boom' })).body as Val;
    const { id } = first.body as Val;
    expect(await runs()).toEqual([later.id, id]);
    expect(await runs('?error=true')).toEqual([later.id]);
    const ofVal = await ask(service, 'GET', `/v1/vals/${val.id}/runs`);
    expect((ofVal.body as List).data).toHaveLength(2);
  });

  test('goes with its val', async () => {
    const gone = await createVal(service, { name: 'gone', code: 'c' });
    const { id } = (await report(run, gone.id)).body as Val;
    expect(await runs()).toContain(id);
    expect((await ask(service, 'DELETE', `/v1/vals/${gone.id}`)).status).toBe(204);
    expect(await runs()).not.toContain(id);
  });

  test('of a val that was deleted by an earlier version goes by a migration', async () => {
    const { at, close } = await temporaryService({
      runs: [{ id: randomUUID(), val: { id: 'elsewhere', name: 'seeded' } }],
    });
    await close();
    const { all, write, close: closeDatabase } = await openDatabase(placeOf(at));
    const id = randomUUID();
    await write((all) =>
      all(
        `INSERT INTO records (owner_id, kind, key, at, val_id, json)
          SELECT id, 'runs', ?, '', 'gone', ? FROM users`,
        [id, JSON.stringify({ id, val: { id: 'gone', name: 'gone', version: 1 }, ...run })],
      ),
    );
    await all(deleteOrphanedRuns);
    const left = await all<{ json: string }>("SELECT json FROM records WHERE kind = 'runs'");
    expect(left.map(({ json }) => JSON.parse(json).val.id)).toEqual(['elsewhere']);
    await closeDatabase();
  });

  test.each([
    [{ version: -1 }, 400],
    [{ version: '1' }, 400],
    [{ version: 9 }, 404],
    [{ runStartAt: 'yesterday' }, 400],
    [{ runEndAt: undefined }, 400],
    [{ runEndAt: '2024-05-01T09:59:59Z' }, 400],
    [{ error: 5 }, 400],
    [{ error: 'x'.repeat(65_537) }, 413],
  ])('with %j is refused', async (change, status) => {
    expect(await report({ ...run, ...change })).toMatchObject({ status });
  });

  test('of a val that is not there, or without a token, is refused', async () => {
    expect(await report(run, 'absent')).toMatchObject({ status: 404 });
    const path = `/v1/vals/${val.id}/runs`;
    expect(await ask(service, 'POST', path, { body: run, token: null })).toMatchObject({ status: 401 });
  });
});

test("a user's vals are listed page by page, and those of nobody are absent", async () => {
  const service = await temporaryService();
  for (const name of ['a', 'b', 'c']) await createVal(service, { name, code: 'c' });
  const { id } = (await ask(service, 'GET', '/v1/me')).body as Val;
  const first = (await ask(service, 'GET', `/v1/users/${id}/vals?limit=2`)).body as List;
  const next = new URL(first.links.next ?? '');
  const second = (await ask(service, 'GET', next.pathname + next.search)).body as List;
  expect([...first.data, ...second.data].map(({ name }) => name).sort()).toEqual(['a', 'b', 'c']);
  expect(second.links.next).toBeUndefined();
  expect(await ask(service, 'GET', '/v1/users/absent/vals')).toMatchObject({ status: 404 });
});
