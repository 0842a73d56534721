import { expect, test } from 'vitest';
import { type List, type Person, temporaryService, type Val } from '../support.ts';

const service = await temporaryService();
const ada = await service.addPerson('ada');
const bob = await service.addPerson('bob');

const run = { version: 1, runStartAt: '2024-05-01T00:00:00Z', runEndAt: '2024-05-01T00:00:01Z', error: null };

let count = 0;
const newVal = async (privacy: string) => {
  const { id } = await ada.createVal({ name: `v${++count}`, code: 'first', privacy });
  await ada.ask('POST', `/v1/vals/${id}/versions`, { body: { code: 'second' } });
  return id;
};

test.each(['private', 'unlisted', 'public'])(
  'other people read no more of a %s val than they may, and change nothing',
  async (privacy) => {
    const [read, write] = privacy === 'private' ? [404, 404] : [200, 403];
    const id = await newVal(privacy);
    const before = await ada.get(`/v1/vals/${id}`);
    for (const [method, path, forAnother, forStranger, body] of [
      ['GET', '', read, read],
      ['HEAD', '', read, read],
      ['GET', '/module', read, read],
      ['GET', '/versions', read, read],
      ['GET', '/versions/1', read, read],
      ['GET', '/runs', write, 401],
      ['POST', '/runs', write, 401, run],
      ['POST', '/versions', write, 401, { code: 'c', privacy: 'public', readme: 'r' }],
      ['PUT', '', write, 401, { privacy: 'public' }],
      ['DELETE', '/versions/1', write, 401],
      ['DELETE', '', write, 401],
    ] as const) {
      const send = (token: string | null) =>
        service.statusOf(method, `/v1/vals/${id}${path}`, { body, token });
      expect(await send(bob.token), `${method} ${path}`).toBe(forAnother);
      expect(await send(null), `${method} ${path}`).toBe(forStranger);
    }
    expect(await ada.get(`/v1/vals/${id}`)).toEqual(before);
    expect(await ada.get(`/v1/vals/${id}/runs`)).toMatchObject({ data: [] });
  },
);

test('a person is known by their token, and found by id and by name', async () => {
  const me = await ada.get<object>('/v1/me');
  const self = `${service.baseUrl}/v1/me`;
  const texts = { bio: null, email: '', profileImageUrl: null, tier: null, url: `${service.baseUrl}/` };
  const token = { name: 'first', access: 'full', space: null, expiresAt: null };
  expect(me).toEqual({ ...ada.user, ...texts, links: { self }, token });
  for (const path of [`/v1/users/${ada.user.id}`, '/v1/alias/ada']) {
    const found = await bob.get<{ links: { self: string } }>(path);
    expect(found).toMatchObject({ ...ada.user, email: '', url: found.links.self });
    expect(await bob.get(found.links.self)).toEqual(found);
  }
  expect(await service.statusOf('GET', '/v1/me', { token: `${ada.token}x` })).toBe(401);
  for (const path of ['/v1/users/absent', '/v1/alias/absent', '/v1/alias/a%00b', '/v1/alias/ada/a%00b']) {
    expect(await service.statusOf('GET', path), path).toBe(404);
  }
});

test("a name is unique per person, and a push by name finds the caller's own val", async () => {
  const [first, second] = [await ada.putVal('shared', 'a'), await bob.putVal('shared', 'b')];
  expect([first, second]).toMatchObject([
    { status: 201, body: { author: ada.user } },
    { status: 201, body: { author: bob.user } },
  ]);
  const { id } = first.body as Val;
  expect(await ada.putVal('shared', 'a2')).toMatchObject({ status: 200, body: { id, version: 2 } });
});

test("the list of another person's vals has the public ones", async () => {
  const dora = await service.addPerson('dora');
  for (const privacy of ['private', 'public', 'unlisted']) {
    await dora.createVal({ name: `${privacy}_${++count}`, code: 'c', privacy });
  }
  const list = (who: Person) =>
    who.get<List<{ privacy: string }>>(`/v1/users/${dora.user.id}/vals?limit=1&offset=1`);
  expect((await list(dora)).data).toHaveLength(1);
  expect(await list(bob)).toMatchObject({
    data: [],
    links: expect.not.objectContaining({ next: expect.anything() }),
  });
  expect(await bob.statusOf('GET', '/v1/users/absent/vals')).toBe(404);
});
