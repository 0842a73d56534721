import { describe, expect, test } from 'vitest';
import { removeOwner } from '../../../src/service/store/owners.ts';
import { grant, revoke } from '../../../src/service/store/spaces.ts';
import { type List, type Person, sayTo, storeOf, temporaryService, type Val } from '../support.ts';

const service = await temporaryService();
const store = await storeOf(service);
const ada = await service.addPerson('ada');
const bob = await service.addPerson('bob');
const eve = await service.addPerson('eve');
const acme = await service.addSpace('acme', { ada: 'write', bob: 'read' });

const run = { version: 1, runStartAt: '2024-05-01T00:00:00Z', runEndAt: '2024-05-01T00:00:01Z', error: null };
const push = (who: Person, name: string, code: string, prefix = '/@acme') =>
  who.ask('PUT', `${prefix}/v1/vals`, { body: { name, code } });

describe('below the path of a space', () => {
  test('/v1/me returns the space, and the person who owns the token as its actor', async () => {
    const links = { self: `${service.baseUrl}/@acme/v1/me` };
    const url = `${service.baseUrl}/@acme/`;
    expect(await ada.get('/@acme/v1/me')).toMatchObject({ ...acme, url, links, actor: ada.user });
    expect(await ada.get('/v1/me')).not.toHaveProperty('actor');
  });

  test('a person sees their spaces, and also without the path', async () => {
    const url = `${service.baseUrl}/@acme`;
    for (const path of ['/v1/me/spaces', '/@acme/v1/me/spaces']) {
      expect(await ada.get(path)).toMatchObject({ data: [{ ...acme, role: 'write', url }] });
      expect(await bob.get(path)).toMatchObject({ data: [{ ...acme, role: 'read', url }] });
    }
    expect(await eve.get('/v1/me/spaces')).toMatchObject({ data: [] });
  });

  test('vals belong to the space, versions and runs to a person, and links stay below the path', async () => {
    const made = await push(ada, 'owned', 'one');
    const { id } = made.body as Val;
    const self = `${service.baseUrl}/@acme/v1/vals/${id}`;
    expect(made).toMatchObject({
      status: 201,
      headers: { location: `/@acme/v1/vals/${id}` },
      body: { author: acme, versionAuthor: ada.user, links: { self }, privacy: 'private' },
    });
    await grant(store.db, 'acme', 'eve', 'write');
    expect((await push(eve, 'owned', 'two')).body).toMatchObject({ id, version: 2, versionAuthor: eve.user });
    expect((await push(ada, 'owned', 'two')).body).toMatchObject({ version: 2, versionAuthor: eve.user });
    const report = await eve.ask('POST', `/@acme/v1/vals/${id}/runs`, { body: run });
    expect(report).toMatchObject({ status: 201, body: { reporter: eve.user } });
    await revoke(store.db, 'acme', 'eve');

    const versions = await bob.get<List>(`/@acme/v1/vals/${id}/versions?limit=1`);
    expect(versions.data).toMatchObject([{ version: 2, versionAuthor: eve.user }]);
    const { next = '' } = versions.links;
    expect(next.startsWith(`${self}/versions?`)).toBe(true);
    expect(await bob.get(next)).toMatchObject({ data: [{ version: 1 }] });
    expect(await eve.statusOf('GET', next)).toBe(404);
    const first = await bob.get(`/@acme/v1/vals/${id}/versions/1`);
    expect(first).toMatchObject({ code: 'one', versionAuthor: ada.user });
    const ours = [{ val: { id }, reporter: eve.user }];
    expect(await bob.get('/@acme/v1/me/runs')).toMatchObject({ data: ours });
    expect(await ada.get('/v1/me/runs')).toMatchObject({ data: [] });
    expect(await bob.get(`/@acme/v1/users/${acme.id}/vals`)).toMatchObject({ data: [{ id }] });
  });

  test('the module of a val has an address outside of the space, for everybody who may read it', async () => {
    for (const [privacy, status] of [
      ['unlisted', 200],
      ['private', 404],
    ] as const) {
      const body = { name: `module_${privacy}`, code: privacy, privacy };
      const made = (await ada.ask('POST', '/@acme/v1/vals', { body })).body as Val & {
        links: { module: string };
      };
      const { module } = made.links;
      expect(module).toBe(`${service.baseUrl}/v1/vals/${made.id}/module`);
      for (const token of [null, eve.token])
        expect(await eve.statusOf('GET', module, { token })).toBe(status);
      expect(await bob.ask('GET', module)).toMatchObject({ status: 200, text: privacy });
    }
  });

  test('a member who may only read reads private vals, and changes nothing', async () => {
    const { id } = (await push(ada, 'readable', 'secret')).body as Val;
    expect(await bob.get(`/@acme/v1/vals/${id}`)).toMatchObject({ code: 'secret' });
    for (const [method, path, body] of [
      ['PUT', '', { name: 'readable', code: 'x' }],
      ['POST', '', { name: 'another', code: 'x' }],
      ['PUT', `/${id}`, { privacy: 'public' }],
      ['POST', `/${id}/versions`, { code: 'x' }],
      ['POST', `/${id}/runs`, run],
      ['DELETE', `/${id}/versions/1`, undefined],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      const answer = await bob.ask(method, `/@acme/v1/vals${path}`, { body });
      expect(answer, `${method} ${path}`).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('You may read the vals of acme, but not change them.') },
      });
    }
    expect(await ada.get(`/@acme/v1/vals/${id}`)).toMatchObject({
      code: 'secret',
      version: 1,
    });
  });

  test('a member reads and finds private vals wherever they ask, and writes them at the base URL of their owner', async () => {
    const own = await ada.createVal({ name: 'adas', code: 'of_ada_alone' });
    const { id } = (await push(ada, 'theirs', 'of_acme_alone')).body as Val;
    for (const [val, path, owner, code] of [
      [own.id, '/@acme', 'ada/adas', 'of_ada_alone'],
      [id, '', 'acme/theirs', 'of_acme_alone'],
    ]) {
      for (const below of ['', '/versions', '/versions/1', '/module']) {
        expect(await ada.statusOf('GET', `${path}/v1/vals/${val}${below}`)).toBe(200);
      }
      expect(await ada.get(`${path}/v1/alias/${owner}`)).toMatchObject({ id: val });
      expect(await ada.idsFrom(`${path}/v1/search/vals?query=${code}`)).toEqual([val]);
      expect(await ada.statusOf('GET', `${path}/v1/vals/${val}/runs`)).toBe(403);
      expect(await ada.statusOf('DELETE', `${path}/v1/vals/${val}`)).toBe(403);
    }
    expect(await ada.idsFrom(`/v1/users/${acme.id}/vals`)).not.toContain(id);
    expect((await push(ada, 'theirs', 'c', '')).body).not.toMatchObject({ id });
  });
});

describe('a stranger', () => {
  test('gets the same answer as for a space that does not exist, on every route and page', async () => {
    const { id } = (await push(ada, 'hidden', 'secret')).body as Val;
    const { paths } = await eve.get<{ paths: Record<string, object> }>('/v1/openapi.json');
    const names: Record<string, string> = { id, version: '1', username: 'acme', name: 'hidden' };
    const body = { ...run, name: 'x', code: 'x' };
    const withoutSpaces = ['/healthz', '/sign-in', '/sign-out'];
    for (const [pattern, operations] of [...Object.entries(paths), ['/v1/nothing', { get: {} }] as const]) {
      const path = pattern.replace(/\{(\w+)\}/g, (_, name) => names[name] ?? '');
      for (const method of Object.keys(operations)) {
        for (const token of [eve.token, null]) {
          const question = { token, ...(method !== 'get' && { body }) };
          const answer = await eve.ask(method.toUpperCase(), `/@acme${path}`, question);
          const absent = await eve.ask(method.toUpperCase(), `/@nowhere${path}`, question);
          // A page asks everybody to sign in.
          const isPage = !path.startsWith('/v1/') && !withoutSpaces.includes(path);
          const status = isPage && token === null ? 401 : 404;
          expect(answer.status, `${method} ${path}`).toBe(status);
          expect(answer.text).toBe(absent.text.replaceAll('nowhere', 'acme'));
          const others = { date: '', 'content-length': '' };
          expect({ ...answer.headers, ...others }).toEqual({ ...absent.headers, ...others });
        }
      }
    }
    for (const space of ['acme', 'nowhere']) {
      expect(await eve.statusOf('GET', `/@${space}/v1/me`, { token: 'vals_wrong' })).toBe(401);
    }
    expect(await ada.get(`/@acme/v1/vals/${id}`)).toMatchObject({ code: 'secret', version: 1 });
  });

  test('reads public and unlisted vals of a space as those of a person', async () => {
    expect(await eve.statusOf('GET', `/v1/users/${acme.id}`)).toBe(404);
    for (const privacy of ['public', 'unlisted']) {
      const body = { name: `shown_${privacy}`, code: 'c', privacy };
      const { id } = (await ada.ask('POST', '/@acme/v1/vals', { body })).body as Val;
      expect(await eve.get(`/v1/vals/${id}`)).toMatchObject({ author: acme });
      expect(await eve.statusOf('GET', `/v1/alias/acme/shown_${privacy}`)).toBe(
        privacy === 'public' ? 200 : 404,
      );
      expect(await eve.get(`/v1/users/${acme.id}`)).toMatchObject({ username: 'acme' });
      expect(await eve.get(`/v1/users/${acme.id}/vals`)).toMatchObject({ data: [{ privacy: 'public' }] });
      for (const person of [eve, ada]) expect(await person.statusOf('DELETE', `/v1/vals/${id}`)).toBe(403);
    }
  });

  test('finds no way in by other spellings of the address', async () => {
    for (const path of [
      '/%40acme/v1/me',
      '//@acme/v1/me',
      '/@nowhere/../@acme/v1/me',
      '/@ACME/v1/me',
      '/@acm%65/v1/me',
      '/@acme/healthz',
      '/@ada/v1/me',
    ]) {
      const head = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${service.port}`];
      const get = ({ token }: Person) => sayTo(service.port, [...head, `Authorization: Bearer ${token}`]);
      expect(await get(eve), path).toMatch(/^HTTP\/1.1 404 /);
      expect(await get(ada), path).toMatch(/^HTTP\/1.1 404 |"username":"acme"/);
    }
  });
});

test('removing a space removes its vals, and a removed person stays the author of versions', async () => {
  const zoe = await service.addPerson('zoe');
  await service.addSpace('short', { zoe: 'write', ada: 'write' });
  const { id } = (await push(zoe, 'hers', 'c', '/@short')).body as Val;
  expect(await removeOwner(store.db, 'zoe', 'person', { withVals: false })).toBe('removed');
  expect(await ada.get(`/@short/v1/vals/${id}`)).toMatchObject({ versionAuthor: zoe.user });
  expect(await removeOwner(store.db, 'short', 'space', { withVals: true })).toBe('removed');
  expect(await ada.statusOf('GET', `/@short/v1/vals/${id}`)).toBe(404);
  expect(await ada.get('/v1/me/spaces')).toMatchObject({ data: [acme] });
});
