import { beforeAll, describe, expect, test } from 'vitest';
import {
  addPerson,
  ask,
  type Caller,
  createVal,
  get,
  idsFrom,
  type List,
  statusOf,
  storeOf,
  temporaryService,
  type Val,
} from '../support.ts';

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

  const logsOf = async (id: unknown, caller: Caller = service) =>
    ask(caller, 'GET', `/v1/runs/${id}`).then(({ status, body }) => ({
      status,
      ...(body as { logs: string }),
    }));

  test('keeps what it printed, which neither the answer nor the lists repeat', async () => {
    const logs = 'line 1\n\u0000\u001b[31mred ä 😀\r\n';
    const { body, text } = await report({ ...run, logs });
    expect(text).not.toContain('line 1');
    const { id } = body as { id: string };
    expect(await logsOf(id)).toEqual({ status: 200, ...(body as object), logs });
    for (const list of ['/v1/me/runs?limit=100', `/v1/vals/${val.id}/runs?limit=100`]) {
      const { data } = await get<List>(service, list);
      expect(data.find((record) => record.id === id)).toEqual(body);
    }
  });

  test.each<[string, string, string]>([
    ['65,536 bytes whole', `${'x'.repeat(65_530)} end.\n`, `${'x'.repeat(65_530)} end.\n`],
    ['the last 65,536 bytes of more', `gone${'x'.repeat(65_531)} end.`, `${'x'.repeat(65_531)} end.`],
    ['no half of a character', `€${'x'.repeat(65_534)}`, 'x'.repeat(65_534)],
  ])('keeps %s', async (_, logs, kept) => {
    const { body } = await report({ ...run, logs });
    expect((await logsOf((body as { id: string }).id)).logs === kept).toBe(true);
  });

  test('without output has none, and a run that does not exist is 404', async () => {
    for (const logs of [undefined, null, '']) {
      const { body } = await report({ ...run, ...(logs !== undefined && { logs }) });
      expect((await logsOf((body as { id: string }).id)).logs).toBeNull();
    }
    expect((await logsOf('absent')).status).toBe(404);
    expect(await report({ ...run, logs: 7 })).toMatchObject({ status: 400 });
  });

  test('shows its output to those who may list the runs of the val, and to nobody else', async () => {
    const eve = await addPerson(service, 'eve');
    const bob = await addPerson(service, 'bob');
    const { spaces } = await storeOf(service);
    await spaces.add('acme');
    await spaces.grant('acme', 'eve', 'write');
    await spaces.grant('acme', 'bob', 'read');
    const pub = await createVal(service, { name: 'pub', code: 'c', privacy: 'public' });
    const mine = (await report({ ...run, logs: 'secret' }, pub.id)).body as { id: string };
    for (const token of [eve.token, null]) {
      const { status, text } = await ask(service, 'GET', `/v1/runs/${mine.id}`, { token });
      expect([401, 404]).toContain(status);
      expect(text).not.toContain('secret');
    }
    const put = await ask(eve, 'PUT', '/@acme/v1/vals', { body: { name: 'shared', code: 'c' } });
    const path = `/@acme/v1/vals/${(put.body as Val).id}/runs`;
    const theirs = (await ask(eve, 'POST', path, { body: { ...run, logs: 'ours' } })).body as { id: string };
    expect(await get(bob, `/@acme/v1/runs/${theirs.id}`)).toMatchObject({ logs: 'ours', reporter: eve.user });
    expect(await statusOf(eve, 'GET', `/v1/runs/${theirs.id}`)).toBe(404);
    expect(await statusOf(service, 'GET', `/@acme/v1/runs/${theirs.id}`)).toBe(404);
  });
});
