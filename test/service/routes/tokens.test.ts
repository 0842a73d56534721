import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { grant, revoke } from '../../../src/service/store/spaces.ts';
import type { ListedToken } from '../../../src/service/store/tokens.ts';
import { clientOf, type List, type Person, storeOf, temporaryService, type Val } from '../support.ts';

const service = await temporaryService();
const { db } = await storeOf(service);
const ada = await service.addPerson('ada');
for (const space of ['acme', 'other']) await service.addSpace(space, { ada: 'write' });

const newName = () => `t${randomUUID()}`;
const newPerson = () => service.addPerson(newName().slice(0, 20));
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function make(path = '', body: object = {}, maker: Pick<Person, 'ask'> = ada) {
  const answer = await maker.ask('POST', `${path}/v1/me/tokens`, { body: { name: newName(), ...body } });
  const made = answer.body as ListedToken & { token: string };
  const client = clientOf({ baseUrl: service.baseUrl, token: made.token ?? 'x' });
  return { ...made, status: answer.status, client };
}

const list = async ({ get }: Pick<Person, 'get'> = ada) =>
  (await get<List<ListedToken>>('/v1/me/tokens')).data;

const expire = (id: string) =>
  db.transaction((tx) =>
    tx.query(sql`UPDATE tokens SET expires_at = ${new Date().toISOString()} WHERE id = ${id}`),
  );

describe('a token', () => {
  test('is shown once, is listed without its secret, works like the first one, and ends at once', async () => {
    const { status, token, client, ...made } = await make();
    expect(status).toBe(201);
    expect(token).toMatch(/^vals_[\w-]{43}$/);
    expect(made).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: made.name, createdAt: expect.any(String) },
      ...{ lastUsedAt: null, expiresAt: null, readOnly: false, space: null },
    });
    const listed = await ada.ask('GET', '/v1/me/tokens');
    expect(listed.text).not.toContain(token);
    expect((listed.body as List).data).toMatchObject([{ name: 'first' }, made]);
    const author = { id: ada.user.id, username: 'ada' };
    const pushed = await client.putVal('v', made.id);
    expect(pushed.body).toMatchObject({ versionAuthor: { ...author, token: made.name } });
    const { data } = await ada.get<List>(`/v1/vals/${(pushed.body as Val).id}/versions?limit=1`);
    expect(data).toMatchObject([{ versionAuthor: { ...author, token: made.name } }]);
    expect(((await ada.putVal('v', 'by the first token')).body as Val).versionAuthor).toEqual(author);
    const used = `${(await list())[1]?.lastUsedAt}`;
    expect([made.createdAt, expect.stringMatching(/:00\.000Z$/)]).toContainEqual(used);
    expect(used >= made.createdAt).toBe(true);
    expect(Math.abs(Date.parse(used) - Date.now())).toBeLessThan(120_000);
    expect(await ada.statusOf('DELETE', `/v1/me/tokens/${made.id}`)).toBe(204);
    expect(await client.statusOf('GET', '/v1/me')).toBe(401);
    expect(await ada.statusOf('DELETE', `/v1/me/tokens/${made.id}`)).toBe(404);
    expect(await ada.statusOf('GET', '/v1/me')).toBe(200);
  });

  test('has a name that no other token of the person has at this base URL', async () => {
    const { name, id } = await make();
    for (const path of ['', '/@acme', '/@other']) {
      const statuses = [(await make(path, { name })).status, (await make(path, { name })).status];
      expect(statuses).toEqual([path === '' ? 409 : 201, 409]);
    }
    const bob = await newPerson();
    expect((await make('', { name }, bob)).status).toBe(201);
    expect(await bob.statusOf('DELETE', `/v1/me/tokens/${id}`)).toBe(404);
    expect(await ada.statusOf('DELETE', `/@acme/v1/me/tokens/${id}`)).toBe(404);
  });

  test('that reads only is refused every write', async () => {
    const { client } = await make('', { readOnly: true });
    const { id } = await ada.createVal({ name: 'kept', code: 'c' });
    const writes: [string, string, object?][] = [
      ['PUT', '/v1/vals', { name: 'v', code: 'c' }],
      ['PUT', '/@acme/v1/vals', { name: 'v', code: 'c' }],
      ['POST', `/v1/vals/${id}/versions`, { code: 'd' }],
      ['DELETE', `/v1/vals/${id}`],
    ];
    for (const [method, path, body] of writes) {
      expect(await client.statusOf(method, path, { body }), `${method} ${path}`).toBe(403);
    }
    expect(await client.get(`/v1/vals/${id}`)).toMatchObject({ version: 1 });
  });

  test('ends when it expires, and then its name is free', async () => {
    const { client, id, name, expiresAt } = await make('', { expiresAt: inDays(1).replace('Z', '+00:00') });
    expect(expiresAt).toMatch(/Z$/);
    expect(await client.statusOf('GET', '/v1/me')).toBe(200);
    await expire(id);
    expect(await client.statusOf('GET', '/v1/me')).toBe(401);
    expect((await make('', { name })).status).toBe(201);
    expect((await make('', { expiresAt: inDays(-1) })).status).toBe(400);
  });

  test.each<[string, string, object]>([
    ['to reading', '', { readOnly: true }],
    ['in time', '', { expiresAt: inDays(7) }],
    ['to a space', '/@acme', {}],
  ])('that is limited %s makes none, ends none but itself, and says its limits', async (_, path, limits) => {
    const { client, id, name, readOnly, space, expiresAt } = await make(path, limits);
    const other = await make(path);
    expect(await client.get(`${path}/v1/me`)).toMatchObject({ token: { name, readOnly, space, expiresAt } });
    expect((await make(path, limits, client)).status).toBe(403);
    expect(await client.statusOf('DELETE', `${path}/v1/me/tokens/${other.id}`)).toBe(403);
    expect(await client.statusOf('DELETE', `${path}/v1/me/tokens/${id}`)).toBe(204);
    expect(await client.statusOf('GET', `${path}/v1/me`)).toBe(401);
    expect((await list()).map((token) => token.id)).toContain(other.id);
  });

  test('is one of at most a hundred that have not ended', async () => {
    const eve = await newPerson();
    const { id } = await make('', { expiresAt: inDays(1) }, eve);
    for (let count = 2; count < 100; count++) expect((await make('', {}, eve)).status).toBe(201);
    expect((await make('', {}, eve)).status).toBe(409);
    await expire(id);
    expect(await list(eve)).toHaveLength(99);
    expect([(await make('', {}, eve)).status, (await make('', {}, eve)).status]).toEqual([201, 409]);
  });
});

describe('a token for a space', () => {
  test('is good below the space alone, with the role that the person has now', async () => {
    const bob = await newPerson();
    await grant(db, 'acme', bob.user.username, 'read');
    const { client, status, space } = await make('/@acme', {}, bob);
    expect({ status, space }).toEqual({ status: 201, space: 'acme' });
    const isReadOnly = async () => {
      const { token } = await client.get<{ token: ListedToken }>('/@acme/v1/me');
      const [, listed] = await list(bob);
      return [token.readOnly, listed?.readOnly];
    };
    const put = () => client.statusOf('PUT', '/@acme/v1/vals', { body: { name: 'theirs', code: 'c' } });
    expect([await put(), await isReadOnly()]).toEqual([403, [true, true]]);
    await grant(db, 'acme', bob.user.username, 'write');
    expect([await put(), await isReadOnly()]).toEqual([201, [false, false]]);
    for (const path of ['/v1/me', '/@other/v1/me', '/@nowhere/v1/me', '/v1/me/tokens']) {
      expect(await client.statusOf('GET', path), path).toBe(403);
    }
  });

  test('ends with the membership, and a new membership does not bring it back', async () => {
    const bob = await newPerson();
    const { username } = bob.user;
    await grant(db, 'acme', username, 'write');
    const { client } = await make('/@acme', {}, bob);
    expect(await client.statusOf('GET', '/@acme/v1/me')).toBe(200);
    await revoke(db, 'acme', username);
    expect(await client.statusOf('GET', '/@acme/v1/me')).toBe(401);
    await grant(db, 'acme', username, 'write');
    expect(await client.statusOf('GET', '/@acme/v1/me')).toBe(401);
    expect(await bob.statusOf('GET', '/@acme/v1/me')).toBe(200);
    expect((await list(bob)).map(({ name }) => name)).toEqual(['first']);
  });
});
