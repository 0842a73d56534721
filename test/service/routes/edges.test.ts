import { expect, test } from 'vitest';
import { type List, temporaryService, type Val } from '../support.ts';

const service = await temporaryService();

test('a val of a name that is taken is not replaced with If-None-Match: *', async () => {
  const put = (code: string) =>
    service.ask('PUT', '/v1/vals', { body: { name: 'only', code }, headers: { 'If-None-Match': '*' } });
  expect((await put('1')).status).toBe(201);
  expect(await put('2')).toMatchObject({
    status: 412,
    body: { message: expect.stringContaining('already') },
  });
  expect((await service.get('/v1/alias/local/only')).code).toBe('1');
});

test('a val that the client has is answered with 304, until it changes', async () => {
  const { id } = await service.createVal({ name: 'kept', code: 'c' });
  const path = `/v1/vals/${id}`;
  const { etag = '' } = (await service.ask('GET', path)).headers;
  const get = (tag: string) => service.ask('GET', path, { headers: { 'If-None-Match': tag } });
  for (const tag of [etag, `"x", W/${etag}`, '*']) {
    const unchanged = await get(tag);
    expect(unchanged).toMatchObject({ status: 304, text: '', headers: { etag } });
    expect(unchanged.headers).not.toHaveProperty('content-length');
  }
  await service.putVal('kept', 'd');
  expect(await get(etag)).toMatchObject({ status: 200, body: { code: 'd' } });
});

test('ids are found in upper case', async () => {
  const { id } = await service.createVal({ name: 'upper', code: 'c' });
  const large = id.toUpperCase();
  const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: null };
  const run = await service.ask('POST', `/v1/vals/${large}/runs`, { body: { version: 1, ...times } });
  expect(run).toMatchObject({ status: 201, body: { val: { id }, runEndAt: null } });
  const runId = (run.body as Val).id.toUpperCase();
  const { id: me } = await service.get('/v1/me');
  const paths = [`vals/${large}`, `vals/${large}/versions/1`, `runs/${runId}`, `users/${me.toUpperCase()}`];
  for (const path of paths) expect(await service.statusOf('GET', `/v1/${path}`), path).toBe(200);
});

test('a body may have a BOM, and any spelling of UTF-8', async () => {
  const put = (text: string, charset: string) =>
    service.statusOf('PUT', '/v1/vals', {
      raw: text,
      headers: { 'Content-Type': `application/json; charset=${charset}` },
    });
  const text = JSON.stringify({ name: 'bom', code: 'c' });
  expect(await put(`\ufeff${text}`, 'utf-8')).toBe(201);
  for (const charset of ['utf8', 'UTF8', '"Utf-8"', 'unicode-1-1-utf-8'])
    expect(await put(text, charset)).toBe(200);
  for (const charset of ['latin1', 'utf-16', 'nonsense']) expect(await put(text, charset)).toBe(415);
});

test('an unknown route is 404, whatever its body', async () => {
  for (const type of ['text/plain', 'application/xml; charset=utf-16']) {
    const question = { raw: 'x', headers: { 'Content-Type': type } };
    expect(await service.statusOf('POST', '/v1/nowhere', question)).toBe(404);
    expect(await service.statusOf('PUT', '/nowhere', question)).toBe(404);
  }
});

test('a NUL in a path is found nowhere', async () => {
  const { id } = await service.createVal({ name: 'nul', code: 'c' });
  for (const path of ['runs/%00', 'vals/%00', 'users/a%00', `vals/${id}/versions/%00`, 'alias/local/%00']) {
    expect(await service.statusOf('GET', `/v1/${path}`), path).toBe(404);
  }
});

test('the time of a run is a whole timestamp, also if a date alone was given', async () => {
  const { id } = await service.createVal({ name: 'dated', code: 'c' });
  const body = { version: 1, runStartAt: '2026-01-31', runEndAt: '2026-01-31T10:00' };
  const times = { runStartAt: '2026-01-31T00:00:00.000Z', runEndAt: '2026-01-31T10:00:00.000Z' };
  expect((await service.ask('POST', `/v1/vals/${id}/runs`, { body })).body).toMatchObject(times);
  expect((await service.get<List>(`/v1/vals/${id}/runs`)).data).toMatchObject([times]);
});

test('the time of the last change does not go back when a version is deleted', async () => {
  const { id } = await service.createVal({ name: 'older', code: '1' });
  for (const code of ['2', '3']) await service.putVal('older', code);
  const changedAt = async () => (await service.get(`/v1/vals/${id}`)).updatedAt;
  const before = await changedAt();
  await service.ask('DELETE', `/v1/vals/${id}/versions/1`);
  expect(await changedAt()).toBe(before);
  await service.ask('DELETE', `/v1/vals/${id}/versions/3`);
  expect((await changedAt()) >= before).toBe(true);
});
