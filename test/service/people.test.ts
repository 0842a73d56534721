// Several people on one service: what each of them sees, and what they may change.
import { beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/service/index.ts';
import { placeOf } from './place.ts';
import { ask, createVal, type List, type TemporaryService, temporaryService, type Val } from './support.ts';

interface Person {
  baseUrl: string;
  id: string;
  token: string;
}

let service: TemporaryService;
let ada: Person;
let bob: Person;
let carol: Person;

async function onStore<Result>(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>) {
  const store = await openStore(placeOf(service.at));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function add(username: string): Promise<Person> {
  const added = await onStore(({ users }) => users.add(username));
  if (!added) throw new Error(`${username} is taken`);
  return { baseUrl: service.baseUrl, id: added.user.id, token: added.token };
}

beforeAll(async () => {
  service = await temporaryService();
  ada = await add('ada');
  bob = await add('bob');
  carol = await add('carol');
});

const run = { version: 1, runStartAt: '2024-05-01T00:00:00Z', runEndAt: '2024-05-01T00:00:01Z', error: null };
const reads = [
  ['GET', '', undefined],
  ['GET', '/module', undefined],
] as const;
const readsOfPeople = [
  ['GET', '/versions', undefined],
  ['GET', '/versions/1', undefined],
] as const;
const owners = [
  ['GET', '/runs', undefined],
  ['POST', '/runs', run],
  ['POST', '/versions', { code: 'changed' }],
  ['POST', '/versions', { code: 'c', privacy: 'public', readme: 'r' }],
  ['DELETE', '/versions/1', undefined],
  ['DELETE', '', undefined],
] as const;

let count = 0;
const newVal = async (privacy: string) => {
  const val = await createVal(ada, { name: `v${++count}`, code: 'first', privacy });
  await ask(ada, 'POST', `/v1/vals/${val.id}/versions`, { body: { code: 'second' } });
  return val.id;
};

describe.each(['private', 'unlisted', 'public'])('a %s val', (privacy) => {
  const isPrivate = privacy === 'private';
  const table = [
    ...reads.map(([method, path, body]) => ({
      method,
      path,
      body,
      other: isPrivate ? 404 : 200,
      stranger: isPrivate ? 404 : 200,
    })),
    ...readsOfPeople.map(([method, path, body]) => ({
      method,
      path,
      body,
      other: isPrivate ? 404 : 200,
      stranger: 401,
    })),
    ...owners.map(([method, path, body]) => ({
      method,
      path,
      body,
      other: isPrivate ? 404 : 403,
      stranger: 401,
    })),
  ];
  test.each(table)(
    '$method $path: another $other, a stranger $stranger, its owner 2xx',
    async ({ method, path, body, other, stranger }) => {
      const id = await newVal(privacy);
      const before = await ask(ada, 'GET', `/v1/vals/${id}`);
      const send = (as: Person | undefined) => raw(method, `/v1/vals/${id}${path}`, body, as?.token);
      expect((await send(bob)).status).toBe(other);
      expect((await send(carol)).status).toBe(other);
      expect((await send(undefined)).status).toBe(stranger);
      expect((await ask(ada, 'GET', `/v1/vals/${id}`)).body).toEqual(before.body);
      expect((await ask(ada, 'GET', `/v1/vals/${id}/runs`)).body).toMatchObject({ data: [] });
      expect([200, 201, 204]).toContain((await send(ada)).status);
    },
  );
});

/** A module is no JSON. */
async function raw(method: string, path: string, body: object | undefined, token: string | undefined) {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

test('a val that another may not see says nothing of itself', async () => {
  const id = await newVal('private');
  const absent = await raw('GET', '/v1/vals/00000000-0000-4000-8000-000000000000', undefined, bob.token);
  const hidden = await raw('GET', `/v1/vals/${id}`, undefined, bob.token);
  expect(hidden.text.replaceAll(id, 'ID')).toBe(absent.text.replace(/0{8}-[0-9-]+/g, 'ID'));
});

test('each person is who their token says', async () => {
  for (const [person, username] of [
    [ada, 'ada'],
    [bob, 'bob'],
    [service, 'local'],
  ] as const) {
    expect((await ask(person, 'GET', '/v1/me')).body).toMatchObject({ username });
  }
  expect((await ask(service, 'GET', '/v1/me', { token: `${ada.token}x` })).status).toBe(401);
});

test("a name is unique per person, and a push by name finds the caller's own", async () => {
  const push = async (who: Person, code: string) => {
    const { status, body } = await ask(who, 'PUT', '/v1/vals', { body: { name: 'shared', code } });
    return { status, ...(body as Val & { author: { username: string } }) };
  };
  const [first, second] = [await push(ada, 'a'), await push(bob, 'b')];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(first.id).not.toBe(second.id);
  expect(second.author.username).toBe('bob');
  expect((await push(ada, 'a2')).id).toBe(first.id);
  expect((await ask(bob, 'POST', '/v1/vals', { body: { name: 'shared', code: 'c' } })).status).toBe(409);
  const { id } = await createVal(bob, { name: 'other', code: 'c' });
  const rename = { body: { code: 'c', name: 'shared' } };
  expect((await ask(bob, 'POST', `/v1/vals/${id}/versions`, rename)).status).toBe(409);
  expect((await ask(bob, 'GET', `/v1/vals/${id}`)).body).toMatchObject({ name: 'other', version: 1 });
});

test("of another's vals the list has the public ones", async () => {
  const dora = await add('dora');
  for (const privacy of ['private', 'unlisted', 'public', 'public']) {
    await createVal(dora, { name: `${privacy}_${++count}`, code: 'c', privacy });
  }
  const list = async (who: Person, query = '') => {
    const { status, body } = await ask(who, 'GET', `/v1/users/${dora.id}/vals${query}`);
    expect(status).toBe(200);
    return body as List<{ name: string; privacy: string }>;
  };
  expect((await list(dora)).data).toHaveLength(4);
  expect((await list(bob)).data.map(({ privacy }) => privacy)).toEqual(['public', 'public']);
  expect((await list(bob, '?limit=1')).links.next).toBeDefined();
  expect((await list(bob, '?limit=1&offset=1')).links.next).toBeUndefined();
  for (const id of ['absent', '%00', 'x'.repeat(100)]) {
    expect((await ask(bob, 'GET', `/v1/users/${id}/vals`)).status).toBe(404);
  }
});

test('runs are for the owner of the val alone', async () => {
  const { id } = await createVal(ada, { name: `v${++count}`, code: 'c', privacy: 'public' });
  await ask(ada, 'POST', `/v1/vals/${id}/runs`, { body: run });
  const ids = async (who: Person) =>
    ((await ask(who, 'GET', '/v1/me/runs')).body as List<{ val: { id: string } }>).data.map(
      ({ val }) => val.id,
    );
  expect(await ids(ada)).toContain(id);
  expect(await ids(bob)).not.toContain(id);
});

test('a new token ends the old one, and whoever is removed is a stranger, with all that was theirs', async () => {
  const eve = await add('eve');
  const { id } = await createVal(eve, { name: 'mine', code: 'c', privacy: 'public' });
  const renewed = await onStore(({ users }) => users.renewToken('eve'));
  expect((await ask(eve, 'GET', '/v1/me')).status).toBe(401);
  const again = { baseUrl: service.baseUrl, token: renewed?.token ?? '' };
  expect((await ask(again, 'GET', '/v1/me')).body).toMatchObject({ id: eve.id });
  await ask(again, 'POST', `/v1/vals/${id}/runs`, { body: run });
  expect(await onStore(({ users }) => users.remove('eve', false))).toBe('has vals');
  expect(await onStore(({ users }) => users.remove('eve', true))).toBe('removed');
  expect((await ask(again, 'GET', '/v1/me')).status).toBe(401);
  expect((await ask(bob, 'GET', `/v1/vals/${id}`)).status).toBe(404);
  expect((await ask(bob, 'GET', `/v1/users/${eve.id}/vals`)).status).toBe(404);
});

test('ids of any form are absent, and no failure', async () => {
  for (const id of ['%00', 'a%00b', '%F0%9F%92%A9', "'%20OR%201=1", 'x'.repeat(500)]) {
    expect((await ask(ada, 'GET', `/v1/vals/${id}`)).status).toBe(404);
    expect((await ask(ada, 'DELETE', `/v1/vals/${id}`)).status).toBe(404);
  }
  const id = await newVal('private');
  for (const version of ['2147483648', '99999999999999999999', '3']) {
    expect((await ask(ada, 'GET', `/v1/vals/${id}/versions/${version}`)).status).toBe(404);
    expect((await ask(ada, 'DELETE', `/v1/vals/${id}/versions/${version}`)).status).toBe(404);
  }
});

test('text comes back as it was sent, whatever is in it', async () => {
  const code = 'a\u0000b\u2028\ud83d\ude00\r\n\t"\\';
  const { id } = await createVal(ada, { name: `v${++count}`, code, readme: code });
  expect((await ask(ada, 'GET', `/v1/vals/${id}`)).body).toMatchObject({ code, readme: code });
  const body = { ...run, error: code };
  expect((await ask(ada, 'POST', `/v1/vals/${id}/runs`, { body })).status).toBe(201);
  expect((await ask(ada, 'GET', `/v1/vals/${id}/runs`)).body).toMatchObject({ data: [{ error: code }] });
});
