import { describe, expect, test } from 'vitest';
import { type List, type TemporaryService, temporaryService, type Val } from '../support.ts';

const minute = (n: number) => `2024-05-01T00:${String(n).padStart(2, '0')}:00.000Z`;

async function readOn(service: TemporaryService, from: string, onPage = async (_page: number) => {}) {
  const pages: List[] = [];
  for (let next: string | undefined = service.baseUrl + from; next; next = pages.at(-1)?.links.next) {
    const page: List = await service.get(next);
    expect(page.links.self).toBe(next);
    pages.push(page);
    await onPage(pages.length);
  }
  return pages.flatMap(({ data }) => data);
}

describe('lists', async () => {
  const service = await temporaryService({
    runs: Array.from({ length: 45 }, (_, i) => ({
      id: `run${i}`,
      val: { name: i % 2 ? 'odd' : 'even', version: 1 },
      runStartAt: minute(i),
      runEndAt: minute(i),
      error: i % 5 === 0 ? 'boom' : null,
    })),
  });

  test('runs are read to their end by position, as by offset', async () => {
    const { data: all } = await service.get<List>('/v1/me/runs?limit=100');
    expect(new Set(all.map(({ id }) => id)).size).toBe(45);
    expect(await readOn(service, '/v1/me/runs?limit=7')).toEqual(all);
    expect(await readOn(service, '/v1/me/runs?limit=9&offset=2')).toEqual(all.slice(2));
  });

  test('nobody has likes or comments', async () => {
    for (const kind of ['likes', 'comments?relationship=any']) {
      expect(await service.get(`/v1/me/${kind}`)).toMatchObject({ data: [] });
    }
  });

  test('links keep the other parameters and lead through the whole list exactly once', async () => {
    const since = encodeURIComponent('2024-05-01T02:04:00+02:00');
    const runs = await readOn(service, `/v1/me/runs?since=${since}&error=false&limit=7`);
    const ids = runs.map(({ id }) => id);
    const expected = Array.from({ length: 45 }, (_, i) => i).filter((i) => i > 4 && i % 5 !== 0);
    expect(ids).toEqual(expected.reverse().map((i) => `run${i}`));
  });

  test.each([
    [`runs?since=${minute(40)}`, 4],
    [`runs?until=${minute(4)}`, 5],
    [`runs?since=${minute(10)}&until=${minute(20)}&error=true`, 2],
    ['runs?since=2024-05-01t01:13:59.999999999%2B00:30', 1],
    ['runs?unknown=ignored', 45],
  ])('%s finds %i records', async (list, count) => {
    const { data } = await service.get<List>(`/v1/me/${list}&limit=100`);
    expect(data).toHaveLength(count);
  });

  test('a page ends before 1 MiB, and the next page continues', async () => {
    const runs = Array.from({ length: 12 }, (_, i) => ({ id: `${i}`, error: 'x'.repeat(100_000) }));
    const large = await temporaryService({ runs });
    expect(await large.idsFrom('/v1/me/runs')).toHaveLength(10);
    expect((await readOn(large, '/v1/me/runs')).map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
  });

  test.each([
    ...['limit=0', 'limit=101', 'limit=1&limit=2', 'offset=10001'],
    ...['after=100', 'after=1_2_3', 'after=a_1'],
    ...['error=constructor', 'since=yesterday', 'until=2024-02-30'],
  ])('runs with %s are answered with 400', async (query) => {
    const [field] = query.split('=');
    const answer = await service.ask('GET', `/v1/me/runs?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });
});

describe('a position', () => {
  test('is refused on another list of other numbers, or twice, and an offset beside it is ignored', async () => {
    const service = await temporaryService({ runs: [{}, {}] });
    const { id } = await service.createVal({ name: 'one', code: 'c' });
    const { links } = await service.get<List>('/v1/me/runs?limit=1');
    const after = new URL(`${links.next}`).searchParams.get('after') ?? '';
    const status = (path: string) => service.statusOf('GET', path);
    expect(await status(`/v1/me/runs?after=${after}`)).toBe(200);
    expect(await service.idsFrom(`/v1/me/runs?after=${after}&offset=1`)).toHaveLength(1);
    for (const path of [`/v1/vals/${id}/versions?`, '/v1/search/vals?query=c&']) {
      expect(await status(`${path}after=${after}`), path).toBe(400);
    }
    expect(await status(`/v1/me/runs?after=${after}&after=${after}`)).toBe(400);
  });

  test('leads through versions, even if some appear or vanish', async () => {
    const service = await temporaryService();
    for (const code of ['1', '2', '3', '4', '5']) await service.putVal('one', code);
    const { id } = (await service.putVal('one', '5')).body as Val;
    const versions = await readOn(service, `/v1/vals/${id}/versions?limit=2`, async (page) => {
      if (page === 1) await service.ask('DELETE', `/v1/vals/${id}/versions/4`);
      if (page === 1) await service.putVal('one', '6');
    });
    expect(versions.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
  });

  // Official clients merge the query of the first page into that of each next page.
  test('leads through all vals once, newest first, even if all change, and some appear or vanish', async () => {
    const service = await temporaryService();
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await service.createVal({ name: `val${i}`, code: 'c' })).id);
    const me = await service.get('/v1/me');
    const first = new URL(`${service.baseUrl}/v1/users/${me.id}/vals?limit=2&offset=1`);
    const seen: unknown[] = [];
    for (let url: URL | undefined = first; url && seen.length < 50; ) {
      const page: List = await service.get(url.href);
      for (const val of page.data) {
        seen.push(val.id);
        const body = { code: `// ${val.id}`, name: `${val.name}x`, privacy: 'public' };
        expect(await service.statusOf('POST', `/v1/vals/${val.id}/versions`, { body })).toBe(201);
      }
      await service.ask('DELETE', `/v1/vals/${ids[1]}`);
      await service.putVal('new', 'c');
      const next: URL | undefined = page.links.next === undefined ? undefined : new URL(page.links.next);
      for (const [name, value] of first.searchParams) next?.searchParams.set(name, value);
      url = page.data.length > 0 ? next : undefined;
    }
    expect(seen).toEqual([4, 3, 2, 0].map((i) => ids[i]));
  });
});
