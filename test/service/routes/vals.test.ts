import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type List, temporaryService, type Val } from '../support.ts';

const service = await temporaryService();
const me = await service.get<{ id: string; username: string }>('/v1/me');

const gitHash = (code: string): string =>
  execFileSync('git', ['hash-object', '--stdin'], { input: code }).toString().trim();

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const read = (id: string) => service.get(`/v1/vals/${id}`);
const post = (body: object) => service.ask('POST', '/v1/vals', { body });
const versionsOf = async (id: string) =>
  (await service.get<List<Val>>(`/v1/vals/${id}/versions`)).data.map(({ version }) => version);

test('each answer with a val or a version has the id that git gives its code', async () => {
  const codes = ['first "ünïcode" \u0000', 'second 🙂'];
  const [first = '', second = ''] = codes.map(gitHash);
  const { id, codeHash } = await service.createVal({ name: 'hashed', code: codes[0] ?? '' });
  expect(codeHash).toBe(first);
  for (const code of [codes[1], codes[1]]) {
    expect((await service.putVal('hashed', `${code}`)).body).toMatchObject({ codeHash: second });
  }
  expect(await service.get(`/v1/vals/${id}/versions/1`)).toMatchObject({ codeHash: first });
  for (const path of [`/v1/users/${me.id}/vals`, '/v1/search/vals?query=hashed']) {
    const { data } = await service.get<List<Val>>(path);
    expect(data.find((val) => val.id === id)).toMatchObject({ codeHash: second });
  }
  await service.ask('DELETE', `/v1/vals/${id}/versions/2`);
  expect(await read(id)).toMatchObject({ codeHash: first });
});

describe('a new val', () => {
  test('is private, and without a name gets one of its own', async () => {
    const made = [await post({ code: 'c' }), await post({ code: 'c' })];
    const vals = made.map(({ body }) => body as Val);
    expect(vals).toMatchObject(
      Array(2).fill({ privacy: 'private', name: expect.stringMatching(/^val_[0-9a-f]{12}$/) }),
    );
    expect(vals[0]?.name).not.toBe(vals[1]?.name);
  });

  test('with the name of an existing val is refused', async () => {
    await service.createVal({ name: 'twice', code: '1' });
    const detail = 'A val named twice already exists.';
    expect(await post({ name: 'twice', code: '2' })).toMatchObject({
      status: 409,
      headers: { 'x-should-retry': 'false', 'content-type': 'application/problem+json' },
      body: { type: 'about:blank', title: 'Conflict', detail, message: detail },
    });
  });

  test('may have as many characters as the limits, and ignores unknown fields', async () => {
    const readme = `${'r'.repeat(8_191)}\u0000`;
    const content = { name: 'a'.repeat(48), code: '😀'.repeat(256_000), readme, privacy: 'public' };
    const answer = await post({ ...content, id: 'mine', version: 9 });
    const expected = { ...content, public: true, version: 1, id: expect.stringMatching(uuid) };
    expect(answer).toMatchObject({ status: 201, body: expected });
    expect(await read((answer.body as Val).id)).toEqual(answer.body);
  });
});

test('code comes back byte for byte, and code that UTF-8 cannot have is refused', async () => {
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
  expect((await service.putVal('bytes', '\ud800')).status).toBe(400);
});

test('PUT /v1/vals creates a val, and then changes its code alone, without a version for the same code', async () => {
  const first = await service.putVal('pushed', '1');
  const { id } = first.body as Val;
  expect(first).toMatchObject({ status: 201, body: { version: 1, privacy: 'private', readme: null } });
  const kept = { readme: 'r', privacy: 'public' };
  await service.ask('PUT', `/v1/vals/${id}`, { body: kept });
  const put = (code: string) =>
    service.ask('PUT', '/v1/vals', { body: { name: 'pushed', code, readme: 'x', privacy: 'private' } });
  expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2', ...kept } });
  expect(await put('2')).toMatchObject({ status: 200, body: { version: 2, code: '2' } });
  expect(await put('1')).toMatchObject({ status: 200, body: { version: 3, code: '1' } });
  expect(await versionsOf(id)).toEqual([3, 2, 1]);
});

test('PUT /v1/vals/{id} changes the given fields, and keeps the code and its version', async () => {
  await service.createVal({ name: 'in_use', code: 'c' });
  const { id } = await service.createVal({ name: 'first', code: 'c', readme: 'r', privacy: 'public' });
  const put = (body: object) => service.ask('PUT', `/v1/vals/${id}`, { body });
  let expected: object = { id, code: 'c', version: 1, name: 'first', readme: 'r', privacy: 'public' };
  for (const change of [
    { name: 'second' },
    { privacy: 'unlisted', public: false },
    { readme: null },
    { name: 'all', readme: 'new', privacy: 'private' },
  ]) {
    expected = { ...expected, ...change };
    expect(await put(change)).toMatchObject({ status: 204, text: '' });
    expect(await read(id)).toMatchObject(expected);
  }
  const before = await read(id);
  expect((await put({})).status).toBe(204);
  expect((await put({ name: 'in_use', privacy: 'public' })).status).toBe(409);
  expect(await read(id)).toEqual(before);
});

test('the type of a val is set when it is created, with a version or with a PUT', async () => {
  const web = { name: 'web', code: 'c', type: 'http' };
  const { id } = (await post(web)).body as Val;
  expect(await read(id)).toMatchObject(web);
  const version = (body: object) => service.ask('POST', `/v1/vals/${id}/versions`, { body });
  expect((await version({ code: 'd' })).body).toMatchObject({ type: 'http', version: 2 });
  expect((await version({ code: 'e', type: 'email' })).body).toMatchObject({ type: 'email', version: 3 });
  expect((await service.putVal('web', 'f')).body).toMatchObject({ type: 'email', version: 4 });
  const put = { name: 'web2', code: 'c', type: 'interval' };
  expect(await service.ask('PUT', '/v1/vals', { body: put })).toMatchObject({ status: 201, body: put });
  expect(await service.statusOf('PUT', `/v1/vals/${id}`, { body: { type: 'rpc' } })).toBe(204);
  expect(await read(id)).toMatchObject({ type: 'rpc', version: 4 });
});

test('a NUL in a path is found nowhere', async () => {
  const { id } = await service.createVal({ name: 'nul', code: 'c' });
  for (const path of ['runs/%00', 'vals/%00', 'users/a%00', `vals/${id}/versions/%00`, 'alias/local/%00']) {
    expect(await service.statusOf('GET', `/v1/${path}`), path).toBe(404);
  }
});

describe('versions', () => {
  test('are created from code, listed newest first, and can be read one by one', async () => {
    const val = await service.createVal({ name: 'versioned', code: '1', readme: 'r', privacy: 'public' });
    const path = `/v1/vals/${val.id}/versions`;
    const add = (code: string) => service.ask('POST', path, { body: { code } });
    const second = await add('2');
    expect(second).toMatchObject({ status: 201, body: { name: 'versioned', code: '2', version: 2 } });
    expect(await add('2')).toMatchObject({ status: 200, body: second.body });
    const { codeHash, updatedAt: createdAt, versionAuthor } = second.body as Val;
    const { data } = await service.get<List>(path);
    expect(data).toEqual([
      { val_id: val.id, version: 2, codeHash, createdAt, versionAuthor },
      { val_id: val.id, version: 1, codeHash: val.codeHash, createdAt: val.createdAt, versionAuthor },
    ]);
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
    expect(await versionsOf(id)).toEqual([4, 2]);
    expect((await remove(4)).status).toBe(204);
    const detail = expect.stringContaining('the only version');
    expect(await remove(2)).toMatchObject({ status: 409, body: { detail } });
    expect(await push('5')).toBe(5);
  });

  test('change the given name, readme and privacy of the val, and not of a version', async () => {
    const val = await service.createVal({ name: 'before', code: '1', readme: 'r', privacy: 'public' });
    const path = `/v1/vals/${val.id}/versions`;
    const add = (body: object) => service.ask('POST', path, { body });
    const given = { name: 'after', readme: 'new', privacy: 'unlisted' };
    expect(await add({ code: '2', ...given })).toMatchObject({ status: 201, body: { ...given, version: 2 } });
    expect(await service.get(`${path}/1`)).toMatchObject({ ...given, code: '1' });
    expect(await add({ code: '2', readme: null })).toMatchObject({ status: 200, body: { readme: null } });
    const before = await read(val.id);
    await service.createVal({ name: 'before', code: '1' });
    expect((await add({ code: '3', name: 'before' })).status).toBe(409);
    expect(await read(val.id)).toEqual(before);
  });
});
