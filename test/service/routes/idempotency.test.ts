import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { addPerson, type Client, type List, storeOf, temporaryService, type Val } from '../support.ts';

const service = await temporaryService();
let count = 0;

const post = (path: string, body: object, key: string, caller: Client = service) =>
  caller.ask('POST', path, { body, headers: { 'Idempotency-Key': key } });
const newName = () => `val${count++}`;
const countVals = async () => {
  const { id } = await service.get('/v1/me');
  return (await service.get<List>(`/v1/users/${id}/vals?limit=100`)).data.length;
};

test('a repeated creation gets the first answer, even if the val has changed or gone since', async () => {
  const key = randomUUID();
  const body = { name: newName(), code: 'c\u0000 "ä"', readme: 'r' };
  const first = await post('/v1/vals', body, key);
  expect(first.status).toBe(201);
  const { id } = first.body as Val;
  await service.ask('POST', `/v1/vals/${id}/versions`, { body: { code: 'd' } });
  const repeated = await post('/v1/vals', body, key);
  const { etag, location } = first.headers;
  expect(repeated).toMatchObject({ status: 201, text: first.text, headers: { etag, location } });
  await service.ask('DELETE', `/v1/vals/${id}`);
  expect((await post('/v1/vals', body, key)).text).toBe(first.text);
  expect(await service.statusOf('GET', `/v1/vals/${id}`)).toBe(404);
});

test('a repeated version and a repeated run are stored once', async () => {
  const { id } = await service.createVal({ name: newName(), code: '1' });
  const [version, run] = [randomUUID(), randomUUID()];
  const answers = [];
  for (const code of ['2', '2']) answers.push(await post(`/v1/vals/${id}/versions`, { code }, version));
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  await service.ask('POST', `/v1/vals/${id}/versions`, { body: { code: '3' } });
  expect((await post(`/v1/vals/${id}/versions`, { code: '2' }, version)).text).toBe(answers[0]?.text);
  expect(await service.get(`/v1/vals/${id}`)).toMatchObject({ version: 3, code: '3' });

  const time = '2026-01-01T00:00:00Z';
  const body = { version: 1, runStartAt: time, runEndAt: time, logs: 'out' };
  const first = await post(`/v1/vals/${id}/runs`, body, run);
  expect((await post(`/v1/vals/${id}/runs`, body, run)).text).toBe(first.text);
  expect(await service.idsFrom(`/v1/vals/${id}/runs`)).toHaveLength(1);
});

test('a repeated request is not refused because its own first attempt changed the val', async () => {
  const { id } = await service.createVal({ name: newName(), code: '1' });
  const { etag = '' } = (await service.ask('GET', `/v1/vals/${id}`)).headers;
  const headers = { 'Idempotency-Key': randomUUID(), 'If-Match': etag };
  const send = () => service.ask('POST', `/v1/vals/${id}/versions`, { body: { code: '2' }, headers });
  expect([(await send()).status, (await send()).status]).toEqual([201, 201]);
});

test('another body or path with the same key is refused with 422, and nothing is stored', async () => {
  const key = randomUUID();
  const { id } = (await post('/v1/vals', { name: newName(), code: 'c' }, key)).body as Val;
  const before = await countVals();
  for (const [path, body] of [
    ['/v1/vals', { name: newName(), code: 'c' }],
    [`/v1/vals/${id}/versions`, { code: 'd' }],
  ] as const) {
    expect(await post(path, body, key)).toMatchObject({
      status: 422,
      headers: { 'x-should-retry': 'false' },
    });
  }
  expect(await countVals()).toBe(before);
});

test('a failure is not remembered', async () => {
  const key = randomUUID();
  const name = newName();
  const { id } = await service.createVal({ name, code: 'c' });
  expect((await post('/v1/vals', { name, code: 'd' }, key)).status).toBe(409);
  await service.ask('DELETE', `/v1/vals/${id}`);
  expect((await post('/v1/vals', { name, code: 'd' }, key)).status).toBe(201);
});

test('keys belong to a caller: the person, or the person in a space', async () => {
  const eve = await addPerson(service, 'eve');
  const { spaces, people } = await storeOf(service);
  await spaces.add('acme');
  for (const person of ['eve', 'local']) await spaces.grant('acme', person, 'write');
  const key = randomUUID();
  const body = { name: newName(), code: 'c' };
  const ofEve = { name: newName(), code: 'c' };
  const made = [
    await post('/v1/vals', body, key),
    await post('/v1/vals', body, key, eve),
    await post('/@acme/v1/vals', body, key),
    await post('/@acme/v1/vals', ofEve, key, eve),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(made.map(({ body }) => (body as Val).id)).size).toBe(4);
  await spaces.revoke('acme', 'eve');
  expect((await post('/@acme/v1/vals', ofEve, key, eve)).status).toBe(404);
  expect(await people.remove('eve', { withVals: true })).toBe('removed');
});

test('of equal requests through two services at once, one is done, and all get its answer', async () => {
  const other = await temporaryService({ at: service.at });
  const key = randomUUID();
  const body = { name: newName(), code: 'c' };
  const before = await countVals();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => post('/v1/vals', body, key, i % 2 ? other : service)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => (body as Val).id)).size).toBe(1);
  expect(await countVals()).toBe(before + 1);
});

test('a key is forgotten after a day', async () => {
  const { db } = await storeOf(service);
  const age = (hours: number) => {
    const at = new Date(Date.now() - hours * 3_600_000).toISOString();
    return db.transaction({}, (tx) => tx.query(sql`UPDATE replies SET at = ${at}`));
  };
  const key = randomUUID();
  const body = { name: newName(), code: 'c' };
  const send = async () => ((await post('/v1/vals', body, key)).body as Val).id;
  const first = await send();
  await age(23);
  expect(await send()).toBe(first);
  await service.ask('DELETE', `/v1/vals/${first}`);
  await age(25);
  const second = await send();
  expect(second).not.toBe(first);
  expect(await send()).toBe(second);
  await post('/v1/vals', { name: newName(), code: 'c' }, randomUUID());
  const old = await db.query(
    sql`SELECT key FROM replies WHERE at < ${new Date(Date.now() - 86_400_000).toISOString()}`,
  );
  expect(old).toEqual([]);
});

test.each(['a b', 'x'.repeat(256)])('the key "%s" is refused with 400', async (key) => {
  expect((await post('/v1/vals', { name: newName(), code: 'c' }, key)).status).toBe(400);
});
