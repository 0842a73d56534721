import { beforeAll, expect, test } from 'vitest';
import {
  addPerson,
  ask,
  type Caller,
  createVal,
  get,
  type List,
  type Person,
  statusOf,
  type TemporaryService,
  temporaryService,
} from '../support.ts';

let service: TemporaryService;
let eve: Person;
beforeAll(async () => {
  service = await temporaryService();
  eve = await addPerson(service, 'eve');
});

async function found(query: string, as: Caller = service, limit = 100): Promise<string[]> {
  const names: string[] = [];
  let next: string | undefined = `/v1/search/vals?query=${encodeURIComponent(query)}&limit=${limit}`;
  for (let pages = 0; next !== undefined && pages < 100; pages++) {
    const { data, links }: List<{ name: string }> = await get(as, next);
    expect(data.length).toBeLessThanOrEqual(limit);
    names.push(...data.map(({ name }) => name));
    next = links.next;
  }
  return names;
}

test('a search finds names in any case and code as it is written, the latest vals first', async () => {
  await createVal(service, { name: 'getPrice', code: 'nothing' });
  await createVal(service, { name: 'other', code: 'const \0 price = "ä";' });
  expect(await found('price')).toEqual(['other', 'getPrice']);
  expect(await found('GETPRICE')).toEqual(['getPrice']);
  expect(await found('"ä"')).toEqual(['other']);
  expect(await found('\0 price')).toEqual(['other']);
  expect(await found('CONST')).toEqual([]);
  expect(await found('%')).toEqual([]);
});

test('a search reads only the current code', async () => {
  const { id } = await createVal(service, { name: 'changed', code: 'was_here' });
  await ask(service, 'POST', `/v1/vals/${id}/versions`, { body: { code: 'is_here' } });
  expect(await found('was_here')).toEqual([]);
  expect(await found('is_here')).toEqual(['changed']);
});

test("a search finds the caller's own vals and the public vals of others, newest first", async () => {
  for (const privacy of ['public', 'unlisted', 'private']) {
    await createVal(service, { name: `of_local_${privacy}`, code: 'shared_word', privacy });
    await createVal(eve, { name: `of_eve_${privacy}`, code: 'shared_word', privacy });
  }
  const all = [
    'eve_private',
    'local_private',
    'eve_unlisted',
    'local_unlisted',
    'eve_public',
    'local_public',
  ];
  const seenBy = (name: string) =>
    all.filter((val) => val.startsWith(name) || val.endsWith('public')).map((val) => `of_${val}`);
  expect(await found('shared_word')).toEqual(seenBy('local'));
  expect(await found('shared_word', eve)).toEqual(seenBy('eve'));
  const mine = await get<List>(service, '/v1/search/vals?query=shared_word&mine=true');
  expect(mine.data.map(({ name }) => name)).toEqual(
    ['private', 'unlisted', 'public'].map((privacy) => `of_local_${privacy}`),
  );
});

test('every page of a search is reached once, by links and by offset', async () => {
  await Promise.all(
    Array.from({ length: 130 }, (_, i) =>
      createVal(i % 2 ? service : eve, { name: `many${i}`, code: 'paged_word', privacy: 'public' }),
    ),
  );
  const all = await found('paged_word');
  expect(new Set(all).size).toBe(130);
  expect(await found('paged_word', service, 7)).toEqual(all);
  expect(await found('many', service, 64)).toEqual(all);
  const { data, links } = await get<List>(service, '/v1/search/vals?query=paged_word&limit=20&offset=120');
  expect(data.map(({ name }) => name)).toEqual(all.slice(120));
  expect(links.next).toBeUndefined();
});

test.each([
  '',
  'query=',
  `query=${'x'.repeat(201)}`,
  'query=a&limit=101',
  `query=a&after=${Buffer.from('["own","x"]').toString('base64url')}`,
])('a search with "%s" is answered with 400', async (query) => {
  expect(await statusOf(service, 'GET', `/v1/search/vals?${query}`)).toBe(400);
});
