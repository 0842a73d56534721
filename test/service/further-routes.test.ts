// What the service has beside the API: changing a val without its code, people and vals by name, the type of a val.
import { beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/service/index.ts';
import { placeOf } from './place.ts';
import {
  ask,
  createVal,
  type List,
  speak,
  type TemporaryService,
  temporaryService,
  type Val,
} from './support.ts';

let service: TemporaryService;
/** Another person of the same service. */
let eve: { baseUrl: string; token: string };

const minute = (n: number) => `2024-05-01T00:0${n}:00.000Z`;

beforeAll(async () => {
  service = await temporaryService({
    references: [1, 2, 3].map((n) => ({ reference: { name: `r${n}` }, referencedAt: minute(n) })),
  });
  const store = await openStore(placeOf(service.at));
  const added = await store.users.add('eve');
  await store.close();
  eve = { baseUrl: service.baseUrl, token: `${added?.token}` };
});

const read = async (id: string) => (await ask(service, 'GET', `/v1/vals/${id}`)).body as Val;

describe('PUT /v1/vals/{id}', () => {
  test('changes what is given and keeps the code and its version', async () => {
    const { id } = await createVal(service, { name: 'before', code: 'c', readme: 'r', privacy: 'public' });
    const put = async (body: object) => {
      const answer = await ask(service, 'PUT', `/v1/vals/${id}`, { body });
      expect(answer).toMatchObject({ status: 204, text: '' });
      return read(id);
    };
    const kept = { id, code: 'c', version: 1 };
    expect(await put({ name: 'after' })).toMatchObject({
      ...kept,
      name: 'after',
      readme: 'r',
      privacy: 'public',
    });
    expect(await put({ privacy: 'unlisted' })).toMatchObject({ ...kept, name: 'after', public: false });
    expect(await put({ readme: null })).toMatchObject({ ...kept, readme: null, privacy: 'unlisted' });
    const whole = { name: 'all', readme: 'new', privacy: 'private' };
    expect(await put(whole)).toMatchObject({ ...kept, ...whole });
    const { updatedAt } = await read(id);
    expect(await put({})).toMatchObject({ ...kept, ...whole, updatedAt });
  });

  test('refuses what a new val would be refused for', async () => {
    await createVal(service, { name: 'taken', code: 'c' });
    const { id } = await createVal(service, { name: 'refused', code: 'c', privacy: 'public' });
    const put = (body: unknown, as: { baseUrl: string; token: string } = service, of = id) =>
      ask(as, 'PUT', `/v1/vals/${of}`, { body });
    for (const body of [{ name: 'a-b' }, { name: null }, { privacy: 'secret' }, { readme: 7 }, []]) {
      expect((await put(body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await put({ readme: 'r'.repeat(8_193) })).status).toBe(413);
    expect((await put({ name: 'taken' })).status).toBe(409);
    expect((await put({ name: 'mine' }, eve)).status).toBe(403);
    expect((await put({ name: 'mine' }, service, 'absent')).status).toBe(404);
    expect(await read(id)).toMatchObject({ name: 'refused', privacy: 'public' });
  });
});

describe('type', () => {
  test('is kept from creation on, and changes with a version', async () => {
    const created = await ask(service, 'POST', '/v1/vals', {
      body: { name: 'web', code: 'c', type: 'http' },
    });
    const { id } = created.body as Val;
    expect(created.body).toMatchObject({ type: 'http' });
    expect(await read(id)).toMatchObject({ type: 'http' });
    const version = (body: object) => ask(service, 'POST', `/v1/vals/${id}/versions`, { body });
    expect((await version({ code: 'd' })).body).toMatchObject({ type: 'http', version: 2 });
    expect((await version({ code: 'e', type: 'email' })).body).toMatchObject({ type: 'email', version: 3 });
    expect((await ask(service, 'PUT', '/v1/vals', { body: { name: 'web', code: 'f' } })).body).toMatchObject({
      ...{ type: 'email', version: 4 },
    });
    const put = { name: 'web2', code: 'c', type: 'cron' };
    expect(await ask(service, 'PUT', '/v1/vals', { body: put })).toMatchObject({ status: 201, body: put });
    for (const type of [7, '', 'Two words', 'x'.repeat(33)]) {
      expect((await version({ code: 'g', type })).status).toBe(400);
    }
    const { id: userId } = (await ask(service, 'GET', '/v1/me')).body as { id: string };
    const { data } = (await ask(service, 'GET', `/v1/users/${userId}/vals`)).body as List;
    expect(data.find(({ name }) => name === 'web')?.type).toBe('email');
  });
});

describe('people and vals by name', () => {
  test('a person is found by id and by name', async () => {
    const me = (await ask(service, 'GET', '/v1/me')).body as { id: string; username: string };
    for (const path of [`/v1/users/${me.id}`, `/v1/alias/${me.username}`]) {
      const { body } = await ask(eve, 'GET', path);
      expect(body).toMatchObject({ id: me.id, username: 'local', email: '' });
      const { self } = (body as { links: { self: string } }).links;
      expect((await ask(eve, 'GET', self)).body).toEqual(body);
    }
    for (const path of ['/v1/users/absent', '/v1/alias/absent', '/v1/alias/a%00b', '/v1/alias/a/b']) {
      expect((await ask(service, 'GET', path)).status, path).toBe(404);
    }
    expect((await ask(service, 'GET', '/v1/alias/local', { token: null })).status).toBe(401);
  });

  test('a val is found by its name: by others if it is public', async () => {
    const statuses: number[] = [];
    for (const privacy of ['public', 'unlisted', 'private']) {
      const { id } = await createVal(service, { name: `by_${privacy}`, code: 'c', privacy });
      const path = `/v1/alias/local/by_${privacy}`;
      expect((await ask(service, 'GET', path)).body).toEqual(await read(id));
      statuses.push((await ask(eve, 'GET', path)).status);
    }
    expect(statuses).toEqual([200, 404, 404]);
    expect((await ask(service, 'GET', '/v1/alias/local/a%00b')).status).toBe(404);
  });
});

test('references are those after since, up to until', async () => {
  const names = async (query: string) => {
    const { body } = await ask(service, 'GET', `/v1/me/references?${query}`);
    return (body as List<{ reference: { name: string } }>).data.map(({ reference }) => reference.name);
  };
  expect(await names('')).toEqual(['r3', 'r2', 'r1']);
  expect(await names(`since=${minute(1)}`)).toEqual(['r3', 'r2']);
  expect(await names(`until=${minute(2)}`)).toEqual(['r2', 'r1']);
  expect(await names(`since=${minute(1)}&until=${minute(2)}`)).toEqual(['r2']);
  expect((await ask(service, 'GET', '/v1/me/references?since=soon')).status).toBe(400);
});

test('clients are told which errors repeating cannot cure', async () => {
  await createVal(service, { name: 'there', code: 'c' });
  const conflict = await ask(service, 'POST', '/v1/vals', { body: { name: 'there', code: 'c' } });
  expect(conflict).toMatchObject({ status: 409, headers: { 'x-should-retry': 'false' } });
  const malformed = await speak(service.port, 'GET /v1/me HTTP/1.1\r\nBad header\r\n\r\n');
  expect(malformed).toMatch(/^HTTP\/1.1 400 .*x-should-retry: false/s);
  const limited = await temporaryService(undefined, undefined, { limits: { perSecond: 1, inFlight: 1 } });
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(limited, 'GET', '/v1/me')));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused).toBeDefined();
  expect(refused?.headers).not.toHaveProperty('x-should-retry');
});

test.each(['1.0', '1.1'])('health is told without a Host in HTTP/%s; nothing else is', async (version) => {
  const without = (path: string) =>
    speak(service.port, `GET ${path} HTTP/${version}\r\nConnection: close\r\n\r\n`);
  expect(await without('/healthz')).toMatch(/^HTTP\/1.1 200 .*"status":"ok"/s);
  expect(await without('/v1/me')).toMatch(/^HTTP\/1.1 400 /);
});
