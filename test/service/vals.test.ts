// Vals and their versions: every route, status and rule.
import { beforeAll, describe, expect, test } from 'vitest';
import { ask, createVal, type List, temporaryService, type Val } from './support.ts';

let service: Awaited<ReturnType<typeof temporaryService>>;
beforeAll(async () => {
  service = await temporaryService();
});

const ABSENT = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const versionsOf = async (id: string) =>
  ((await ask(service, 'GET', `/v1/vals/${id}/versions`)).body as List<{ version: number }>).data.map(
    ({ version }) => version,
  );

describe('creating', () => {
  test('gives the whole val, private unless said otherwise', async () => {
    const answer = await ask(service, 'POST', '/v1/vals', { body: { name: 'plain', code: 'export {}' } });
    expect(answer.status).toBe(201);
    const { id: myId, username } = (await ask(service, 'GET', '/v1/me')).body as Record<string, string>;
    const { id } = answer.body as Val;
    const self = `${service.baseUrl}/v1/vals/${id}`;
    expect(answer.body).toEqual({
      id: expect.stringMatching(UUID),
      name: 'plain',
      code: 'export {}',
      readme: null,
      privacy: 'private',
      public: false,
      version: 1,
      createdAt: expect.stringMatching(TIME),
      versionCreatedAt: expect.stringMatching(TIME),
      updatedAt: expect.stringMatching(TIME),
      author: { id: myId, username },
      versionAuthor: { id: myId, username },
      url: `${service.baseUrl}/?val=${id}`,
      type: 'script',
      likeCount: 0,
      referenceCount: 0,
      links: { self, versions: `${self}/versions`, module: `${self}/module` },
    });
    expect(answer.headers.location).toBe(`/v1/vals/${id}`);
    expect((await ask(service, 'GET', `/v1/vals/${id}`)).body).toEqual(answer.body);
  });

  test.each(['public', 'unlisted', 'private'])('takes a readme and the privacy %s', async (privacy) => {
    const content = { name: `with_${privacy}`, code: 'c', readme: '# Read\u0000me', privacy };
    const val = await createVal(service, content);
    expect(val).toMatchObject(content);
    expect((await ask(service, 'GET', `/v1/vals/${val.id}`)).body).toEqual(val);
  });

  test('refuses a name that exists', async () => {
    await createVal(service, { name: 'twice', code: '1' });
    const answer = await ask(service, 'POST', '/v1/vals', { body: { name: 'twice', code: '2' } });
    expect(answer.status).toBe(409);
    const sentence = 'A val named twice exists.';
    expect(answer.body).toMatchObject({ title: 'Conflict', detail: sentence, message: sentence });
  });

  test('without a name gives it one of its own', async () => {
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
    ['name null', { name: null, code }, 400, 'name'],
    ['name a number', { name: 5, code }, 400, 'name'],
    ['name empty', { name: '', code }, 400, 'name'],
    ['name with a dash', { name: 'a-b', code }, 400, 'name'],
    ['name from a digit', { name: '1a', code }, 400, 'name'],
    ['name with a newline at its end', { name: 'a\n', code }, 400, 'name'],
    ['name of 49', { name: 'a'.repeat(49), code }, 400, 'name'],
    ['no code', { name: 'x' }, 400, 'code'],
    ['code empty', { name: 'x', code: '' }, 400, 'code'],
    ['code a boolean', { name: 'x', code: true }, 400, 'code'],
    ['code of 256,001', { name: 'x', code: 'a'.repeat(256_001) }, 413, 'code'],
    ['half a surrogate pair', { name: 'x', code: '\ud800' }, 400, 'code'],
    ['readme a number', { name: 'x', code, readme: 1 }, 400, 'readme'],
    ['readme of 8,193', { name: 'x', code, readme: 'a'.repeat(8_193) }, 413, 'readme'],
    ['privacy unknown', { name: 'x', code, privacy: 'secret' }, 400, 'privacy'],
    ['privacy null', { name: 'x', code, privacy: null }, 400, 'privacy'],
  ])('refuses %s', async (_, body, status, field) => {
    const answer = await ask(service, 'POST', '/v1/vals', { body });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.body).toMatchObject({
      type: 'about:blank',
      status,
      detail: expect.stringContaining(field),
      errors: [{ field, message: expect.any(String) }],
    });
  });

  test.each([
    ['an array', []],
    ['null', null],
    ['a string', 'code'],
    ['a number', 1],
  ])('refuses %s for a body', async (_, body) => {
    const answer = await ask(service, 'POST', '/v1/vals', { body });
    expect(answer).toMatchObject({ status: 400, body: { detail: 'The body must be a JSON object.' } });
  });

  test('takes what is just within the limits, and ignores fields it does not know', async () => {
    const content = { name: 'a'.repeat(48), code: 'c'.repeat(256_000), readme: 'r'.repeat(8_192) };
    const answer = await ask(service, 'POST', '/v1/vals', { body: { ...content, id: 'mine', version: 9 } });
    expect(answer).toMatchObject({ status: 201, body: { ...content, version: 1 } });
    expect((answer.body as Val).id).toMatch(UUID);
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
  const { body } = await ask(service, 'PUT', '/v1/vals', { body: { name: 'bytes', code } });
  expect((body as Val).code).toBe(code);
  expect(((await ask(service, 'GET', `/v1/vals/${(body as Val).id}`)).body as Val).code).toBe(code);
});

test('create-or-update creates, updates, and leaves the same code alone', async () => {
  const put = (code: string) => ask(service, 'PUT', '/v1/vals', { body: { name: 'pushed', code } });
  const first = await put('1');
  expect(first).toMatchObject({ status: 201, body: { version: 1, privacy: 'private', readme: null } });
  expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2' } });
  expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2' } });
  expect(await put('1')).toMatchObject({ status: 200, body: { version: 3, code: '1' } });
  expect(await versionsOf((first.body as Val).id)).toEqual([3, 2, 1]);
  expect((await put('')).status).toBe(400);
  expect((await ask(service, 'PUT', '/v1/vals', { body: { code: 'x' } })).status).toBe(400);
});

test('create-or-update keeps readme and privacy', async () => {
  await createVal(service, { name: 'kept', code: '1', readme: 'r', privacy: 'public' });
  const body = { name: 'kept', code: '2', readme: 'other', privacy: 'private' };
  expect((await ask(service, 'PUT', '/v1/vals', { body })).body).toMatchObject({
    code: '2',
    readme: 'r',
    privacy: 'public',
  });
});

test('a deleted val is gone with its versions, and its name is free', async () => {
  const { id } = await createVal(service, { name: 'doomed', code: '1' });
  const answer = await ask(service, 'DELETE', `/v1/vals/${id}`);
  expect(answer).toMatchObject({ status: 204, text: '' });
  for (const path of ['', '/versions', '/versions/1', '/runs']) {
    expect((await ask(service, 'GET', `/v1/vals/${id}${path}`)).status).toBe(404);
  }
  expect((await ask(service, 'DELETE', `/v1/vals/${id}`)).status).toBe(404);
  const again = await createVal(service, { name: 'doomed', code: '1' });
  expect(again.version).toBe(1);
  expect(again.id).not.toBe(id);
});

describe('versions', () => {
  test('are made from code, listed newest first, and read as the val was', async () => {
    const val = await createVal(service, { name: 'versioned', code: '1', readme: 'r', privacy: 'public' });
    const path = `/v1/vals/${val.id}/versions`;
    const second = await ask(service, 'POST', path, { body: { code: '2' } });
    expect(second).toMatchObject({
      status: 201,
      body: {
        ...val,
        ...{ code: '2', version: 2, updatedAt: expect.any(String), versionCreatedAt: expect.any(String) },
      },
    });
    expect(second.headers.location).toBe(`${path}/2`);
    expect(await ask(service, 'POST', path, { body: { code: '2' } })).toMatchObject({
      status: 200,
      body: second.body,
    });
    expect(await ask(service, 'POST', path, { body: {} })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'code' }] },
    });

    const { updatedAt, versionAuthor } = second.body as Val;
    expect((await ask(service, 'GET', path)).body).toEqual({
      data: [
        { val_id: val.id, version: 2, createdAt: updatedAt, versionAuthor },
        { val_id: val.id, version: 1, createdAt: val.createdAt, versionAuthor },
      ],
      links: { self: `${service.baseUrl}${path}` },
    });
    expect((await ask(service, 'GET', `${path}/1`)).body).toEqual(val);
    expect((await ask(service, 'GET', `${path}/2`)).body).toEqual(second.body);
    expect((await ask(service, 'GET', `/v1/vals/${val.id}`)).body).toEqual(second.body);
  });

  test('deleting the newest goes back to the one before, and its number is never used again', async () => {
    const { id } = await createVal(service, { name: 'shrinking', code: '1' });
    const path = `/v1/vals/${id}/versions`;
    await ask(service, 'POST', path, { body: { code: '2' } });
    await ask(service, 'POST', path, { body: { code: '3' } });
    expect(await ask(service, 'DELETE', `${path}/3`)).toMatchObject({ status: 204, text: '' });
    expect((await ask(service, 'GET', `/v1/vals/${id}`)).body).toMatchObject({ version: 2, code: '2' });
    expect((await ask(service, 'POST', path, { body: { code: '3' } })).body).toMatchObject({ version: 4 });
    expect((await ask(service, 'DELETE', `${path}/1`)).status).toBe(204);
    expect((await ask(service, 'GET', `/v1/vals/${id}`)).body).toMatchObject({ version: 4, code: '3' });
    expect(await versionsOf(id)).toEqual([4, 2]);
    expect((await ask(service, 'DELETE', `${path}/4`)).status).toBe(204);
    const last = await ask(service, 'DELETE', `${path}/2`);
    expect(last).toMatchObject({ status: 409, body: { detail: expect.stringContaining('the only one') } });
    expect((await ask(service, 'GET', `/v1/vals/${id}`)).body).toMatchObject({ version: 2, code: '2' });
    expect(
      (await ask(service, 'PUT', '/v1/vals', { body: { name: 'shrinking', code: '5' } })).body,
    ).toMatchObject({
      version: 5,
    });
  });

  test('change the name, readme and privacy that are given, of the val and not of a version', async () => {
    const val = await createVal(service, { name: 'before', code: '1', readme: 'r', privacy: 'public' });
    await createVal(service, { name: 'taken', code: '1' });
    const path = `/v1/vals/${val.id}/versions`;
    const post = (body: object) => ask(service, 'POST', path, { body });
    const facts = { name: 'after', readme: 'new', privacy: 'unlisted' };
    expect(await post({ code: '2', ...facts })).toMatchObject({
      status: 201,
      body: { ...facts, version: 2 },
    });
    expect((await ask(service, 'GET', `${path}/1`)).body).toMatchObject({ ...facts, code: '1' });
    // The same code makes no version, but what is said of the val counts.
    expect(await post({ code: '2', readme: null })).toMatchObject({
      status: 200,
      body: { name: 'after', readme: null, privacy: 'unlisted', version: 2 },
    });
    expect(await post({ code: '3', name: 'taken' })).toMatchObject({ status: 409 });
    expect(await post({ code: '3', privacy: 'secret' })).toMatchObject({ status: 400 });
    expect(await post({ name: 'no_code' })).toMatchObject({ status: 400 });
    expect((await ask(service, 'GET', `/v1/vals/${val.id}`)).body).toMatchObject({
      name: 'after',
      version: 2,
    });
    expect((await createVal(service, { name: 'before', code: '1' })).id).not.toBe(val.id);
  });
});

describe('what is not there', () => {
  test.each([
    ['GET', `/v1/vals/${ABSENT}`, 404],
    ['DELETE', `/v1/vals/${ABSENT}`, 404],
    ['GET', `/v1/vals/${ABSENT}/versions`, 404],
    ['POST', `/v1/vals/${ABSENT}/versions`, 404],
    ['GET', `/v1/vals/${ABSENT}/versions/1`, 404],
    ['DELETE', `/v1/vals/${ABSENT}/versions/1`, 404],
    ['GET', `/v1/vals/${ABSENT}/runs`, 404],
    ['GET', '/v1/vals/no-uuid', 404],
    ['GET', '/v1/vals/%00', 404],
    ['GET', '/v1/vals/ID/versions/7', 404],
    ['GET', '/v1/vals/ID%00/versions/1', 404],
    ['DELETE', '/v1/vals/ID/versions/7', 404],
    ['GET', '/v1/vals/ID/versions/0', 404],
    ['GET', `/v1/vals/ID/versions/${'9'.repeat(400)}`, 404],
    ['GET', '/v1/vals/ID/versions/-1', 400],
    ['GET', '/v1/vals/ID/versions/1.0', 400],
    ['GET', '/v1/vals/ID/versions/latest', 400],
    ['DELETE', '/v1/vals/ID/versions/01', 400],
    ['DELETE', '/v1/vals/ID/versions/1e0', 400],
    ['GET', '/v1', 404],
    ['GET', '/v1/me/', 404],
    ['GET', '/v2/me', 404],
    ['POST', '/v1/nothing', 404],
    ['GET', '/v1/vals/ID/versions/1/code', 404],
  ])('%s %s: %i', async (method, path, status) => {
    const { body } = await ask(service, 'PUT', '/v1/vals', { body: { name: 'there', code: 'c' } });
    const answer = await ask(service, method, path.replace('ID', (body as Val).id), {
      body: method === 'POST' ? { code: 'x' } : undefined,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ type: 'about:blank', status, title: expect.any(String) });
  });

  test.each([
    ['POST', '/v1/me', 'GET, HEAD'],
    ['DELETE', '/v1/me/runs', 'GET, HEAD'],
    ['GET', '/v1/vals', 'POST, PUT'],
    ['HEAD', '/v1/vals', 'POST, PUT'],
    ['PATCH', `/v1/vals/${ABSENT}`, 'GET, HEAD, PUT, DELETE'],
    ['PUT', `/v1/vals/${ABSENT}/versions`, 'GET, HEAD, POST'],
    ['POST', `/v1/vals/${ABSENT}/versions/1`, 'GET, HEAD, DELETE'],
    ['OPTIONS', `/v1/vals/${ABSENT}/runs`, 'GET, HEAD, POST'],
    ['TRACE', '/v1/me', 'GET, HEAD'],
  ])('%s %s: 405', async (method, path, allow) => {
    const answer = await ask(service, method, path);
    expect(answer).toMatchObject({ status: 405, headers: { allow } });
  });

  test('HEAD answers as GET, without a body', async () => {
    expect(await ask(service, 'HEAD', '/v1/me')).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': 'application/json' },
    });
    expect(await ask(service, 'HEAD', `/v1/vals/${ABSENT}`)).toMatchObject({ status: 404, text: '' });
  });
});

describe('the token', () => {
  const ROUTES = [
    ['GET', '/v1/me'],
    ['GET', '/v1/me/runs'],
    ['GET', '/v1/me/likes'],
    ['GET', '/v1/me/comments'],
    ['GET', '/v1/me/references'],
    ['POST', '/v1/vals'],
    ['PUT', '/v1/vals'],
    ['DELETE', '/v1/vals/ID'],
    ['GET', '/v1/vals/ID/versions'],
    ['POST', '/v1/vals/ID/versions'],
    ['GET', '/v1/vals/ID/versions/1'],
    ['DELETE', '/v1/vals/ID/versions/1'],
    ['GET', '/v1/vals/ID/runs'],
    ['POST', '/v1/vals/ID/runs'],
    ['GET', '/v1/users/ID/vals'],
  ] as const;

  test.each(ROUTES)('%s %s needs it', async (method, path) => {
    for (const token of [null, 'wrong', `${service.token}x`, service.token.slice(0, -1)]) {
      const body = ['POST', 'PUT'].includes(method) ? { name: 'sneaky', code: 'x' } : undefined;
      const { body: val } = await ask(service, 'PUT', '/v1/vals', { body: { name: 'open', code: 'c' } });
      const answer = await ask(service, method, path.replace('ID', (val as Val).id), { token, body });
      expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
      expect(answer.text).not.toContain(service.token);
    }
  });

  test.each([
    ['bearer', 200],
    ['BEARER', 200],
    ['Bearer ', 200],
    ['Basic', 401],
    ['Token', 401],
    ['', 401],
  ])('as "%s": %i', async (scheme, status) => {
    const headers = { Authorization: `${scheme} ${service.token}` };
    expect((await ask(service, 'GET', '/v1/me', { token: null, headers })).status).toBe(status);
  });

  test.each([
    ['public', 200],
    ['unlisted', 200],
    ['private', 404],
  ])('a %s val without it: %i', async (privacy, status) => {
    const { id } = await createVal(service, { name: `seen_${privacy}`, code: 'c', privacy });
    for (const path of ['', '/module']) {
      const answer = await ask(service, 'HEAD', `/v1/vals/${id}${path}`, { token: null });
      expect(answer.status).toBe(status);
    }
    expect((await ask(service, 'GET', `/v1/vals/${id}`, { token: null })).status).toBe(status);
    expect((await ask(service, 'GET', `/v1/vals/${id}`, { token: 'wrong' })).status).toBe(401);
    expect((await ask(service, 'GET', `/v1/vals/${id}`)).status).toBe(200);
  });
});
