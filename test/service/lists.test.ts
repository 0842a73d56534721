// Seeds, and the lists that are read from them.
import { beforeAll, describe, expect, test } from 'vitest';
import { LocalError } from '../../src/errors.ts';
import { parseSeed } from '../../src/service/index.ts';
import { ask, createVal, type List, newPlace, temporaryService } from './support.ts';

type Service = Awaited<ReturnType<typeof temporaryService>>;

async function listFrom(service: Service, path: string): Promise<List> {
  const answer = await ask(service, 'GET', path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as List;
}

const idsFrom = async (service: Service, path: string) =>
  (await listFrom(service, path)).data.map(({ id }) => id);

const minute = (n: number) => `2024-05-01T00:${String(n).padStart(2, '0')}:00.000Z`;

/** All records from this page on, by the links to the next one. */
async function readOn(service: Service, from: string, onPage = async (_page: number) => {}) {
  const records: Record<string, unknown>[] = [];
  for (let path: string | undefined = from, page = 1; path; page++) {
    const { data, links }: List = await listFrom(service, path);
    records.push(...data);
    await onPage(page);
    path = links.next?.replace(service.baseUrl, '');
  }
  return records;
}

describe('lists', () => {
  let service: Service;
  beforeAll(async () => {
    service = await temporaryService({
      // Seeded oldest first, 45 of them, every fifth failed.
      runs: Array.from({ length: 45 }, (_, i) => ({
        id: `run${i}`,
        val: { id: i % 2 ? 'odd' : 'even', name: 'v' },
        runStartAt: minute(i),
        runEndAt: minute(i),
        error: i % 5 === 0 ? (i === 0 ? { message: 'boom' } : 'boom') : null,
      })),
      likes: Array.from({ length: 25 }, (_, i) => ({ id: `like${i}`, name: `n${i}` })),
      comments: [
        { id: 'c1', createdAt: '2024-01-01T00:00:00Z', author: { username: 'local' } },
        { id: 'c2', createdAt: '2024-01-03T00:00:00Z', author: { username: 'other' } },
        { id: 'c3', createdAt: '2024-01-02T00:00:00Z', author: { username: 'other' }, relationship: 'given' },
        { id: 'c4', createdAt: '2024-01-04T00:00:00Z' },
      ],
      references: Array.from({ length: 120 }, (_, i) => ({ reference: { name: `r${i}` }, dependsOn: {} })),
    });
  });

  test.each([
    ['/v1/me/runs', 20, 'run44', undefined, 'limit=20'],
    ['/v1/me/runs?limit=45', 45, 'run44', undefined, undefined],
    ['/v1/me/runs?limit=44', 44, 'run44', undefined, 'limit=44'],
    ['/v1/me/runs?limit=100&offset=0', 45, 'run44', undefined, undefined],
    ['/v1/me/runs?offset=20', 20, 'run24', 'offset=0&limit=20', 'limit=20'],
    ['/v1/me/runs?offset=5', 20, 'run39', 'offset=0&limit=20', 'limit=20'],
    ['/v1/me/runs?offset=40&limit=10', 5, 'run4', 'offset=30&limit=10', undefined],
    ['/v1/me/runs?offset=1000', 0, undefined, 'offset=980&limit=20', undefined],
    [
      '/v1/me/runs?offset=9007199254740991&limit=1',
      0,
      undefined,
      'offset=9007199254740990&limit=1',
      undefined,
    ],
    ['/v1/me/runs?error=true&limit=2', 2, 'run40', undefined, 'error=true&limit=2'],
    ['/v1/me/likes?limit=3', 3, 'like0', undefined, 'limit=3'],
    ['/v1/me/likes?limit=3&offset=24', 1, 'like24', 'limit=3&offset=21', undefined],
    ['/v1/me/comments?relationship=any&limit=1', 1, 'c4', undefined, 'relationship=any&limit=1'],
  ])('GET %s', async (path, length, first, prev, next) => {
    const { data, links } = await listFrom(service, path);
    expect(data).toHaveLength(length);
    expect(data[0]?.id).toBe(first);
    const page = (query?: string) => query && `${service.baseUrl}${path.split('?')[0]}?${query}`;
    const { next: given, ...others } = links;
    expect(others).toEqual({ self: `${service.baseUrl}${path}`, ...(prev && { prev: page(prev) }) });
    expect(given?.replace(/&after=[\w-]+$/, '')).toBe(page(next));
  });

  test.each([
    ['/v1/me/runs', 45],
    ['/v1/me/likes', 25],
    ['/v1/me/comments', 4],
    ['/v1/me/references', 120],
  ])('%s is read to its end by position, in the order of its offsets', async (path, count) => {
    const all: unknown[] = [];
    for (let offset = 0; offset < count; offset += 100) {
      all.push(...(await listFrom(service, `${path}?limit=100&offset=${offset}`)).data);
    }
    expect(all).toHaveLength(count);
    for (const query of ['limit=7', 'limit=3&offset=2']) {
      expect(await readOn(service, `${path}?${query}`)).toEqual(all.slice(query.includes('offset') ? 2 : 0));
    }
  });

  test('links keep the other parameters and lead through the whole list, once', async () => {
    const since = encodeURIComponent('2024-05-01T02:04:00+02:00');
    const runs = await readOn(service, `/v1/me/runs?since=${since}&error=false&limit=7`);
    const ids = runs.map(({ id }) => id);
    const expected = Array.from({ length: 45 }, (_, i) => i).filter((i) => i > 4 && i % 5 !== 0);
    expect(ids).toEqual(expected.reverse().map((i) => `run${i}`));
  });

  test('links are on the address that was asked', async () => {
    const headers = { Host: `localhost:${service.port}` };
    const answer = await ask(service, 'GET', '/v1/me/likes?limit=1', { headers });
    const { next } = (answer.body as List).links;
    expect(next).toContain(`http://localhost:${service.port}/v1/me/likes?limit=1&after=`);
  });

  test.each([
    ['error=true', 9],
    ['error=false', 36],
    [`since=${minute(40)}`, 4],
    [`until=${minute(4)}`, 5],
    [`since=${minute(10)}&until=${minute(20)}`, 10],
    [`since=${minute(10)}&until=${minute(20)}&error=true`, 2],
    ['since=2024-05-01', 44],
    ['until=2024-05-01', 1],
    ['since=2024-05-01T00:43', 1],
    ['since=2024-05-01T00:43:59.999999999Z', 1],
    ['since=2024-05-01T00:44:00.000000001Z', 0],
    ['since=2024-05-01T01:13:00%2B00:30', 1],
    ['since=2024-05-01T00:43:00', 1],
    ['unknown=ignored', 45],
  ])('runs with %s: %i', async (query, count) => {
    expect(await idsFrom(service, `/v1/me/runs?limit=100&${query}`)).toHaveLength(count);
  });

  test.each([
    ['', ['c4', 'c2', 'c3', 'c1']],
    ['relationship=any', ['c4', 'c2', 'c3', 'c1']],
    ['relationship=given', ['c3', 'c1']],
    ['relationship=received', ['c4', 'c2']],
    ['since=2024-01-01T00:00:00Z&until=2024-01-03T00:00:00Z', ['c2', 'c3']],
  ])('comments with "%s"', async (query, ids) => {
    expect(await idsFrom(service, `/v1/me/comments?${query}`)).toEqual(ids);
  });

  test('references come in the order of the seed', async () => {
    const { data } = await listFrom(service, '/v1/me/references?limit=100&offset=20');
    expect(data.map(({ reference }) => reference)).toMatchObject(
      Array.from({ length: 100 }, (_, i) => ({ name: `r${i + 20}` })),
    );
    expect(data[0]).toHaveProperty('referencedAt');
  });

  test.each(
    [
      ...['/v1/me/runs', '/v1/me/likes', '/v1/me/comments', '/v1/me/references', '/v1/vals/ID/runs'],
      '/v1/vals/ID/versions',
    ].flatMap((path) =>
      [
        'limit=0',
        'limit=101',
        'limit=-1',
        'limit=abc',
        'limit=1.5',
        'limit=',
        'limit=1e1',
        'limit=%2B1',
        'limit=1&limit=2',
        'offset=-1',
        'offset=x',
        'offset=',
        'offset=1&offset=1',
        'offset=99999999999999999999',
        'after=',
        'after=100',
        // Positions of the right form that nobody was given.
        ...['[]', '["2024",1]', '["2024",true]', '[1,2]', '["a\\u0000",1]', '{}'].map(
          (json) => `after=AAAAAAAA${Buffer.from(json).toString('base64url')}`,
        ),
      ].map((query) => [path, query] as const),
    ),
  )('%s?%s: 400', async (path, query) => {
    const { body } = await ask(service, 'PUT', '/v1/vals', { body: { name: 'v', code: 'c' } });
    const answer = await ask(service, 'GET', `${path.replace('ID', (body as { id: string }).id)}?${query}`);
    const field = query.split('=')[0];
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  test.each([
    '/v1/me/runs?error=yes',
    '/v1/me/runs?error=',
    '/v1/me/runs?error=true&error=false',
    '/v1/me/runs?error=constructor',
    '/v1/me/runs?since=yesterday',
    '/v1/me/runs?since=',
    '/v1/me/runs?since=1714521600000',
    '/v1/me/runs?until=2024-13-01',
    '/v1/me/runs?until=2024-02-30',
    '/v1/me/runs?until=2024-05-01T25:00:00Z',
    '/v1/me/runs?since=2024-05-01T00:00:00+02:00',
    '/v1/me/comments?relationship=all',
    '/v1/me/comments?relationship=',
    '/v1/me/comments?until=never',
  ])('%s: 400', async (path) => {
    expect((await ask(service, 'GET', path)).status).toBe(400);
  });
});

describe('a position', () => {
  test('is refused on another list, changed, cut, or together with an offset', async () => {
    const service = await temporaryService({ runs: [{}, {}], likes: [{}, {}] });
    const { id } = await createVal(service, { name: 'one', code: 'c' });
    const { links } = await listFrom(service, '/v1/me/runs?limit=1');
    const after = new URL(`${links.next}`).searchParams.get('after') ?? '';
    const status = async (path: string) => (await ask(service, 'GET', path)).status;
    expect(await status(`/v1/me/runs?after=${after}`)).toBe(200);
    for (const path of [`/v1/vals/${id}/versions`, '/v1/search/vals']) {
      expect(await status(`${path}?after=${after}`), path).not.toBe(200);
    }
    for (let at = 0; at < after.length; at++) {
      const other = after[at] === 'A' ? 'B' : 'A';
      const edited = `${after.slice(0, at)}${other}${after.slice(at + 1)}`;
      expect(await status(`/v1/me/runs?after=${edited}`), edited).toBe(400);
      expect(await status(`/v1/me/runs?after=${after.slice(0, at)}`), `${at}`).toBe(400);
    }
    expect(await status(`/v1/me/runs?after=${after}&after=${after}`)).toBe(400);
    expect(await status(`/v1/me/runs?after=${after}&offset=1`)).toBe(400);
  });

  test('leads through versions', async () => {
    const service = await temporaryService();
    const { id } = await createVal(service, { name: 'one', code: 'c1' });
    for (const code of ['c2', 'c3', 'c4', 'c5']) {
      await ask(service, 'POST', `/v1/vals/${id}/versions`, { body: { code } });
    }
    const versions = await readOn(service, `/v1/vals/${id}/versions?limit=2`, async (page) => {
      if (page === 1) await ask(service, 'DELETE', `/v1/vals/${id}/versions/4`);
      if (page === 1) await ask(service, 'POST', `/v1/vals/${id}/versions`, { body: { code: 'c6' } });
    });
    expect(versions.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
  });

  test('leads through vals, also those that change, arrive or vanish meanwhile', async () => {
    const service = await temporaryService();
    const ids: string[] = [];
    for (let i = 0; i < 25; i++) {
      ids.push((await createVal(service, { name: `val${i}`, code: 'c' })).id);
      // Each has a moment of its own.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const { body } = await ask(service, 'GET', '/v1/me');
    const path = `/v1/users/${(body as { id: string }).id}/vals?limit=4`;
    const unmoved = (await readOn(service, path)).map(({ name }) => name);
    expect(unmoved).toEqual(ids.map((_, i) => `val${24 - i}`));

    const names = await readOn(service, path, async (page) => {
      if (page !== 2) return;
      // The oldest one, one that was given, and the last of the page before.
      for (const name of ['val0', 'val23', 'val17']) {
        await ask(service, 'PUT', '/v1/vals', { body: { name, code: 'changed' } });
      }
      await ask(service, 'DELETE', `/v1/vals/${ids[5]}`);
      await createVal(service, { name: 'new', code: 'c' });
    });
    const given = names.map(({ name }) => name);
    const expected = unmoved.filter((name) => name !== 'val5' && name !== 'val0');
    expect(given.slice(0, 23)).toEqual(expected);
    expect(given.slice(23)).toEqual(['val0', 'val23', 'val17', 'new']);
  });
});

describe('a seed', () => {
  test('is completed where it lacks something, and otherwise returned as given', async () => {
    const before = Date.now();
    const service = await temporaryService({
      runs: [{}, { error: { message: 'x', extra: [1] } }],
      likes: [{ name: 'liked' }],
      comments: [{ comment: 'hello' }],
      references: [{ reference: { name: 'r' }, referencedAt: '2020-01-01T00:00:00Z' }],
    });
    const { data: runs } = await listFrom(service, '/v1/me/runs');
    expect(runs[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      runStartAt: runs[0]?.runStartAt,
      runEndAt: runs[0]?.runStartAt,
      error: { message: 'x', extra: [1] },
      val: { id: null, name: null, version: null },
    });
    expect(runs[0]?.error).toBe(null);
    expect(Date.parse(String(runs[0]?.runStartAt))).toBeGreaterThanOrEqual(before);
    expect((await listFrom(service, '/v1/me/likes')).data).toMatchObject([
      { id: expect.any(String), name: 'liked', public: true, links: { self: expect.any(String) } },
    ]);
    expect((await listFrom(service, '/v1/me/comments')).data).toEqual([
      {
        ...{
          id: expect.any(String),
          createdAt: expect.any(String),
          relationship: 'received',
          comment: 'hello',
        },
        author: { id: null, username: null },
        val: { id: null, name: null, version: null, privacy: null, author: null },
      },
    ]);
    expect((await listFrom(service, '/v1/me/references')).data).toEqual([
      {
        reference: { id: expect.any(String), name: 'r', author_id: null, username: null },
        dependsOn: { id: null, name: null, author_id: null, username: null },
        referencedAt: '2020-01-01T00:00:00Z',
      },
    ]);
  });

  test('loaded again replaces its records, and doubles none; equal records stay several', async () => {
    const at = await newPlace();
    const text =
      '{"runs":[{},{},{"id":"a","error":"x"},{"id":9007199254740993}],"references":[{"reference":{"name":"a"}},{"reference":{"name":"a"}}]}';
    const first = await temporaryService(parseSeed(text), at);
    const ids = await idsFrom(first, '/v1/me/runs');
    expect(new Set(ids).size).toBe(4);
    await first.close();
    const second = await temporaryService(parseSeed(text.replace('"x"', '"y"')), at);
    expect(await idsFrom(second, '/v1/me/runs')).toEqual(ids);
    expect((await listFrom(second, '/v1/me/runs')).data.find(({ id }) => id === 'a')?.error).toBe('y');
    expect((await listFrom(second, '/v1/me/references')).data).toHaveLength(2);
  });

  test('keeps every digit', async () => {
    const error =
      '{"big":12345678901234567890,"one":1.0,"e":[1E400,-0,{"x":0.1e-7}],"text":"1E400 \\" \\\\","\\u0031":9007199254740993}';
    const service = await temporaryService(
      parseSeed(`{ "runs" : [ {"id":"a","val":{"name":"later"},"error":${error}} ] }`),
    );
    await createVal(service, { name: 'later', code: 'c' });
    const { text } = await ask(service, 'GET', '/v1/me/runs');
    for (const piece of [
      '"big":12345678901234567890',
      '"one":1.0',
      '"e":[1E400,-0,{"x":0.1e-7}]',
      '"text":"1E400 \\" \\\\"',
      '"1":9007199254740993',
    ]) {
      expect(text).toContain(piece);
    }
  });

  test('gives runs to the vals they name', async () => {
    const at = await newPlace();
    const before = await temporaryService(undefined, at);
    const { id } = await createVal(before, { name: 'runner', code: 'c' });
    await before.close();
    const service = await temporaryService(
      {
        runs: [
          { id: 'by id', val: { id }, runStartAt: minute(1) },
          { id: 'flat', valId: id, runStartAt: minute(2) },
          { id: 'by name', val: { name: 'runner', version: 1 }, runStartAt: minute(3) },
          { id: 'unknown name', val: { name: 'nobody' }, runStartAt: minute(4) },
          { id: 'other id', val: { id: 'other', name: 'runner' }, runStartAt: minute(5) },
        ],
      },
      at,
    );
    const { data } = await listFrom(service, `/v1/vals/${id}/runs`);
    expect(data.map((run) => run.id)).toEqual(['by name', 'flat', 'by id']);
    expect(data[0]?.val).toEqual({ id, name: 'runner', version: 1 });
    expect(await idsFrom(service, `/v1/vals/${id}/runs?limit=1&offset=1`)).toEqual(['flat']);
    expect(await idsFrom(service, '/v1/me/runs')).toHaveLength(5);
    await ask(service, 'DELETE', `/v1/vals/${id}`);
    expect(await idsFrom(service, '/v1/me/runs')).toEqual(['other id', 'unknown name']);
  });

  test('counts for a val as soon as there is one of that name, and for no later one', async () => {
    const service = await temporaryService({
      runs: [
        { id: 'r', val: { name: 'later', version: 3 } },
        { id: 'flat', valName: 'later' },
      ],
      likes: [{ name: 'later' }],
      references: [{ reference: { name: 'other' }, dependsOn: { name: 'later' } }],
    });
    const { id: author_id, username } = (await ask(service, 'GET', '/v1/me')).body as Record<string, string>;
    await createVal(service, { name: 'other', code: 'c' });
    const val = await createVal(service, { name: 'later', code: 'c' });
    expect(val).toMatchObject({ likeCount: 1, referenceCount: 1 });
    const { data } = await listFrom(service, `/v1/vals/${val.id}/runs`);
    expect(data.map((run) => run.id)).toEqual(['r', 'flat']);
    expect(data[0]?.val).toEqual({ id: val.id, name: 'later', version: 3 });
    expect((await listFrom(service, '/v1/me/references')).data[0]).toMatchObject({
      dependsOn: { id: val.id, name: 'later', author_id, username },
    });
    await ask(service, 'DELETE', `/v1/vals/${val.id}`);
    const again = await createVal(service, { name: 'later', code: 'c' });
    expect(again).toMatchObject({ likeCount: 0, referenceCount: 0 });
    expect(await idsFrom(service, `/v1/vals/${again.id}/runs`)).toEqual([]);
  });

  test('runs of the same instant keep the order of the seed from page to page', async () => {
    const service = await temporaryService({
      runs: Array.from({ length: 9 }, (_, i) => ({
        id: `${i}`,
        runStartAt: i % 2 ? '2024-01-01' : '2024-01-01T01:00:00+01:00',
      })),
    });
    const pages = await Promise.all(
      [0, 3, 6].map((offset) => idsFrom(service, `/v1/me/runs?limit=3&offset=${offset}`)),
    );
    expect(pages.flat()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8']);
  });

  test.each([
    ['{', 'The seed is not JSON'],
    ['', 'The seed is not JSON'],
    ['{"runs":[01]}', 'The seed is not JSON'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['{"vals":[]}', 'unknown key "vals"'],
    ['{"__proto__":[]}', 'unknown key "__proto__"'],
    ['{"runs":{}}', 'runs in the seed is not an array'],
    ['{"likes":[{},1]}', 'likes[1] is not an object'],
    ['{"likes":[[]]}', 'likes[0] is not an object'],
    ['{"runs":[{"id":{}}]}', 'runs[0].id'],
    ['{"runs":[{"id":null}]}', 'runs[0].id'],
    ['{"runs":[{"runStartAt":"soon"}]}', 'runs[0].runStartAt'],
    ['{"runs":[{"runStartAt":1714521600000}]}', 'runs[0].runStartAt'],
    ['{"comments":[{"createdAt":true}]}', 'comments[0].createdAt'],
    ['{"comments":[{"createdAt":""}]}', 'comments[0].createdAt'],
    ['{"comments":[{"relationship":"any"}]}', 'comments[0].relationship'],
    [
      '{"runs":[{},{"runStart":"2024-01-01"}]}',
      'runs[1].runStart is not known; the fields there are id, val,',
    ],
    ['{"runs":[{"runEndAt":"soon"}]}', 'runs[0].runEndAt is not an ISO 8601 timestamp'],
    ['{"runs":[{"error":true}]}', 'runs[0].error is not a string or an object'],
    ['{"runs":[{"val":"hello"}]}', 'runs[0].val is not an object'],
    ['{"runs":[{"val":{"nmae":"x"}}]}', 'runs[0].val.nmae is not known'],
    ['{"likes":[{"title":"x"}]}', 'likes[0].title is not known'],
    ['{"likes":[{"__proto__":{}}]}', 'likes[0].__proto__ is not known'],
    ['{"comments":[{"author":{"name":"x"}}]}', 'comments[0].author.name is not known'],
    ['{"references":[{"from":{}}]}', 'references[0].from is not known'],
  ])('%s is refused', (text, message) => {
    expect(() => parseSeed(text)).toThrow(LocalError);
    expect(() => parseSeed(text)).toThrow(message);
  });

  test('may have long strings, with numbers and quotes in them', async () => {
    const comment = '12345678901234567890 "\\" '.repeat(200_000);
    const seed = parseSeed(JSON.stringify({ comments: [{ comment }] }));
    expect(seed.comments?.[0]?.comment === comment).toBe(true);
  });

  test('may be empty', () => {
    expect(parseSeed('{}')).toEqual({});
  });
});
