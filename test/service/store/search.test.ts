import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/service/database/open.ts';
import { searchVals } from '../../../src/service/store/search.ts';
import { placeOf } from '../../support/embedded-service.ts';
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

test("a search finds the caller's own vals first, then the public vals of others", async () => {
  for (const privacy of ['public', 'unlisted', 'private']) {
    await createVal(service, { name: `of_local_${privacy}`, code: 'shared_word', privacy });
    await createVal(eve, { name: `of_eve_${privacy}`, code: 'shared_word', privacy });
  }
  const own = (name: string) => ['private', 'unlisted', 'public'].map((privacy) => `of_${name}_${privacy}`);
  expect(await found('shared_word')).toEqual([...own('local'), 'of_eve_public']);
  expect(await found('shared_word', eve)).toEqual([...own('eve'), 'of_local_public']);
  const mine = await get<List>(service, '/v1/search/vals?query=shared_word&mine=true');
  expect(mine.data.map(({ name }) => name)).toEqual(own('local'));
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

test('a person may run two searches at a time, and further searches are answered with 429', async () => {
  await Promise.all(
    Array.from({ length: 60 }, (_, i) => createVal(service, { name: `long${i}`, code: 'c'.repeat(100_000) })),
  );
  const path = '/v1/search/vals?query=in_no_val';
  const statuses = new Set<number>();
  // On a busy machine the searches may arrive one after another, so the test tries up to 20 rounds.
  for (let round = 0; round < 20 && !statuses.has(429); round++) {
    const [other, ...own] = await Promise.all(
      [eve, ...Array<Caller>(12).fill(service)].map((caller) => statusOf(caller, 'GET', path)),
    );
    expect(other).toBe(200);
    for (const status of own) statuses.add(status);
  }
  expect(statuses).toEqual(new Set([200, 429]));
});

test('a search reads at most a megabyte of code at a time, or one val', async () => {
  const { user, ...owner } = await addPerson(service, 'owner');
  for (let i = 0; i < 8; i++) await createVal(owner, { name: `large${i}`, code: '€'.repeat(130_000) });
  const database = await openDatabase(placeOf(service.at));
  onTestFinished(database.close);
  const readBytes: number[] = [];
  const all = async <Row>(...statement: Parameters<typeof database.all>) => {
    const rows = await database.all<Row & { bytes?: number; hasText?: number }>(...statement);
    const compared = rows.filter(({ hasText }) => hasText !== undefined);
    readBytes.push(compared.reduce((sum, { bytes = 0 }) => sum + bytes, 0));
    return rows;
  };
  let turns = 0;
  const range = { limit: 20, offset: 0, onlyOwn: true };
  const { vals } = await searchVals({ ...database, all }, user, 'large', range, async () => void turns++);
  expect(vals).toHaveLength(8);
  expect(turns).toBe(3);
  expect(Math.max(...readBytes)).toBeLessThan(1024 * 1024);
  expect(readBytes.reduce((sum, bytes) => sum + bytes)).toBe(8 * 390_000);
});
