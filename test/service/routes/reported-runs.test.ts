import { describe, expect, test } from 'vitest';
import { type Client, type List, temporaryService, type Val } from '../support.ts';

const run = {
  version: 1,
  runStartAt: '2024-05-01T10:00:00.000Z',
  runEndAt: '2024-05-01T10:00:01.500Z',
  error: null as string | null,
};

describe('a run that is reported', async () => {
  const service = await temporaryService();
  const val = await service.createVal({ name: 'one', code: 'c' });
  let count = 0;
  /** Each began at a time of its own. */
  const newRun = () => ({ ...run, runStartAt: new Date(Date.UTC(2024, 3, 1) + count++).toISOString() });
  const report = (body: unknown, id = val.id) => service.ask('POST', `/v1/vals/${id}/runs`, { body });
  const runs = (query = '') => service.idsFrom(`/v1/me/runs${query}`);

  test('is returned as it is stored, and can be listed by time, by val and by failure', async () => {
    // A date alone is midnight in UTC, and the letters of a time may be small.
    const first = await report({ ...run, runStartAt: '2024-05-01', runEndAt: '2024-05-01t24:00:00z' });
    expect(first).toMatchObject({ status: 201 });
    expect(first.body).toEqual({
      id: expect.any(String),
      val: { id: val.id, name: 'one', version: 1 },
      ...{ runStartAt: '2024-05-01T00:00:00.000Z', runEndAt: '2024-05-02T00:00:00.000Z', error: null },
      reporter: val.versionAuthor,
    });
    const later = (await report({ ...run, runStartAt: '2024-05-01T10:00:01.000Z', error: 'boom' }))
      .body as Val;
    const { id } = first.body as Val;
    expect(await runs()).toEqual([later.id, id]);
    expect(await runs('?error=true')).toEqual([later.id]);
    expect(await service.idsFrom(`/v1/vals/${val.id}/runs`)).toEqual([later.id, id]);
  });

  test('twice is the same run: the first report stays, and an end that was missing is filled in', async () => {
    const begun = { version: 1, runStartAt: '2024-05-01T11:00:00Z', runEndAt: null };
    const first = await report(begun);
    const { id } = first.body as Val;
    expect(first).toMatchObject({ status: 201, body: { runEndAt: null, error: null } });
    expect(await report(begun)).toMatchObject({ status: 200, body: first.body });
    const ended = {
      runStartAt: '2024-05-01T13:00:00+02:00',
      runEndAt: '2024-05-01T11:00:02Z',
      error: 'boom',
    };
    const whole = { id, runEndAt: '2024-05-01T11:00:02.000Z', error: 'boom' };
    for (const again of [ended, { runEndAt: '2024-05-01T11:00:03Z' }]) {
      expect(await report({ ...begun, ...again })).toMatchObject({ status: 200, body: whole });
    }
    expect((await runs()).filter((found) => found === id)).toHaveLength(1);
  });

  test.each([
    [{ version: 9 }, 404],
    [{ runEndAt: '2024-03-31T09:59:59Z' }, 400],
    [{ error: `x${'é'.repeat(32_767)}` }, 201],
    [{ error: 'é'.repeat(32_769) }, 400],
  ])('with %j is answered with %i', async (change, status) => {
    expect(await report({ ...newRun(), ...change })).toMatchObject({ status });
  });

  const logsOf = async (id: unknown, access: Client = service) =>
    access.ask('GET', `/v1/runs/${id}`).then(({ status, body }) => ({
      status,
      ...(body as { logs: string }),
    }));

  test('keeps its error and what it printed, which neither the answer nor the lists repeat', async () => {
    const error = 'a\u0000b\u2028\ud83d\ude00\r\n\t"\\';
    const logs = 'line 1\n\u0000\u001b[31mred ä 😀\r\n';
    const { body, text } = await report({ ...newRun(), error, logs });
    expect(body).toMatchObject({ error });
    expect(text).not.toContain('line 1');
    const { id } = body as { id: string };
    expect(await logsOf(id)).toEqual({ status: 200, ...(body as object), logs });
    const silent = (await report(newRun())).body as { id: string };
    expect((await logsOf(silent.id)).logs).toBeNull();
    for (const list of ['/v1/me/runs?limit=100', `/v1/vals/${val.id}/runs?limit=100`]) {
      const { data } = await service.get<List>(list);
      expect(data.find((record) => record.id === id)).toEqual(body);
    }
  });

  test.each<[string, string, string]>([
    ['65,536 bytes whole', `${'x'.repeat(65_530)} end.\n`, `${'x'.repeat(65_530)} end.\n`],
    ['the last 65,536 bytes of more', `gone${'x'.repeat(65_531)} end.`, `${'x'.repeat(65_531)} end.`],
    ['no half of a character', `€${'x'.repeat(65_534)}`, 'x'.repeat(65_534)],
  ])('keeps %s', async (_, logs, kept) => {
    const { body } = await report({ ...newRun(), logs });
    expect((await logsOf((body as { id: string }).id)).logs === kept).toBe(true);
  });

  test('shows its output to those who may list the runs of the val, and to nobody else', async () => {
    const eve = await service.addPerson('eve');
    await service.addSpace('acme', { eve: 'read', local: 'write' });
    const put = await service.ask('PUT', '/@acme/v1/vals', { body: { name: 'shared', code: 'c' } });
    const path = `/@acme/v1/vals/${(put.body as Val).id}/runs`;
    const ours = (await service.ask('POST', path, { body: { ...run, logs: 'ours' } })).body as Val;
    expect(await eve.get(`/@acme/v1/runs/${ours.id}`)).toMatchObject({
      logs: 'ours',
      reporter: val.versionAuthor,
    });
    expect(await eve.statusOf('GET', `/v1/runs/${ours.id}`)).toBe(404);
    const pub = await service.createVal({ name: 'pub', code: 'c', privacy: 'public' });
    const mine = (await report({ ...run, logs: 'secret' }, pub.id)).body as Val;
    for (const token of [eve.token, null]) {
      const { status, text } = await service.ask('GET', `/v1/runs/${mine.id}`, { token });
      expect({ status, isShown: text.includes('secret') }).toEqual({
        status: token ? 404 : 401,
        isShown: false,
      });
    }
  });
});
