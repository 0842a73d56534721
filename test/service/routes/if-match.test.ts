import { expect, test } from 'vitest';
import { temporaryService, type Val } from '../support.ts';

const service = await temporaryService();

let count = 0;
const newVal = () => service.createVal({ name: `val${count++}`, code: 'c', privacy: 'public' });

async function etagOf(path: string): Promise<string> {
  const { headers } = await service.ask('GET', path);
  return headers.etag ?? '';
}

const change = (method: string, path: string, tag: string, body?: object) =>
  service.ask(method, path, { body, headers: { 'If-Match': tag } });

test('each answer that is a val or changed one has a strong ETag of its state', async () => {
  const created = await service.ask('POST', '/v1/vals', { body: { name: 'tagged', code: '1' } });
  const { id } = created.body as Val;
  expect(created.headers.etag).toMatch(/^"[^"]+"$/);
  expect(await etagOf(`/v1/vals/${id}`)).toBe(created.headers.etag);
  expect(await etagOf('/v1/alias/local/tagged')).toBe(created.headers.etag);
  const same = await service.ask('PUT', '/v1/vals', { body: { name: 'tagged', code: '1' } });
  expect(same.headers.etag).toBe(created.headers.etag);
  const seen = new Set([created.headers.etag]);
  for (const [method, path, body] of [
    ['PUT', '/v1/vals', { name: 'tagged', code: '2' }],
    ['POST', `/v1/vals/${id}/versions`, { code: '3' }],
    ['PUT', `/v1/vals/${id}`, { readme: 'r' }],
    ['PUT', `/v1/vals/${id}`, { privacy: 'public' }],
    ['PUT', `/v1/vals/${id}`, { type: 'http' }],
    ['PUT', `/v1/vals/${id}`, { name: 'tagged2' }],
    ['DELETE', `/v1/vals/${id}/versions/1`, undefined],
    ['DELETE', `/v1/vals/${id}/versions/3`, undefined],
  ] as const) {
    const { status, headers } = await service.ask(method, path, { body });
    expect(status, path).toBeLessThan(300);
    const tag = await etagOf(`/v1/vals/${id}`);
    expect(headers.etag, path).toBe(tag);
    seen.add(tag);
  }
  expect(seen.size).toBe(9);
});

test.each<[string, (val: Val) => [method: string, path: string, body?: object]]>([
  ['PUT /v1/vals', ({ name }) => ['PUT', '/v1/vals', { name, code: 'new' }]],
  ['PUT /v1/vals/{id}', ({ id }) => ['PUT', `/v1/vals/${id}`, { readme: 'new' }]],
  ['POST .../versions', ({ id }) => ['POST', `/v1/vals/${id}/versions`, { code: 'new' }]],
  ['DELETE /v1/vals/{id}', ({ id }) => ['DELETE', `/v1/vals/${id}`]],
  ['DELETE .../versions/{version}', ({ id }) => ['DELETE', `/v1/vals/${id}/versions/1`]],
])(
  '%s with an old ETag is refused and changes nothing, and is done with the current one',
  async (_, requestFor) => {
    const val = await newVal();
    const path = `/v1/vals/${val.id}`;
    const old = await etagOf(path);
    await service.putVal(val.name, 'd');
    const before = await service.get(path);
    const [method, target, body] = requestFor(val);
    for (const tag of [old, `W/${await etagOf(path)}`, '']) {
      expect(await change(method, target, tag, body), tag).toMatchObject({
        status: 412,
        headers: { 'x-should-retry': 'false' },
      });
    }
    expect(await service.get(path)).toEqual(before);
    expect((await change(method, target, `"x", ${await etagOf(path)}`, body)).status).toBeLessThan(300);
  },
);

test('no val is created with If-Match, and a val that was made anew does not have the old ETag', async () => {
  const put = (tag: string) => change('PUT', '/v1/vals', tag, { name: 'anew', code: 'c' });
  expect((await put('*')).status).toBe(412);
  const first = await service.createVal({ name: 'anew', code: 'c' });
  const tag = await etagOf(`/v1/vals/${first.id}`);
  await service.ask('DELETE', `/v1/vals/${first.id}`);
  expect((await put(tag)).status).toBe(412);
  await service.createVal({ name: 'anew', code: 'c' });
  expect((await put(tag)).status).toBe(412);
});

test('of ten writers with one ETag, one succeeds', async () => {
  const { id } = await newVal();
  const tag = await etagOf(`/v1/vals/${id}`);
  const writes = Array.from({ length: 10 }, (_, i) =>
    i % 2
      ? change('POST', `/v1/vals/${id}/versions`, tag, { code: `// ${i}` })
      : change('PUT', `/v1/vals/${id}`, tag, { readme: `${i}` }),
  );
  const statuses = (await Promise.all(writes)).map(({ status }) => status);
  expect(statuses.filter((status) => status < 300)).toHaveLength(1);
  expect(statuses.filter((status) => status === 412)).toHaveLength(9);
});

test('a stranger learns nothing from an ETag', async () => {
  const eve = await service.addPerson('eve');
  const { id } = await service.createVal({ name: 'hidden', code: 'c' });
  for (const tag of [await etagOf(`/v1/vals/${id}`), '"x"']) {
    expect(await eve.statusOf('DELETE', `/v1/vals/${id}`, { headers: { 'If-Match': tag } })).toBe(404);
  }
});
