// A client that takes the API at its word: it knows the field notes' table and nothing else, and it forgives nothing.
// A field that is not there, is of another type, or a page that cannot be reached is a failure.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseSeed } from '../../src/service/index.ts';
import { ask, temporaryService } from './support.ts';

type Type = (value: unknown) => boolean;

const text: Type = (value) => typeof value === 'string' && value !== '';
const whole: Type = (value) => Number.isInteger(value);
const flag: Type = (value) => typeof value === 'boolean';
const time: Type = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
const address: Type = (value) => typeof value === 'string' && value.startsWith(`${service.baseUrl}/`);
const orNull =
  (type: Type): Type =>
  (value) =>
    value === null || type(value);
const among =
  (...words: string[]): Type =>
  (value) =>
    words.includes(`${value}`);
/** The fields that are missing or of another type are told by the name of the first. */
const shape =
  (fields: Record<string, Type>): Type =>
  (value) =>
    faultIn(value, fields) === undefined;

function faultIn(value: unknown, fields: Record<string, Type>): string | undefined {
  if (typeof value !== 'object' || value === null) return `${value} is no object`;
  for (const [name, type] of Object.entries(fields)) {
    const field = (value as Record<string, unknown>)[name];
    if (!type(field)) return `${name} is ${JSON.stringify(field)}`;
  }
  return undefined;
}

const author = shape({ id: text, username: orNull(text) });
const val = {
  ...{ id: text, name: text, code: orNull(text), readme: orNull(text) },
  ...{ privacy: among('public', 'unlisted', 'private'), public: flag, version: whole },
  ...{ createdAt: time, versionCreatedAt: time, updatedAt: time, author: orNull(author) },
  ...{
    url: address,
    type: among('script', 'http', 'email', 'interval'),
    likeCount: whole,
    referenceCount: whole,
  },
  links: shape({ self: address, versions: address, module: address }),
};
const user = {
  ...{
    id: text,
    username: orNull(text),
    bio: orNull(text),
    email: (value: unknown) => typeof value === 'string',
    profileImageUrl: orNull(text),
  },
  ...{ tier: orNull(text), url: address, links: shape({ self: address }) },
};
const run = {
  ...{ id: text, val: shape({ id: orNull(text), name: orNull(text), version: orNull(whole) }) },
  ...{
    runStartAt: time,
    runEndAt: time,
    error: orNull((error) => text(error) || shape({ message: text })(error)),
  },
};
const comment = {
  ...{ id: text, comment: orNull(text), createdAt: time },
  author: shape({ id: orNull(text), username: orNull(text) }),
  val: shape({
    id: orNull(text),
    name: orNull(text),
    version: orNull(whole),
    privacy: orNull(text),
    author: orNull(author),
  }),
};
const side = shape({ id: orNull(text), name: orNull(text), author_id: orNull(text), username: orNull(text) });
const reference = { reference: side, dependsOn: side, referencedAt: time };
const version = { val_id: text, version: whole, createdAt: time };
const problem = {
  ...{ type: text, title: text, status: whole, detail: text },
  message: text,
};

interface Page {
  data: Record<string, unknown>[];
  links: { self: string; prev?: string; next?: string };
}

let service: Awaited<ReturnType<typeof temporaryService>>;

const minute = (n: number) => `2024-05-01T00:${String(n).padStart(2, '0')}:00.000Z`;
const many = 45;
beforeAll(async () => {
  const each = <Item>(make: (i: number) => Item) => Array.from({ length: many }, (_, i) => make(i));
  service = await temporaryService({
    runs: each((i) => ({
      ...{ id: `run${i}`, val: { name: 'early', version: 1 }, runStartAt: minute(i) },
      error: i % 3 === 0 ? (i === 0 ? { message: 'boom' } : 'boom') : null,
    })),
    likes: each((i) => ({ id: `like${i}`, name: `liked${i}` })),
    comments: each((i) => ({ comment: `c${i}`, createdAt: minute(i), author: { id: 'a', username: null } })),
    references: each((i) => ({ reference: { name: `r${i}` }, dependsOn: { name: 'early' } })),
  });
});

/** The record, after each of its fields was looked at. */
function checked(record: unknown, fields: Record<string, Type>): Record<string, unknown> {
  expect(faultIn(record, fields), JSON.stringify(record)).toBeUndefined();
  return record as Record<string, unknown>;
}

async function send(method: string, path: string, status: number, body?: unknown): Promise<unknown> {
  const answer = await ask(service, method, path, { body });
  expect(answer.status, answer.text).toBe(status);
  return answer.body;
}

/** Every record of a list, by its links alone, there and back again. */
async function all(path: string, fields: Record<string, Type>): Promise<Record<string, unknown>[]> {
  const pages: Page[] = [];
  for (let next: string | undefined = service.baseUrl + path; next !== undefined; ) {
    expect(next.startsWith(service.baseUrl)).toBe(true);
    const page = (await send('GET', next, 200)) as Page;
    expect(page.links.self).toBe(next);
    for (const record of page.data) checked(record, fields);
    pages.push(page);
    next = page.links.next;
    expect(pages.length).toBeLessThan(100);
  }
  const back = pages.map(({ links }) => links.prev);
  expect(back[0]).toBeUndefined();
  if (pages.length > 1)
    expect(((await send('GET', back[1] as string, 200)) as Page).data).toEqual(pages[0]?.data);
  return pages.flatMap(({ data }) => data);
}

const create = async (body: object) => checked(await send('POST', '/v1/vals', 201, body), val);

describe('every field', () => {
  test('of the user', async () => {
    const me = checked(await send('GET', '/v1/me', 200), user);
    expect(await send('GET', (me.links as { self: string }).self, 200)).toEqual(me);
  });

  test('of a val, whichever way it comes', async () => {
    const content = { name: 'whole', code: 'export default 1', readme: 'r', privacy: 'public' };
    const created = await create(content);
    expect(created).toMatchObject({ ...content, public: true, version: 1, type: 'script' });
    const { self, module } = created.links as Record<string, string>;
    expect(await send('GET', self as string, 200)).toEqual(created);
    const code = await fetch(module as string);
    expect(await code.text()).toBe(content.code);
    expect((await create({ code: 'c' })).name).toMatch(/^[a-zA-Z][a-zA-Z0-9_]{0,47}$/);
    checked(await send('PUT', '/v1/vals', 201, { name: 'put', code: '1' }), val);
    checked(await send('PUT', '/v1/vals', 200, { name: 'put', code: '2' }), val);
    const path = `/v1/vals/${created.id}/versions`;
    const renamed = { code: '2', name: 'renamed', readme: 'new', privacy: 'unlisted' };
    expect(checked(await send('POST', path, 201, renamed), val)).toMatchObject({ ...renamed, public: false });
    checked(await send('GET', `${path}/1`, 200), val);
    await send('POST', path, 409, { code: '3', name: 'put' });
  });

  test('of a run that is reported, and of one whose val came later', async () => {
    const { id } = await create({ name: 'early', code: 'c' });
    const found = checked(await send('GET', `/v1/vals/${id}`, 200), val);
    expect(found).toMatchObject({ likeCount: 0, referenceCount: many });
    expect(await all(`/v1/vals/${id}/runs`, run)).toHaveLength(many);
    const report = { version: 1, runStartAt: minute(50), runEndAt: minute(51), error: null };
    const { version: _, ...times } = report;
    const reported = checked(await send('POST', `/v1/vals/${id}/runs`, 201, report), run);
    expect(reported).toMatchObject({ ...times, val: { id, name: 'early', version: 1 } });
    const filtered = (query: string) => all(`/v1/vals/${id}/runs?${query}`, run);
    expect(await filtered('error=true&limit=4')).toHaveLength(15);
    expect(await filtered('error=false&limit=100')).toHaveLength(31);
    expect(await filtered(`since=${minute(10)}&until=${minute(20)}&limit=3`)).toHaveLength(10);
  });

  test('of what is refused', async () => {
    checked(await send('GET', '/v1/vals/absent', 404), problem);
    checked(await send('POST', '/v1/vals', 400, { name: '-', code: 'c' }), problem);
    checked(await send('GET', '/v1/me/runs?limit=101', 400), problem);
  });
});

test("the guide's own seed gives records without a null where clients expect a value", async () => {
  const guide = await readFile('docs/guide.md', 'utf8');
  const [, seed = ''] = /```json\n(\{\n {2}"runs".*?)```/s.exec(guide) ?? [];
  const { baseUrl, token } = await temporaryService(parseSeed(seed));
  const whole = { id: text, name: text, version: Number.isInteger };
  const first = async (path: string) => {
    const { body } = await ask({ baseUrl, token }, 'GET', path);
    return (body as Page).data[0];
  };
  const full = shape({ id: text, username: text });
  const referenced = shape({ id: text, name: text, author_id: text, username: text });
  checked(await first('/v1/me/runs'), { ...run, val: shape(whole) });
  const { url: _, links: __, ...likedVal } = val;
  checked(await first('/v1/me/likes'), { ...likedVal, author: full });
  const commented = shape({ ...whole, privacy: text, author: full });
  checked(await first('/v1/me/comments'), { ...comment, author: full, val: commented });
  checked(await first('/v1/me/references'), { ...reference, reference: referenced, dependsOn: referenced });
});

describe('every page', () => {
  test.each([
    ['/v1/me/runs', run],
    ['/v1/me/likes', val],
    ['/v1/me/comments?relationship=any', comment],
    ['/v1/me/references', reference],
  ])('of %s', async (path, fields) => {
    const records = await all(path, fields);
    expect(records.length).toBeGreaterThanOrEqual(many);
    expect(new Set(records.map((record) => JSON.stringify(record))).size).toBe(records.length);
    const smaller = await all(`${path}${path.includes('?') ? '&' : '?'}limit=7`, fields);
    expect(smaller).toEqual(records);
  });

  test('of versions', async () => {
    const { id } = await create({ name: 'many', code: '0' });
    for (let i = 1; i < many; i++) await send('POST', `/v1/vals/${id}/versions`, 201, { code: `${i}` });
    const versions = await all(`/v1/vals/${id}/versions`, version);
    expect(versions.map((each) => each.version)).toEqual(Array.from({ length: many }, (_, i) => many - i));
    expect(versions[0]?.val_id).toBe(id);
  });

  test("of a user's vals", async () => {
    const { id } = (await send('GET', '/v1/me', 200)) as { id: string };
    for (let i = 0; i < 25; i++) await create({ name: `listed${i}`, code: 'c' });
    const vals = await all(`/v1/users/${id}/vals?limit=10`, val);
    expect(vals.length).toBeGreaterThanOrEqual(25);
    expect(vals[0]?.name).toBe('listed24');
    await send('GET', '/v1/users/absent/vals', 404);
  });
});

test('health is told without a token, to any Host', async () => {
  const headers = { Host: 'vals.example.com' };
  const answer = await ask(service, 'GET', '/healthz', { token: null, headers });
  expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect((await ask(service, 'GET', '/v1/me', { headers })).status).toBe(403);
});
