import { beforeAll, describe, expect, test } from 'vitest';
import {
  addPerson,
  ask,
  type Caller,
  createVal,
  get,
  type List,
  type Person,
  putVal,
  statusOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

let service: TemporaryService;
let eve: Person;
beforeAll(async () => {
  service = await temporaryService();
  eve = await addPerson(service, 'eve');
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const read = (id: string) => get(service, `/v1/vals/${id}`);
const versionsOf = async (id: string) =>
  (await get<List<Val>>(service, `/v1/vals/${id}/versions`)).data.map(({ version }) => version);

describe('a new val', () => {
  test('is returned with all fields, and is private by default', async () => {
    const answer = await ask(service, 'POST', '/v1/vals', { body: { name: 'plain', code: 'export {}' } });
    expect(answer.status).toBe(201);
    const { id: myId, username } = await get<Record<string, string>>(service, '/v1/me');
    const { id } = answer.body as Val;
    const self = `${service.baseUrl}/v1/vals/${id}`;
    expect(answer.body).toEqual({
      id: expect.stringMatching(uuid),
      name: 'plain',
      code: 'export {}',
      readme: null,
      privacy: 'private',
      public: false,
      version: 1,
      createdAt: expect.stringMatching(time),
      versionCreatedAt: expect.stringMatching(time),
      updatedAt: expect.stringMatching(time),
      author: { id: myId, username },
      versionAuthor: { id: myId, username },
      url: `${service.baseUrl}/?val=${id}`,
      type: 'script',
      likeCount: 0,
      referenceCount: 0,
      links: { self, versions: `${self}/versions`, module: `${self}/module` },
    });
    expect(answer.headers.location).toBe(`/v1/vals/${id}`);
    expect(await read(id)).toEqual(answer.body);
  });

  test.each([
    ['public', 200],
    ['unlisted', 200],
    ['private', 404],
  ])('that is %s keeps its readme, and without a token is answered with %i', async (privacy, status) => {
    const content = { name: `with_${privacy}`, code: 'c', readme: '# Read\u0000me', privacy };
    const val = await createVal(service, content);
    expect(val).toMatchObject({ ...content, public: privacy === 'public' });
    expect(await read(val.id)).toEqual(val);
    for (const path of [`/v1/vals/${val.id}`, `/v1/vals/${val.id}/module`]) {
      for (const method of ['GET', 'HEAD']) {
        expect(await statusOf(service, method, path, { token: null })).toBe(status);
        expect(await statusOf(service, method, path, { token: 'wrong' })).toBe(401);
      }
    }
  });

  test('with the name of an existing val is refused', async () => {
    await createVal(service, { name: 'twice', code: '1' });
    const answer = await ask(service, 'POST', '/v1/vals', { body: { name: 'twice', code: '2' } });
    const sentence = 'A val named twice already exists.';
    expect(answer).toMatchObject({
      status: 409,
      headers: { 'x-should-retry': 'false' },
      body: { title: 'Conflict', detail: sentence, message: sentence },
    });
  });

  test('without a name gets a generated name', async () => {
    const names = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const answer = await ask(service, 'POST', '/v1/vals', { body: { code: 'c' } });
      expect(answer).toMatchObject({
        status: 201,
        body: { name: expect.stringMatching(/^[a-z]+[A-Z][a-z]+\d+$/) },
      });
      names.add((answer.body as Val).name);
    }
    expect(names.size).toBe(20);
  });

  const code = 'c';
  test.each([
    ['the name null', { name: null, code }, 400, 'name'],
    ['a number as its name', { name: 5, code }, 400, 'name'],
    ['an empty name', { name: '', code }, 400, 'name'],
    ['a dash in its name', { name: 'a-b', code }, 400, 'name'],
    ['a digit as the first character of its name', { name: '1a', code }, 400, 'name'],
    ['a newline at the end of its name', { name: 'a\n', code }, 400, 'name'],
    ['a name of 49 characters', { name: 'a'.repeat(49), code }, 400, 'name'],
    ['no code', { name: 'x' }, 400, 'code'],
    ['empty code', { name: 'x', code: '' }, 400, 'code'],
    ['a boolean as its code', { name: 'x', code: true }, 400, 'code'],
    ['code of 256,001 characters', { name: 'x', code: 'a'.repeat(256_001) }, 413, 'code'],
    ['half a surrogate pair', { name: 'x', code: '\ud800' }, 400, 'code'],
    ['a number as its readme', { name: 'x', code, readme: 1 }, 400, 'readme'],
    ['a readme of 8,193 characters', { name: 'x', code, readme: 'a'.repeat(8_193) }, 413, 'readme'],
    ['an unknown privacy', { name: 'x', code, privacy: 'secret' }, 400, 'privacy'],
    ['the privacy null', { name: 'x', code, privacy: null }, 400, 'privacy'],
  ])('with %s is refused', async (_, body, status, field) => {
    expect(await ask(service, 'POST', '/v1/vals', { body })).toMatchObject({
      status,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        type: 'about:blank',
        status,
        detail: expect.stringContaining(field),
        errors: [{ field, message: expect.any(String) }],
      },
    });
  });

  test.each([[[]], [null], ['code'], [1]])('from the body %j is refused', async (body) => {
    const answer = await ask(service, 'POST', '/v1/vals', { body });
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: 'The request body must be a JSON object.' },
    });
  });

  test('may be as large as the limits, and ignores unknown fields', async () => {
    const content = { name: 'a'.repeat(48), code: 'c'.repeat(256_000), readme: 'r'.repeat(8_192) };
    const answer = await ask(service, 'POST', '/v1/vals', { body: { ...content, id: 'mine', version: 9 } });
    expect(answer).toMatchObject({
      status: 201,
      body: { ...content, version: 1, id: expect.stringMatching(uuid) },
    });
  });
});

test.each([
  ['NUL', 'a\u0000b\u0000'],
  ['a BOM alone', '\ufeff'],
  ['a BOM before code', '\ufeffexport {}'],
  ['astral characters', '𝒳😀\u{10ffff}'],
  ['CRLF and CR', 'a\r\nb\rc\n'],
  ['separators and controls', '\u2028\u2029\u007f\u0085\u0001\u001b[31m'],
  ['noncharacters', '\uffff\ufffe\ufdd0'],
  ['quotes and SQL', `'; DROP TABLE vals; -- "\\`],
])('code with %s comes back byte for byte', async (_, code) => {
  const { body } = await putVal(service, 'bytes', code);
  expect((body as Val).code).toBe(code);
  expect((await read((body as Val).id)).code).toBe(code);
});

describe('PUT /v1/vals', () => {
  test('creates a val, updates its code, and creates no version for the same code', async () => {
    const put = (code: string) => putVal(service, 'pushed', code);
    const first = await put('1');
    expect(first).toMatchObject({ status: 201, body: { version: 1, privacy: 'private', readme: null } });
    expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2' } });
    expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2' } });
    expect(await put('1')).toMatchObject({ status: 200, body: { version: 3, code: '1' } });
    expect(await versionsOf((first.body as Val).id)).toEqual([3, 2, 1]);
    expect((await put('')).status).toBe(400);
    expect(await statusOf(service, 'PUT', '/v1/vals', { body: { code: 'x' } })).toBe(400);
  });

  test('keeps the readme and the privacy', async () => {
    const kept = { readme: 'r', privacy: 'public' };
    await createVal(service, { name: 'kept', code: '1', ...kept });
    const body = { name: 'kept', code: '2', readme: 'other', privacy: 'private' };
    expect((await ask(service, 'PUT', '/v1/vals', { body })).body).toMatchObject({ code: '2', ...kept });
  });
});

describe('PUT /v1/vals/{id}', () => {
  test('changes the given fields, and keeps the code and its version', async () => {
    const { id } = await createVal(service, { name: 'first', code: 'c', readme: 'r', privacy: 'public' });
    const put = async (body: object) => {
      const answer = await ask(service, 'PUT', `/v1/vals/${id}`, { body });
      expect(answer).toMatchObject({ status: 204, text: '' });
      return read(id);
    };
    let expected = { id, code: 'c', version: 1, name: 'first', readme: 'r', privacy: 'public' };
    for (const change of [
      { name: 'second' },
      { privacy: 'unlisted' },
      { readme: null },
      { name: 'all', readme: 'new', privacy: 'private' },
    ]) {
      expected = { ...expected, ...change } as typeof expected;
      expect(await put(change)).toMatchObject({ ...expected, public: expected.privacy === 'public' });
    }
    const { updatedAt } = await read(id);
    expect(await put({})).toMatchObject({ ...expected, updatedAt });
  });

  test('refuses the same invalid fields as for a new val', async () => {
    await createVal(service, { name: 'in_use', code: 'c' });
    const { id } = await createVal(service, { name: 'refused', code: 'c', privacy: 'public' });
    const put = (body: unknown, caller: Caller = service, of = id) =>
      statusOf(caller, 'PUT', `/v1/vals/${of}`, { body });
    for (const body of [{ name: 'a-b' }, { name: null }, { privacy: 'secret' }, { readme: 7 }, []]) {
      expect(await put(body), JSON.stringify(body)).toBe(400);
    }
    expect(await put({ readme: 'r'.repeat(8_193) })).toBe(413);
    expect(await put({ name: 'in_use' })).toBe(409);
    expect(await put({ name: 'mine' }, eve)).toBe(403);
    expect(await put({ name: 'mine' }, service, 'absent')).toBe(404);
    expect(await read(id)).toMatchObject({ name: 'refused', privacy: 'public' });
  });
});

test('the type of a val is set when it is created, with a version or with a PUT', async () => {
  const web = { name: 'web', code: 'c', type: 'http' };
  const created = (await ask(service, 'POST', '/v1/vals', { body: web })).body as Val;
  expect(created).toMatchObject(web);
  expect(await read(created.id)).toMatchObject(web);
  const version = (body: object) => ask(service, 'POST', `/v1/vals/${created.id}/versions`, { body });
  expect((await version({ code: 'd' })).body).toMatchObject({ type: 'http', version: 2 });
  expect((await version({ code: 'e', type: 'email' })).body).toMatchObject({ type: 'email', version: 3 });
  expect((await putVal(service, 'web', 'f')).body).toMatchObject({ type: 'email', version: 4 });
  const put = { name: 'web2', code: 'c', type: 'interval' };
  expect(await ask(service, 'PUT', '/v1/vals', { body: put })).toMatchObject({ status: 201, body: put });
  expect(await statusOf(service, 'PUT', `/v1/vals/${created.id}`, { body: { type: 'rpc' } })).toBe(204);
  expect(await read(created.id)).toMatchObject({ type: 'rpc', version: 4 });
  for (const type of [7, '', 'cron', 'Script', null]) {
    expect((await version({ code: 'g', type })).status).toBe(400);
    expect(await statusOf(service, 'PUT', `/v1/vals/${created.id}`, { body: { type } })).toBe(400);
  }
  const me = await get(service, '/v1/me');
  const { data } = await get<List>(service, `/v1/users/${me.id}/vals`);
  expect(data.find(({ name }) => name === 'web')?.type).toBe('rpc');
});

test('deleting a val deletes its versions and frees its name', async () => {
  const { id } = await createVal(service, { name: 'doomed', code: '1' });
  expect(await ask(service, 'DELETE', `/v1/vals/${id}`)).toMatchObject({ status: 204, text: '' });
  for (const path of ['', '/versions', '/versions/1', '/runs']) {
    expect(await statusOf(service, 'GET', `/v1/vals/${id}${path}`)).toBe(404);
  }
  expect(await statusOf(service, 'DELETE', `/v1/vals/${id}`)).toBe(404);
  const again = await createVal(service, { name: 'doomed', code: '1' });
  expect(again.version).toBe(1);
  expect(again.id).not.toBe(id);
});

describe('versions', () => {
  test('are created from code, listed newest first, and can be read one by one', async () => {
    const val = await createVal(service, { name: 'versioned', code: '1', readme: 'r', privacy: 'public' });
    const path = `/v1/vals/${val.id}/versions`;
    const post = (body: object) => ask(service, 'POST', path, { body });
    const second = await post({ code: '2' });
    const times = { updatedAt: expect.any(String), versionCreatedAt: expect.any(String) };
    expect(second).toMatchObject({ status: 201, body: { ...val, code: '2', version: 2, ...times } });
    expect(second.headers.location).toBe(`${path}/2`);
    expect(await post({ code: '2' })).toMatchObject({ status: 200, body: second.body });
    expect(await post({})).toMatchObject({ status: 400, body: { errors: [{ field: 'code' }] } });

    const { updatedAt, versionAuthor } = second.body as Val;
    expect(await get(service, path)).toEqual({
      data: [
        { val_id: val.id, version: 2, createdAt: updatedAt, versionAuthor },
        { val_id: val.id, version: 1, createdAt: val.createdAt, versionAuthor },
      ],
      links: { self: `${service.baseUrl}${path}` },
    });
    expect(await get(service, `${path}/1`)).toEqual(val);
    expect(await get(service, `${path}/2`)).toEqual(second.body);
    expect(await read(val.id)).toEqual(second.body);
  });

  test('make the previous version current when the newest is deleted, and never reuse a number', async () => {
    const { id } = await createVal(service, { name: 'shrinking', code: '1' });
    const path = `/v1/vals/${id}/versions`;
    await ask(service, 'POST', path, { body: { code: '2' } });
    await ask(service, 'POST', path, { body: { code: '3' } });
    expect(await ask(service, 'DELETE', `${path}/3`)).toMatchObject({ status: 204, text: '' });
    expect(await read(id)).toMatchObject({ version: 2, code: '2' });
    expect((await ask(service, 'POST', path, { body: { code: '3' } })).body).toMatchObject({ version: 4 });
    expect(await statusOf(service, 'DELETE', `${path}/1`)).toBe(204);
    expect(await read(id)).toMatchObject({ version: 4, code: '3' });
    expect(await versionsOf(id)).toEqual([4, 2]);
    expect(await statusOf(service, 'DELETE', `${path}/4`)).toBe(204);
    const last = await ask(service, 'DELETE', `${path}/2`);
    expect(last).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('the only version') },
    });
    expect(await read(id)).toMatchObject({ version: 2, code: '2' });
    expect((await putVal(service, 'shrinking', '5')).body).toMatchObject({ version: 5 });
  });

  test('change the given name, readme and privacy of the val, and not of a version', async () => {
    const val = await createVal(service, { name: 'before', code: '1', readme: 'r', privacy: 'public' });
    await createVal(service, { name: 'taken', code: '1' });
    const path = `/v1/vals/${val.id}/versions`;
    const post = (body: object) => ask(service, 'POST', path, { body });
    const facts = { name: 'after', readme: 'new', privacy: 'unlisted' };
    expect(await post({ code: '2', ...facts })).toMatchObject({
      status: 201,
      body: { ...facts, public: false, version: 2 },
    });
    expect(await get(service, `${path}/1`)).toMatchObject({ ...facts, code: '1' });
    expect(await post({ code: '2', readme: null })).toMatchObject({
      status: 200,
      body: { ...facts, readme: null, version: 2 },
    });
    expect(await post({ code: '3', name: 'taken' })).toMatchObject({ status: 409 });
    expect(await post({ code: '3', privacy: 'secret' })).toMatchObject({ status: 400 });
    expect(await post({ name: 'no_code' })).toMatchObject({ status: 400 });
    expect(await read(val.id)).toMatchObject({ name: 'after', version: 2 });
    expect((await createVal(service, { name: 'before', code: '1' })).id).not.toBe(val.id);
  });
});
