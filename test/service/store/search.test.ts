import { expect, test } from 'vitest';
import { raw, sql } from '../../../src/service/database/sql.ts';
import { type Client, type List, storeOf, temporaryService } from '../support.ts';

const service = await temporaryService();
const eve = await service.addPerson('eve');

async function found(query: string, as: Client = service, limit = 100): Promise<string[]> {
  const names: string[] = [];
  let next: string | undefined = `/v1/search/vals?query=${encodeURIComponent(query)}&limit=${limit}`;
  for (let pages = 0; next !== undefined && pages < 100; pages++) {
    const { data, links }: List<{ name: string }> = await as.get(next);
    expect(data.length).toBeLessThanOrEqual(limit);
    names.push(...data.map(({ name }) => name));
    next = links.next;
  }
  return names;
}

test('a search finds names in any case and the current code as it is written, the latest vals first', async () => {
  await service.createVal({ name: 'getPrice', code: 'nothing' });
  const { id } = await service.createVal({ name: 'other', code: 'was_here' });
  await service.ask('POST', `/v1/vals/${id}/versions`, { body: { code: 'const \0 price = "ä";' } });
  expect(await found('price')).toEqual(['other', 'getPrice']);
  expect(await found('GETPRICE')).toEqual(['getPrice']);
  expect(await found('"ä"')).toEqual(['other']);
  expect(await found('\0 price')).toEqual(['other']);
  for (const none of ['CONST', '%', 'was_here']) expect(await found(none)).toEqual([]);
});

test("a search finds the caller's own vals and the public vals of others, newest first", async () => {
  for (const privacy of ['public', 'unlisted', 'private']) {
    await service.createVal({ name: `mine_${privacy}`, code: 'shared_word', privacy });
    await eve.createVal({ name: `eve_${privacy}`, code: 'shared_word', privacy });
  }
  expect(await found('shared_word')).toEqual(['mine_private', 'mine_unlisted', 'eve_public', 'mine_public']);
  expect(await found('shared_word', eve)).toEqual([
    'eve_private',
    'eve_unlisted',
    'eve_public',
    'mine_public',
  ]);
});

test('a search goes on through many vals that it does not find', async () => {
  const many = await temporaryService();
  const { id: owner } = await many.get('/v1/me');
  const series = sql`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 650)`;
  await (await storeOf(many)).db.transaction(async ({ query }) => {
    await query(sql`
      INSERT INTO vals (id, owner_id, name, privacy, type, created_at, updated_at)
        ${series} SELECT 'val' || n, '${raw(owner)}', CASE n % 100 WHEN 7 THEN 'found' ELSE 'v' END || n, 'private',
          'script', '2026', '2026' FROM s`);
    await query(sql`
      INSERT INTO versions (val_id, version, author_id, author_name, code, code_hash, created_at)
        ${series} SELECT 'val' || n, 1, '', '', ${Buffer.from('c')}, '', '2026' FROM s`);
  });
  const all = [607, 507, 407, 307, 207, 107, 7].map((n) => `found${n}`);
  expect(await found('found', many)).toEqual(all);
  expect(await found('found', many, 2)).toEqual(all);
  const { data } = await many.get<List>('/v1/search/vals?query=found&limit=3&offset=2');
  expect(data.map(({ name }) => name)).toEqual(all.slice(2, 5));
});

test.each(['', 'query=', `query=${'x'.repeat(201)}`])(
  'a search with "%s" is answered with 400',
  async (query) => {
    expect(await service.statusOf('GET', `/v1/search/vals?${query}`)).toBe(400);
  },
);
