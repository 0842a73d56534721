import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { behindProxy, type List, type Person, storeOf, temporaryService, type Val } from '../support.ts';

interface Reference extends Record<string, unknown> {
  reference: { id: string; name: string };
  dependsOn: { id: string };
  referencedAt: string;
}

const service = await temporaryService();
const ada = await service.addPerson('ada');
const bob = await service.addPerson('bob');
const { db } = await storeOf(service);
await service.addSpace('acme', { ada: 'write' });

const newName = () => `v${randomUUID().replaceAll('-', '')}`;
const newVal = (person: Pick<Person, 'createVal'>, code: string, privacy = 'private') =>
  person.createVal({ name: newName(), code, privacy });
const moduleOf = ({ id }: Val) => `${service.baseUrl}/v1/vals/${id}/module`;
const importOf = (val: Val) => `import '${moduleOf(val)}';`;

const namesOf = async ({ get }: Pick<Person, 'get'>, { id }: Val, path = '') => {
  const { data } = await get<List<Reference>>(`${path}/v1/me/references?limit=100`);
  return data.filter(({ dependsOn }) => dependsOn.id === id).map(({ reference }) => reference.name);
};
const countOf = async (val: Val) => (await namesOf(ada, val)).length;

describe('a reference', () => {
  test.each([
    ['its module', (id: string) => `/v1/vals/${id}/module`],
    ['its module below a space', (id: string) => `/@acme/v1/vals/${id}/module?v=2`],
    ['its page', (id: string) => `/vals/${id}`],
    ['the page of a version', (id: string) => `/@acme/vals/${id}/versions/1`],
    ['the code of a version', (id: string) => `/vals/${id}/versions/1/raw`],
  ])('is found in code that imports a val by %s', async (_, path) => {
    const used = await newVal(ada, 'c');
    const code = `import x from '${service.baseUrl}${path(used.id)}'; import '${service.baseUrl}/vals/none'`;
    const user = await newVal(ada, code);
    const { data } = await ada.get<List<Reference>>('/v1/me/references?limit=1');
    const { id: author_id, username } = ada.user;
    expect(data).toEqual([
      {
        reference: { id: user.id, name: user.name, author_id, username },
        dependsOn: { id: used.id, name: used.name, author_id, username },
        referencedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      },
    ]);
    expect(await countOf(used)).toBe(1);
  });

  test('is not found for another service, a val that imports itself, a comment or a text', async () => {
    const used = await newVal(ada, 'c');
    const address = moduleOf(used);
    await newVal(ada, `import 'https://x.example/v1/vals/${used.id}/module'; const address = '${address}';`);
    await newVal(ada, `// import '${address}'\n/* from '${address}' */ const text = "import '${address}'";`);
    await newVal(ada, `x.import('${address}'); Array.from('${address}'); import.meta.resolve('${address}')`);
    await ada.putVal(used.name, importOf(used));
    expect(await namesOf(ada, used)).toEqual([]);
  });

  test('is found in each kind of import, at the end of long code', async () => {
    const used = await newVal(ada, 'c');
    const from = `"${moduleOf(used)}"`;
    const imports = [
      `import${from}`,
      `import{x}from${from}`,
      `export * from ${from}`,
      `await import( /* why */ ${from})`,
    ];
    for (const one of [
      ...imports,
      `const pattern = /'/; import ${from}`,
      `${'a+'.repeat(100_000)}a; import ${from}`,
    ]) {
      await newVal(ada, one);
    }
    expect(await countOf(used)).toBe(6);
  });

  test('is found by the public address of a service', async () => {
    const outside = await temporaryService({ network: behindProxy });
    const used = await outside.createVal({ name: 'used', code: 'c' });
    const path = `/v1/vals/${used.id}/module`;
    await outside.putVal('user', `import 'https://vals.example${path}'`);
    await outside.putVal('other', `import 'http://127.0.0.1:${outside.port}${path}'`);
    expect(await namesOf(outside, used)).toEqual(['user']);
  });

  test('goes with the import, with the version and with each of the vals', async () => {
    const [one, two] = [await newVal(ada, 'c'), await newVal(ada, 'c')];
    const { id, name } = await newVal(ada, importOf(one));
    const counts = async () => [await countOf(one), await countOf(two)];
    const since = (await ada.get<List<Reference>>('/v1/me/references?limit=1')).data[0]?.referencedAt;
    await ada.putVal(name, `${importOf(one)} // changed`);
    expect((await ada.get<List<Reference>>('/v1/me/references?limit=1')).data[0]?.referencedAt).toBe(since);
    await ada.putVal(name, importOf(two));
    expect(await counts()).toEqual([0, 1]);
    await ada.ask('DELETE', `/v1/vals/${id}/versions/3`);
    expect(await counts()).toEqual([1, 0]);
    await ada.putVal(name, `${importOf(two)}${importOf(one)}`);
    expect(await counts()).toEqual([1, 1]);
    await ada.putVal(name, 'none');
    expect(await counts()).toEqual([0, 0]);
    await ada.putVal(name, `${importOf(two)}${importOf(one)}`);
    await ada.ask('DELETE', `/v1/vals/${one.id}`);
    expect(await namesOf(ada, one)).toEqual([]);
    expect(await namesOf(ada, two)).toEqual([name]);
    await ada.ask('DELETE', `/v1/vals/${id}`);
    expect(await countOf(two)).toBe(0);
  });

  test('names the vals that the caller may find, and nothing counts the others', async () => {
    const used = await newVal(ada, 'c', 'public');
    const users: Record<string, string> = {};
    for (const privacy of ['public', 'unlisted', 'private']) {
      users[privacy] = (await newVal(bob, importOf(used), privacy)).name;
    }
    const body = { name: newName(), code: importOf(used) };
    await ada.ask('PUT', '/@acme/v1/vals', { body });
    expect(await namesOf(ada, used)).toEqual([body.name, users.public]);
    expect(await namesOf(bob, used)).toEqual([]);
    const alone = await newVal(ada, 'c', 'public');
    const { name: _, ...seen } = await bob.get<Val>(`/v1/vals/${used.id}`);
    const { name: __, ...other } = await bob.get<Val>(`/v1/vals/${alone.id}`);
    const withoutId = (val: object, id: string) =>
      JSON.stringify(val)
        .replaceAll(id, '')
        .replace(/\d{4}-[^"]+Z/g, '');
    expect(withoutId(seen, used.id)).toBe(withoutId(other, alone.id));
  });

  test('is found behind hundreds that the caller may not find, and that of a deleted val is not', async () => {
    const used = await newVal(ada, 'c', 'public');
    const [first, last] = [await newVal(ada, importOf(used)), newName()];
    const series = sql`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 450)`;
    const id = sql`${used.id} || '-' || n`;
    await db.transaction(async ({ query }) => {
      await query(sql`
        INSERT INTO vals (id, owner_id, name, privacy, type, created_at, updated_at)
          ${series} SELECT ${id}, id, 'hidden' || n, 'private', 'script', '2026', '2026' FROM s, users
            WHERE username = 'bob'`);
      await query(sql`
        INSERT INTO imports (val_id, imported_id, imported_owner_id, at)
          ${series} SELECT ${id}, CASE n % 2 WHEN 0 THEN ${used.id} ELSE 'deleted' END, ${ada.user.id}, 2000000000000 FROM s`);
    });
    await ada.createVal({ name: last, code: importOf(used) });
    expect(await namesOf(ada, used)).toEqual([last, first.name]);
    const { data, links } = await ada.get<List<Reference>>('/v1/me/references?limit=1&offset=1');
    expect(data[0]?.reference.name).toBe(first.name);
    expect((await ada.get<List<Reference>>(`${links.next}`)).data).not.toEqual([]);
  });

  test('is listed once, in an order that later writes do not change', async () => {
    const eve = await service.addPerson('eve');
    const used = await newVal(eve, 'c');
    const names: string[] = [];
    for (let i = 0; i < 25; i++) names.unshift((await newVal(eve, importOf(used))).name);
    const read: string[] = [];
    let next: string | undefined = '/v1/me/references?limit=10';
    while (next !== undefined) {
      const { data, links }: List<Reference> = await eve.get(next);
      for (const { reference } of data) {
        read.push(reference.name);
        await eve.putVal(reference.name, `${importOf(used)} // read`);
      }
      next = links.next;
    }
    expect(read).toEqual(names);
    const { data } = await eve.get<List<Reference>>('/v1/me/references?offset=10&limit=5');
    expect(data.map(({ reference }) => reference.name)).toEqual(names.slice(10, 15));
    const at = data[0]?.referencedAt;
    expect((await eve.get<List>(`/v1/me/references?until=${at}&limit=100`)).data).toHaveLength(15);
    expect((await eve.get<List>(`/v1/me/references?since=${at}&limit=100`)).data).toHaveLength(10);
  });
});
