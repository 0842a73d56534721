import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteOrphanedRuns } from '../../../src/service/database/database.ts';
import { openDatabase } from '../../../src/service/database/open.ts';
import { placeOf } from '../../support/embedded-service.ts';
import { ask, createVal, get, idsFrom, type List, statusOf, temporaryService, type Val } from '../support.ts';

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
  const runs = (query = '') => idsFrom(service, `/v1/me/runs${query}`);

  test('is returned as it is stored, and can be listed by time, by val and by failure', async () => {
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
    expect(await idsFrom(service, `/v1/vals/${val.id}/runs`)).toEqual([later.id, id]);
  });

  test('counts as started now if it is dated in the future', async () => {
    const future = { ...run, runStartAt: '9999-12-31T00:00:00Z', runEndAt: '9999-12-31T00:00:01Z' };
    const { body } = await report(future);
    expect(body).toMatchObject({ runStartAt: future.runStartAt });
    const soon = new Date(Date.now() + 60_000).toISOString();
    const { id } = body as Val;
    expect(await runs(`?until=${soon}`)).toContain(id);
    expect(await runs(`?since=${soon}`)).not.toContain(id);
  });

  test('is deleted together with its val', async () => {
    const gone = await createVal(service, { name: 'gone', code: 'c' });
    const { id } = (await report(run, gone.id)).body as Val;
    expect(await runs()).toContain(id);
    expect(await statusOf(service, 'DELETE', `/v1/vals/${gone.id}`)).toBe(204);
    expect(await runs()).not.toContain(id);
  });

  test('of a val that an earlier release deleted is deleted by a migration', async () => {
    const { at, close } = await temporaryService({
      seed: {
        runs: [{ id: randomUUID(), val: { id: 'elsewhere', name: 'seeded' } }],
      },
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
    [{ runEndAt: '9999-12-31T23:59:59-14:00' }, 400],
    [{ runEndAt: '2024-05-01T09:59:59Z' }, 400],
    [{ error: 5 }, 400],
    [{ error: 'x'.repeat(65_537) }, 413],
  ])('with %j is answered with %i', async (change, status) => {
    expect(await report({ ...run, ...change })).toMatchObject({ status });
  });

  test('of a val that does not exist is refused', async () => {
    expect(await report(run, 'absent')).toMatchObject({ status: 404 });
  });

  test('keeps the text of its error, whatever characters it contains', async () => {
    const error = 'a\u0000b\u2028\ud83d\ude00\r\n\t"\\';
    const { id } = (await report({ ...run, error })).body as Val;
    const { data } = await get<List>(service, `/v1/vals/${val.id}/runs`);
    expect(data.find((kept) => kept.id === id)?.error).toBe(error);
  });
});
