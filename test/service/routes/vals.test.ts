import { describe, expect, test } from 'vitest';
import { addPerson, gitHash, type List, temporaryService, type Val } from '../support.ts';

const service = await temporaryService();
const eve = await addPerson(service, 'eve');
const me = await service.get<{ id: string; username: string }>('/v1/me');

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const read = (id: string) => service.get(`/v1/vals/${id}`);
const versionsOf = async (id: string) =>
  (await service.get<List<Val>>(`/v1/vals/${id}/versions`)).data.map(({ version }) => version);

test('each answer with a val or a version has the id that git gives its code', async () => {
  const codes = ['first "ünïcode" \u0000', 'second 🙂'];
  const [first = '', second = ''] = codes.map(gitHash);
  const { id, codeHash } = await service.createVal({ name: 'hashed', code: codes[0] ?? '' });
  expect(codeHash).toBe(first);
  const body = { name: 'hashed', code: codes[1] };
  for (const question of [body, body]) {
    expect((await service.ask('PUT', '/v1/vals', { body: question })).body).toMatchObject({
      codeHash: second,
    });
  }
  expect(await service.get(`/v1/vals/${id}/versions/1`)).toMatchObject({ codeHash: first });
  for (const path of [`/v1/users/${me.id}/vals`, '/v1/search/vals?query=hashed']) {
    const { data } = await service.get<List<Val>>(path);
    expect(data.find((val) => val.id === id)).toMatchObject({ codeHash: second });
  }
  const { data } = await service.get<List<Val>>(`/v1/vals/${id}/versions`);
  expect(data.map(({ codeHash }) => codeHash)).toEqual([second, first]);
  await service.ask('DELETE', `/v1/vals/${id}/versions/2`);
  expect(await read(id)).toMatchObject({ codeHash: first });
});

describe('a new val', () => {
  test('is returned with all fields, and is private by default', async () => {
    const answer = await service.ask('POST', '/v1/vals', { body: { name: 'plain', code: 'export {}' } });
    expect(answer.status).toBe(201);
    const { id } = answer.body as Val;
    const self = `${service.baseUrl}/v1/vals/${id}`;
    const author = { id: me.id, username: me.username };
    const [createdAt, versionCreatedAt, updatedAt] = Array(3).fill(expect.stringMatching(time));
    expect(answer.body).toEqual({
      ...{ id: expect.stringMatching(uuid), name: 'plain', code: 'export {}', readme: null, version: 1 },
      ...{ privacy: 'private', public: false, type: 'script', likeCount: 0, referenceCount: 0 },
      ...{ createdAt, versionCreatedAt, updatedAt, author, versionAuthor: author },
      codeHash: gitHash('export {}'),
      url: `${service.baseUrl}/vals/${id}`,
      links: { self, versions: `${self}/versions`, module: `${self}/module` },
    });
    expect(answer.headers.location).toBe(`/v1/vals/${id}`);
    expect(await read(id)).toEqual(answer.body);
  });

  test('without a name gets one, because some clients send none', async () => {
    const create = async () =>
      (await service.ask('POST', '/v1/vals', { body: { code: 'c', privacy: 'unlisted' } })).body;
    const named = { name: expect.stringMatching(/^val_[0-9a-f]{12}$/), code: 'c', privacy: 'unlisted' };
    const [one, two] = [await create(), await create()];
    expect([one, two]).toMatchObject([named, named]);
    expect(one).not.toMatchObject({ name: (two as Val).name });
  });

  test('with the name of an existing val is refused', async () => {
    await service.createVal({ name: 'twice', code: '1' });
    const answer = await service.ask('POST', '/v1/vals', { body: { name: 'twice', code: '2' } });
    const detail = 'A val named twice already exists.';
    expect(answer).toMatchObject({
      status: 409,
      headers: { 'x-should-retry': 'false', 'content-type': 'application/problem+json' },
      body: { type: 'about:blank', title: 'Conflict', detail, message: detail },
    });
  });

  test.each([
    ['half a surrogate pair', { name: 'x', code: '\ud800' }, 'code must not contain an unpaired surrogate.'],
    ['an array', [], 'The request body must be a JSON object.'],
  ])('from %s is refused', async (_, body, detail) => {
    expect(await service.ask('POST', '/v1/vals', { body })).toMatchObject({ status: 400, body: { detail } });
  });

  test('may have as many characters as the limits, and ignores unknown fields', async () => {
    const readme = `${'r'.repeat(8_191)}\u0000`;
    const content = { name: 'a'.repeat(48), code: '😀'.repeat(256_000), readme, privacy: 'public' };
    const answer = await service.ask('POST', '/v1/vals', { body: { ...content, id: 'mine', version: 9 } });
    const expected = { ...content, public: true, version: 1, id: expect.stringMatching(uuid) };
    expect(answer).toMatchObject({ status: 201, body: expected });
    expect(await read((answer.body as Val).id)).toEqual(answer.body);
  });
});

test('code comes back byte for byte', async () => {
  const codes = [
    '\ufeffa\u0000b\u0000',
    '𝒳😀\u{10ffff}\uffff\ufffe\ufdd0',
    'a\r\nb\rc\n\u2028\u2029\u007f\u0085\u0001\u001b[31m',
    `'; DROP TABLE vals; -- "\\`,
  ];
  for (const code of codes) {
    const { body } = await service.putVal('bytes', code);
    expect((body as Val).code).toBe(code);
    expect((await read((body as Val).id)).code).toBe(code);
  }
});

describe('PUT /v1/vals', () => {
  test('creates a val, updates its code, and creates no version for the same code', async () => {
    const put = (code: string) => service.putVal('pushed', code);
    const first = await put('1');
    expect(first).toMatchObject({ status: 201, body: { version: 1, privacy: 'private', readme: null } });
    expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2' } });
    expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2' } });
    expect(await put('1')).toMatchObject({ status: 200, body: { version: 3, code: '1' } });
    expect(await versionsOf((first.body as Val).id)).toEqual([3, 2, 1]);
  });

  test('keeps the readme and the privacy', async () => {
    const kept = { readme: 'r', privacy: 'public' };
    await service.createVal({ name: 'kept', code: '1', ...kept });
    const body = { name: 'kept', code: '2', readme: 'other', privacy: 'private' };
    expect((await service.ask('PUT', '/v1/vals', { body })).body).toMatchObject({ code: '2', ...kept });
  });
});

describe('PUT /v1/vals/{id}', () => {
  test('changes the given fields, and keeps the code and its version', async () => {
    const { id } = await service.createVal({ name: 'first', code: 'c', readme: 'r', privacy: 'public' });
    const put = async (body: object) => {
      const answer = await service.ask('PUT', `/v1/vals/${id}`, { body });
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

  test('changes nothing if it is refused', async () => {
    await service.createVal({ name: 'in_use', code: 'c' });
    const { id } = await service.createVal({ name: 'refused', code: 'c', privacy: 'public' });
    const put = (name: string, client = service.statusOf, of = id) =>
      client('PUT', `/v1/vals/${of}`, { body: { name } });
    expect(await put('a-b')).toBe(400);
    expect(await put('in_use')).toBe(409);
    expect(await put('mine', eve.statusOf)).toBe(403);
    expect(await put('mine', service.statusOf, 'absent')).toBe(404);
    expect(await read(id)).toMatchObject({ name: 'refused', privacy: 'public' });
  });
});

test('the type of a val is set when it is created, with a version or with a PUT', async () => {
  const web = { name: 'web', code: 'c', type: 'http' };
  const { id } = (await service.ask('POST', '/v1/vals', { body: web })).body as Val;
  expect(await read(id)).toMatchObject(web);
  const version = (body: object) => service.ask('POST', `/v1/vals/${id}/versions`, { body });
  expect((await version({ code: 'd' })).body).toMatchObject({ type: 'http', version: 2 });
  expect((await version({ code: 'e', type: 'email' })).body).toMatchObject({ type: 'email', version: 3 });
  expect((await service.putVal('web', 'f')).body).toMatchObject({ type: 'email', version: 4 });
  const put = { name: 'web2', code: 'c', type: 'interval' };
  expect(await service.ask('PUT', '/v1/vals', { body: put })).toMatchObject({ status: 201, body: put });
  expect(await service.statusOf('PUT', `/v1/vals/${id}`, { body: { type: 'rpc' } })).toBe(204);
  expect(await read(id)).toMatchObject({ type: 'rpc', version: 4 });
  const { data } = await service.get<List>(`/v1/users/${me.id}/vals`);
  expect(data.find(({ name }) => name === 'web')?.type).toBe('rpc');
});

test('a NUL in a path is found nowhere', async () => {
  const { id } = await service.createVal({ name: 'nul', code: 'c' });
  for (const path of ['runs/%00', 'vals/%00', 'users/a%00', `vals/${id}/versions/%00`, 'alias/local/%00']) {
    expect(await service.statusOf('GET', `/v1/${path}`), path).toBe(404);
  }
});

test('deleting a val deletes its versions and frees its name', async () => {
  const { id } = await service.createVal({ name: 'doomed', code: '1' });
  expect(await service.ask('DELETE', `/v1/vals/${id}`)).toMatchObject({ status: 204, text: '' });
  for (const path of ['', '/versions', '/versions/1', '/runs']) {
    expect(await service.statusOf('GET', `/v1/vals/${id}${path}`)).toBe(404);
  }
  expect(await service.statusOf('DELETE', `/v1/vals/${id}`)).toBe(404);
  const again = await service.createVal({ name: 'doomed', code: '1' });
  expect(again.version).toBe(1);
  expect(again.id).not.toBe(id);
});

describe('versions', () => {
  test('are created from code, listed newest first, and can be read one by one', async () => {
    const val = await service.createVal({ name: 'versioned', code: '1', readme: 'r', privacy: 'public' });
    const path = `/v1/vals/${val.id}/versions`;
    const post = (body: object) => service.ask('POST', path, { body });
    const second = await post({ code: '2' });
    const times = { updatedAt: expect.any(String), versionCreatedAt: expect.any(String) };
    const codeHash = gitHash('2');
    expect(second).toMatchObject({
      status: 201,
      body: { ...val, code: '2', codeHash, version: 2, ...times },
    });
    expect(second.headers.location).toBe(`${path}/2`);
    expect(await post({ code: '2' })).toMatchObject({ status: 200, body: second.body });

    const { updatedAt, versionAuthor } = second.body as Val;
    expect(await service.get(path)).toEqual({
      data: [
        { val_id: val.id, version: 2, codeHash, createdAt: updatedAt, versionAuthor },
        { val_id: val.id, version: 1, codeHash: val.codeHash, createdAt: val.createdAt, versionAuthor },
      ],
      links: { self: `${service.baseUrl}${path}` },
    });
    expect(await service.get(`${path}/1`)).toEqual(val);
    expect(await service.get(`${path}/2`)).toEqual(second.body);
    expect(await read(val.id)).toEqual(second.body);
  });

  test('make the previous version current when the newest is deleted, and never reuse a number', async () => {
    const { id } = await service.createVal({ name: 'shrinking', code: '1' });
    const remove = (version: number) => service.ask('DELETE', `/v1/vals/${id}/versions/${version}`);
    const push = async (code: string) => ((await service.putVal('shrinking', code)).body as Val).version;
    await push('2');
    await push('3');
    expect(await remove(3)).toMatchObject({ status: 204, text: '' });
    expect(await read(id)).toMatchObject({ version: 2, code: '2' });
    expect(await push('3')).toBe(4);
    expect((await remove(1)).status).toBe(204);
    expect(await read(id)).toMatchObject({ version: 4, code: '3' });
    expect(await versionsOf(id)).toEqual([4, 2]);
    expect((await remove(4)).status).toBe(204);
    const detail = expect.stringContaining('the only version');
    expect(await remove(2)).toMatchObject({ status: 409, body: { detail } });
    expect(await read(id)).toMatchObject({ version: 2, code: '2' });
    expect(await push('5')).toBe(5);
  });

  test('change the given name, readme and privacy of the val, and not of a version', async () => {
    const val = await service.createVal({ name: 'before', code: '1', readme: 'r', privacy: 'public' });
    await service.createVal({ name: 'taken', code: '1' });
    const path = `/v1/vals/${val.id}/versions`;
    const post = (body: object) => service.ask('POST', path, { body });
    const given = { name: 'after', readme: 'new', privacy: 'unlisted' };
    const changed = { ...given, public: false, version: 2 };
    expect(await post({ code: '2', ...given })).toMatchObject({ status: 201, body: changed });
    expect(await service.get(`${path}/1`)).toMatchObject({ ...given, code: '1' });
    const withoutReadme = { ...changed, readme: null };
    expect(await post({ code: '2', readme: null })).toMatchObject({ status: 200, body: withoutReadme });
    expect(await post({ code: '3', name: 'taken' })).toMatchObject({ status: 409 });
    expect(await read(val.id)).toMatchObject({ name: 'after', version: 2 });
    expect((await service.createVal({ name: 'before', code: '1' })).id).not.toBe(val.id);
  });
});
