import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { renewToken } from '../../../src/service/store/people.ts';
import { createSpace, grant, revoke } from '../../../src/service/store/spaces.ts';
import type { ListedToken } from '../../../src/service/store/tokens.ts';
import {
  addPerson,
  clientOf,
  type List,
  type Person,
  storeOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

let service: TemporaryService;
let ada: Person;
let store: Awaited<ReturnType<typeof storeOf>>;

beforeAll(async () => {
  service = await temporaryService();
  store = await storeOf(service);
  ada = await addPerson(service, 'ada');
  for (const space of ['acme', 'other']) {
    await createSpace(store.db, space);
    await grant(store.db, space, 'ada', 'write');
  }
});

const newName = () => `t${randomUUID()}`;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const clientWith = (token: string) => clientOf({ baseUrl: service.baseUrl, token });

async function make(path = '', body: object = {}, maker: Pick<Person, 'ask'> = ada) {
  const answer = await maker.ask('POST', `${path}/v1/me/tokens`, { body: { name: newName(), ...body } });
  const made = answer.body as ListedToken & { token: string };
  return { ...made, status: answer.status, client: clientWith(made.token ?? 'x') };
}

const list = async (path = '', client: Pick<Person, 'get'> = ada) =>
  (await client.get<List<ListedToken>>(`${path}/v1/me/tokens`)).data;

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
    expect((listed.body as List).data).toContainEqual(made);
    expect((await list()).map(({ name }) => name)).toContain('first');
    const author = { id: ada.user.id, username: 'ada' };
    const pushed = await client.putVal('v', made.id);
    expect(pushed.body).toMatchObject({ versionAuthor: { ...author, token: made.name } });
    const { data } = await ada.get<List>(`/v1/vals/${(pushed.body as Val).id}/versions?limit=1`);
    expect(data).toMatchObject([{ versionAuthor: { ...author, token: made.name } }]);
    expect(((await ada.putVal('v', 'by the first token')).body as Val).versionAuthor).toEqual(author);
    expect(await ada.statusOf('DELETE', `/v1/me/tokens/${made.id}`)).toBe(204);
    expect(await client.statusOf('GET', '/v1/me')).toBe(401);
    expect(await ada.statusOf('DELETE', `/v1/me/tokens/${made.id}`)).toBe(404);
    expect(await ada.statusOf('GET', '/v1/me')).toBe(200);
  });

  test('has a name that no other token of the person has at this base URL', async () => {
    const { name } = await make();
    expect((await make('', { name })).status).toBe(409);
    for (const path of ['/@acme', '/@other']) {
      expect([(await make(path, { name })).status, (await make(path, { name })).status]).toEqual([201, 409]);
    }
    const bob = await addPerson(service, newName().slice(0, 20));
    expect((await make('', { name }, bob)).status).toBe(201);
    expect(await bob.statusOf('DELETE', `/v1/me/tokens/${(await list())[0]?.id}`)).toBe(404);
  });

  test('that reads only is refused every write', async () => {
    const { client } = await make('', { readOnly: true });
    const { id: val } = await ada.createVal({ name: `v${Date.now()}`, code: 'c' });
    expect(await client.statusOf('GET', `/v1/vals/${val}`)).toBe(200);
    const writes: [string, string, object?][] = [
      ['PUT', '/v1/vals', { name: 'v', code: 'c' }],
      ['PUT', '/@acme/v1/vals', { name: 'v', code: 'c' }],
      ['POST', `/v1/vals/${val}/versions`, { code: 'd' }],
      ['DELETE', `/v1/vals/${val}`],
    ];
    for (const [method, path, body] of writes) {
      expect(await client.statusOf(method, path, { body }), `${method} ${path}`).toBe(403);
    }
    expect(await ada.statusOf('GET', `/v1/vals/${val}`)).toBe(200);
  });

  test('ends when it expires, and then its name is free', async () => {
    const { client, id, name, expiresAt } = await make('', { expiresAt: inDays(1).replace('Z', '+00:00') });
    expect(expiresAt).toMatch(/Z$/);
    expect(await client.statusOf('GET', '/v1/me')).toBe(200);
    await store.db.transaction((tx) =>
      tx.query(sql`UPDATE tokens SET expires_at = ${new Date().toISOString()} WHERE id = ${id}`),
    );
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

  test('shows when it was last used, to the minute', async () => {
    const { client, id } = await make();
    expect(await client.statusOf('GET', '/v1/me')).toBe(200);
    const used = (await list()).find((token) => token.id === id);
    expect(used?.lastUsedAt).toMatch(/:00\.000Z$/);
    expect(Math.abs(Date.parse(`${used?.lastUsedAt}`) - Date.now())).toBeLessThan(120_000);
  });

  test('is one of at most a hundred that have not ended', async () => {
    const eve = await addPerson(service, newName().slice(0, 20));
    const { id } = await make('', { expiresAt: inDays(1) }, eve);
    for (let count = 2; count < 100; count++) expect((await make('', {}, eve)).status).toBe(201);
    expect((await make('', {}, eve)).status).toBe(409);
    expect(await list('', eve)).toHaveLength(100);
    await store.db.transaction((tx) =>
      tx.query(sql`UPDATE tokens SET expires_at = ${new Date().toISOString()} WHERE id = ${id}`),
    );
    expect(await list('', eve)).toHaveLength(99);
    expect([(await make('', {}, eve)).status, (await make('', {}, eve)).status]).toEqual([201, 409]);
  });

  test('of the person ends with all others when the operator gives a new one', async () => {
    const eve = await addPerson(service, newName().slice(0, 20));
    const { client } = await make('', {}, eve);
    const renewed = await renewToken(store, eve.user.username);
    expect([await client.statusOf('GET', '/v1/me'), await eve.statusOf('GET', '/v1/me')]).toEqual([401, 401]);
    const tokens = await list('', clientWith(`${renewed?.token}`));
    expect(tokens.map(({ name }) => name)).toEqual(['first']);
  });
});

describe('a token for a space', () => {
  test('is good below the space alone', async () => {
    const { client, space } = await make('/@acme');
    expect(space).toBe('acme');
    expect(
      (await client.ask('PUT', '/@acme/v1/vals', { body: { name: 'ours', code: 'c' } })).status,
    ).toBeLessThan(300);
    for (const path of ['/v1/me', '/@other/v1/me', '/@nowhere/v1/me', '/v1/me/tokens']) {
      expect(await client.statusOf('GET', path), path).toBe(403);
    }
  });

  test('sees no tokens of the person that are good elsewhere', async () => {
    const { client, id } = await make('/@acme');
    const own = await make();
    const listed = await list('/@acme', client);
    expect(new Set(listed.map(({ space }) => space))).toEqual(new Set(['acme']));
    expect(listed.map((token) => token.id)).toContain(id);
    expect(await ada.statusOf('DELETE', `/@acme/v1/me/tokens/${own.id}`)).toBe(404);
  });

  test('has the role of the person, as it is now', async () => {
    const bob = await addPerson(service, newName().slice(0, 20));
    await grant(store.db, 'acme', bob.user.username, 'read');
    const { client, status } = await make('/@acme', {}, bob);
    expect(status).toBe(201);
    const isReadOnly = async () => {
      const shown = (await client.get<{ token: object }>('/@acme/v1/me')).token;
      return [shown, ...(await list('', bob)).filter(({ space }) => space)].map(
        (token) => 'readOnly' in token && token.readOnly,
      );
    };
    expect(await isReadOnly()).toEqual([true, true]);
    const put = () => client.statusOf('PUT', '/@acme/v1/vals', { body: { name: 'theirs', code: 'c' } });
    expect([await put(), await client.statusOf('GET', '/@acme/v1/me')]).toEqual([403, 200]);
    await grant(store.db, 'acme', bob.user.username, 'write');
    expect(await put()).toBe(201);
    expect(await isReadOnly()).toEqual([false, false]);
  });

  test('ends with the membership, and a new membership does not bring it back', async () => {
    const bob = await addPerson(service, newName().slice(0, 20));
    const { username } = bob.user;
    await grant(store.db, 'acme', username, 'write');
    const { client } = await make('/@acme', {}, bob);
    expect(await client.statusOf('GET', '/@acme/v1/me')).toBe(200);
    await revoke(store.db, 'acme', username);
    expect(await client.statusOf('GET', '/@acme/v1/me')).toBe(401);
    await grant(store.db, 'acme', username, 'write');
    expect(await client.statusOf('GET', '/@acme/v1/me')).toBe(401);
    expect(await bob.statusOf('GET', '/@acme/v1/me')).toBe(200);
    expect((await list('', bob)).map(({ name }) => name)).toEqual(['first']);
  });
});
