import { expect, test } from 'vitest';
import { type List, temporaryService, type Val } from '../support.ts';

/** As official clients do: they merge the query of the first page into that of `links.next`, and stop at its absence. */
async function readAll({ get }: Pick<typeof service, 'get'>, first: string): Promise<unknown[]> {
  const found: unknown[] = [];
  const query = new URL(first, service.baseUrl).searchParams;
  for (let next: string | undefined = first; next !== undefined; ) {
    const { data, links }: List = await get<List>(next);
    found.push(...data);
    if (links.next === undefined) break;
    const address = new URL(links.next);
    for (const [name, value] of query) address.searchParams.set(name, value);
    next = address.href;
  }
  return found;
}

const service = await temporaryService();

test('the journey of an official client is whole', async () => {
  const me = await service.get('/v1/me');
  const made = await service.ask('POST', '/v1/vals', {
    body: { name: 'one', code: '1', readme: 'r', privacy: 'public' },
  });
  expect(made).toMatchObject({ status: 201, body: { name: 'one', version: 1, privacy: 'public' } });
  const { id } = made.body as Val;
  const nameless = await service.ask('POST', '/v1/vals', { body: { code: 'c' } });
  expect(nameless).toMatchObject({ status: 201, body: { name: expect.stringMatching(/^[a-z]\w+$/) } });
  expect((await service.putVal('one', '2')).body).toMatchObject({ id, version: 2 });
  expect(await service.statusOf('PUT', `/v1/vals/${id}`, { body: { name: 'uno' } })).toBe(204);
  for (const code of ['3', '4', '5']) {
    expect(await service.statusOf('POST', `/v1/vals/${id}/versions`, { body: { code } })).toBe(201);
  }
  expect(await readAll(service, `/v1/vals/${id}/versions?limit=1&offset=0`)).toHaveLength(5);

  for (let count = 0; count < 15; count++) {
    await service.putVal(`v${count}`, `import '${service.baseUrl}/v1/vals/${id}/module'; // ${count}`);
  }
  const vals = (await readAll(service, `/v1/users/${me.id}/vals?limit=7&offset=0`)) as Val[];
  expect(new Set(vals.map((val) => val.id)).size).toBe(17);
  expect(vals).toHaveLength(17);
  expect(await readAll(service, '/v1/search/vals?query=module&limit=7')).toHaveLength(15);
  expect(await readAll(service, '/v1/me/references?limit=7')).toHaveLength(15);
  expect(await service.get('/v1/alias/local/uno')).toMatchObject({ id, version: 5 });
  expect(await service.get('/v1/alias/local')).toMatchObject({ id: me.id });

  const refused = (method: string, path: string, body?: object) => service.ask(method, path, { body });
  const refusal = { headers: { 'x-should-retry': 'false' }, body: { message: expect.any(String) } };
  expect(await refused('POST', '/v1/vals', { name: 'uno', code: 'c' })).toMatchObject({
    status: 409,
    ...refusal,
  });
  expect(await refused('POST', '/v1/vals', { name: '1', code: 'c' })).toMatchObject({
    status: 400,
    ...refusal,
  });
  expect(await refused('GET', `/v1/vals/${me.id}`)).toMatchObject({ status: 404, ...refusal });
  expect(await service.statusOf('DELETE', `/v1/vals/${id}/versions/1`)).toBe(204);
  expect(await service.statusOf('DELETE', `/v1/vals/${id}`)).toBe(204);
  expect(await refused('GET', `/v1/vals/${id}`)).toMatchObject({ status: 404, ...refusal });
});
