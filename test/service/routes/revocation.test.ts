import Libsql from 'libsql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { lock, untilWaiting } from '../support/locks.ts';
import { postgres, storeOf, temporaryService, type Val } from '../support.ts';

test.runIf(postgres)(
  'if a val becomes private while another person reads a version, its code is not shown',
  async () => {
    const service = await temporaryService();
    const eve = await service.addPerson('eve');
    const { id } = await eve.createVal({ name: 'v', code: 'c', privacy: 'public' });
    const unlock = await lock(service.at, 'LOCK TABLE vals.versions');
    const read = service.ask('GET', `/v1/vals/${id}/versions/2`);
    await untilWaiting(service.at, 1);
    await unlock(`UPDATE vals.vals SET privacy = 'private' WHERE id = '${id}';
    INSERT INTO vals.versions (val_id, version, author_id, author_name, code, code_hash, created_at)
      VALUES ('${id}', 2, '', '', 'secret', '', '')`);
    expect(await read).toMatchObject({ status: 404, text: expect.not.stringContaining('secret') });
  },
);

/** Holds a lock for which each write to a val or with a token waits, and ends what `statement` ends before the lock is free. */
async function lockRows(at: string, table: 'vals' | 'tokens') {
  if (postgres) return lock(at, `SET search_path TO vals; SELECT id FROM ${table} FOR UPDATE`);
  const other = new Libsql(at);
  onTestFinished(() => void other.close());
  other.exec('PRAGMA foreign_keys = ON; BEGIN IMMEDIATE');
  return async (statement = '') => void other.exec(`${statement}; COMMIT`);
}

const past = '2026-01-01T00:00:00.000Z';

test.each([
  ['the token is removed', '', "DELETE FROM tokens WHERE id = 'TOKEN'", 401],
  ['the token expires', '', `UPDATE tokens SET expires_at = '${past}' WHERE id = 'TOKEN'`, 401],
  ['the token is removed', '/@acme', "DELETE FROM tokens WHERE id = 'TOKEN'", 401],
  ['the membership ends', '/@acme', "DELETE FROM members WHERE user_id = 'USER'", 404],
  ['the member may only read', '/@acme', "UPDATE members SET role = 'read' WHERE user_id = 'USER'", 403],
])('if %s while writes to "%s" wait for a lock, nothing is stored', async (_, space, end, status) => {
  const service = await temporaryService();
  const { db } = await storeOf(service);
  const eve = await service.addPerson('eve');
  await service.addSpace('acme', { eve: 'write' });
  const vals = `${space}/v1/vals`;
  const put = (name: string, code: string) => eve.ask('PUT', vals, { body: { name, code } });
  const { id } = (await put('v', 'c')).body as Val;
  const [token] = await eve.idsFrom('/v1/me/tokens');
  const stored = () =>
    Promise.all([db.query(sql`SELECT * FROM vals`), db.query(sql`SELECT val_id, version FROM versions`)]);
  const before = await stored();

  const unlock = await lockRows(service.at, 'vals');
  const run = { version: 1, error: null, runStartAt: past, runEndAt: past };
  const writes = [
    put('v', 'late'),
    ...(postgres ? [] : [put('new', 'late')]),
    ...(postgres ? [] : [eve.ask('POST', `${space}/v1/me/tokens`, { body: { name: 'late' } })]),
    eve.ask('POST', `${vals}/${id}/versions`, { body: { code: 'late' } }),
    eve.ask('PUT', `${vals}/${id}`, { body: { privacy: 'public' } }),
    eve.ask('POST', `${vals}/${id}/runs`, { body: run }),
    eve.ask('DELETE', `${vals}/${id}`),
  ];
  if (postgres) await untilWaiting(service.at, 2);
  for (let i = 0; i < 5; i++) await eve.ask('GET', '/v1/me');
  await unlock(end.replace('TOKEN', `${token}`).replace('USER', eve.user.id));
  for (const answer of await Promise.all(writes)) expect(answer).toMatchObject({ status });
  expect(await stored()).toEqual(before);
  expect(await db.query(sql`SELECT id FROM runs`)).toEqual([]);
});

test('a token that ends while it waits to end itself is 401', async () => {
  const service = await temporaryService();
  const eve = await service.addPerson('eve');
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await eve.ask('POST', '/v1/me/tokens', { body: { name: 'short', expiresAt } });
  const { id, token } = body as { id: string; token: string };
  const unlock = await lockRows(service.at, 'tokens');
  const ended = eve.ask('DELETE', `/v1/me/tokens/${id}`, { token });
  if (postgres) await untilWaiting(service.at, 1);
  for (let i = 0; i < 5; i++) expect(await eve.statusOf('GET', '/v1/me', { token })).toBe(200);
  vi.useFakeTimers({ now: Date.parse(expiresAt) + 1, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await unlock();
  expect(await ended).toMatchObject({ status: 401, text: expect.stringContaining('nothing was stored') });
});
