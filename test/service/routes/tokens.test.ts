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
      ...{ lastUsedAt: null, expiresAt: null, access: 'full', space: null },
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
    expect(Date.parse(used)).toBeLessThanOrEqual(Date.now());
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

  test.each(['first', 'ci) by ada (', ' ci', 'сi', 'a\tb', 'n'.repeat(65), ''])(
    'has a name that looks like no other, and not that of the first token: %j is refused',
    async (name) => {
      for (const path of ['', '/@acme']) {
        const refused = await ada.ask('POST', `${path}/v1/me/tokens`, { body: { name } });
        expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } });
      }
    },
  );

  test('that reads only is refused every write', async () => {
    const { client, name } = await make('', { access: 'read' });
    const { id } = await ada.createVal({ name: 'kept', code: 'c' });
    const writes: [string, string, object?][] = [
      ['PUT', '/v1/vals', { name: 'v', code: 'c' }],
      ['PUT', '/@acme/v1/vals', { name: 'v', code: 'c' }],
      ['POST', `/v1/vals/${id}/versions`, { code: 'd' }],
      ['DELETE', `/v1/vals/${id}`],
    ];
    const refusal = { concerns: 'caller', detail: expect.stringContaining(`The token ${name} may read`) };
    for (const [method, path, body] of writes) {
      const answer = await client.ask(method, path, { body });
      expect(answer, `${method} ${path}`).toMatchObject({ status: 403, body: refusal });
    }
    expect(await client.get(`/v1/vals/${id}`)).toMatchObject({ version: 1 });
  });

  describe.each(['', '/@acme'])('that deploys (at "%s")', (path) => {
    const valName = () => `v${randomUUID().replaceAll('-', '')}`;
    const run = { version: 1, runStartAt: '2026-01-31', runEndAt: '2026-01-31', error: null };

    test('reads, creates private vals and adds versions, also to a public val', async () => {
      const { client } = await make(path, { access: 'deploy' });
      const names = [valName(), valName()];
      const [put, post] = [
        await client.ask('PUT', `${path}/v1/vals`, { body: { name: names[0], code: 'c' } }),
        await client.ask('POST', `${path}/v1/vals`, { body: { name: names[1], code: 'c', readme: 'r' } }),
      ];
      for (const { status, body } of [put, post]) {
        expect({ status, body }).toMatchObject({ status: 201, body: { privacy: 'private' } });
      }
      const published = { name: valName(), code: 'c', privacy: 'public', readme: 'r' };
      const { id } = (await ada.ask('POST', `${path}/v1/vals`, { body: published })).body as Val;
      const again = { body: { name: published.name, code: 'd' } };
      expect((await client.ask('PUT', `${path}/v1/vals`, again)).body).toMatchObject({ version: 2 });
      const versions = `${path}/v1/vals/${id}/versions`;
      const same = { body: { code: 'e', privacy: 'public', readme: 'r', name: published.name } };
      expect(await client.statusOf('POST', versions, same)).toBe(201);
      expect(await client.get(`${path}/v1/vals/${id}`)).toMatchObject({ version: 3, privacy: 'public' });
    });

    test('does nothing else, and the refusal names it', async () => {
      const { client, name, id: token } = await make(path, { access: 'deploy' });
      const existing = { name: valName(), code: 'c', readme: 'r' };
      const { id } = (await ada.ask('POST', `${path}/v1/vals`, { body: existing })).body as Val;
      await ada.ask('POST', `${path}/v1/vals/${id}/versions`, { body: { code: 'd' } });
      const before = await ada.ask('GET', `${path}/v1/vals/${id}`);
      const other = await make(path);
      const fresh = () => ({ name: valName(), code: 'c' });
      const val = `/v1/vals/${id}`;
      const writes: [string, string, object?][] = [
        ['POST', '/v1/vals', { ...fresh(), privacy: 'public' }],
        ['POST', '/v1/vals', { ...fresh(), privacy: 'unlisted' }],
        ['PUT', val, { privacy: 'public' }],
        ['PUT', val, { name: valName() }],
        ['PUT', val, { readme: null }],
        ['PUT', val, { type: 'http' }],
        ...['c', 'd', 'e'].map((code): [string, string, object] => [
          'POST',
          `${val}/versions`,
          { code, privacy: 'unlisted' },
        ]),
        ['POST', `${val}/versions`, { code: 'e', name: valName() }],
        ['POST', `${val}/versions`, { code: 'e', readme: 'other' }],
        ['PUT', '/v1/vals', { name: existing.name, code: 'e', type: 'http' }],
        ['DELETE', `${val}/versions/1`],
        ['DELETE', val],
        ['POST', `${val}/runs`, run],
        ['POST', '/v1/me/tokens', { name: newName() }],
        ['POST', '/v1/me/tokens', { name: newName(), access: 'read' }],
        ['DELETE', `/v1/me/tokens/${other.id}`],
      ];
      for (const [method, route, body] of writes) {
        const answer = await client.ask(method, path + route, { body });
        expect(answer, `${method} ${route} ${JSON.stringify(body)}`).toMatchObject({
          ...{ status: 403, body: { detail: expect.stringContaining(`The token ${name} `) } },
        });
      }
      expect((await ada.ask('GET', `${path}/v1/vals/${id}`)).text).toBe(before.text);
      expect(await client.get(`${path}/v1/me`)).toMatchObject({ token: { name, access: 'deploy' } });
      expect((await list()).find((listed) => listed.id === token)?.access).toBe('deploy');
    });
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
    ['to reading', '', { access: 'read' }],
    ['to deploying', '', { access: 'deploy' }],
    ['in time', '', { expiresAt: inDays(7) }],
    ['to a space', '/@acme', {}],
  ])('that is limited %s makes none, ends none but itself, and says its limits', async (_, path, limits) => {
    const { client, id, name, access, space, expiresAt } = await make(path, limits);
    const other = await make(path);
    expect(await client.get(`${path}/v1/me`)).toMatchObject({ token: { name, access, space, expiresAt } });
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
  test('is good below the space alone, with the role that the person has now, and what it may do never grows', async () => {
    const bob = await newPerson();
    await grant(db, 'acme', bob.user.username, 'read');
    const { client, status, space, access } = await make('/@acme', { access: 'deploy' }, bob);
    expect({ status, space, access }).toEqual({ status: 201, space: 'acme', access: 'read' });
    const accessNow = async () => {
      const { token } = await client.get<{ token: ListedToken }>('/@acme/v1/me');
      const [, listed] = await list(bob);
      return [token.access, listed?.access];
    };
    const put = ({ statusOf } = client) =>
      statusOf('PUT', '/@acme/v1/vals', { body: { name: 'theirs', code: 'c' } });
    expect([await put(), await accessNow()]).toEqual([403, ['read', 'read']]);
    await grant(db, 'acme', bob.user.username, 'write');
    expect([await put(), await accessNow()]).toEqual([403, ['read', 'read']]);
    const later = await make('/@acme', {}, bob);
    expect([later.access, await put(later.client)]).toEqual(['full', 201]);
    await grant(db, 'acme', bob.user.username, 'read');
    expect(await put(later.client)).toBe(403);
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
