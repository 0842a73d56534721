import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { currentSchema } from '../../../src/service/database/schema.ts';
import { backupStore, type ServiceEvent, startService } from '../../../src/service/index.ts';
import { placeOf } from '../../support/embedded-service.ts';
import { newDatabase, onServer } from '../../support/postgres.ts';
import { run, temporaryFolder } from '../../support/program.ts';
import { addPerson, clientOf, gitHash, type List, newPlace, postgres, temporaryService } from '../support.ts';

/** Statements for the store itself. In PostgreSQL, its tables are in a schema. */
async function change(at: string, inSqlite: string, inPostgres = inSqlite): Promise<void> {
  if (postgres) await onServer(at, `SET search_path = vals; ${inPostgres}`);
  else new Libsql(at).exec(inSqlite);
}

const setSchema = (at: string, number: number) =>
  change(at, `PRAGMA user_version = ${number}`, `UPDATE store_version SET version = ${number}`);

async function schemaOf(at: string): Promise<unknown> {
  const [found] = postgres
    ? await onServer(at, 'SELECT version FROM vals.store_version')
    : (new Libsql(at).prepare('SELECT user_version AS version FROM pragma_user_version').all() as [
        { version: number },
      ]);
  return found?.version;
}

const lastSchema = currentSchema - 1;

/** A store of the last schema, which has no table for imports. Returns what ada saw in it before. */
async function oldStore(users = 1) {
  const service = await temporaryService();
  const { at } = service;
  const ada = await addPerson(service, 'ada');
  const used = await ada.createVal({ name: 'used', code: '1\0é', readme: '# r' });
  const importing = `import '${service.baseUrl}/v1/vals/${used.id}/module';`;
  for (let i = 0; i < users; i++) await ada.createVal({ name: `user${i}`, code: importing });
  const seen = await viewOf(ada, used.id);
  await service.close();
  await change(at, 'DROP TABLE imports');
  await setSchema(at, lastSchema);
  return { at, token: ada.token, id: used.id, seen };
}

async function viewOf({ get, baseUrl }: Pick<ReturnType<typeof clientOf>, 'get' | 'baseUrl'>, id: string) {
  const { data } = await get<List>('/v1/me/references?limit=100');
  const view = { val: await get(`/v1/vals/${id}`), versions: await get(`/v1/vals/${id}/versions`) };
  return {
    ...JSON.parse(JSON.stringify(view).replaceAll(baseUrl, '')),
    references: data.map(({ reference }) => reference).sort(),
  };
}

async function startNoting(at: string) {
  const upgrades: string[] = [];
  const onEvent = (event: ServiceEvent) => {
    if (event.kind === 'upgraded') upgrades.push(event.message);
  };
  const service = await startService({ ...placeOf(at), port: 0, onEvent });
  onTestFinished(service.close);
  return { ...service, upgrades };
}

test('an older store is brought up to date once, which is said, and each person sees what they saw', async () => {
  // More than one step of the upgrade reads.
  const users = 60;
  const { at, token, id, seen } = await oldStore(users);
  const { baseUrl, upgrades, close } = await startNoting(at);
  const view = await viewOf(clientOf({ baseUrl, token }), id);
  expect({ ...view, references: new Set(view.references) }).toEqual({
    ...seen,
    references: new Set(seen.references),
  });
  expect(view.references).toHaveLength(users);
  expect(upgrades).toEqual([expect.stringContaining(`from schema ${lastSchema} to schema ${currentSchema}`)]);
  await close();
  expect((await startNoting(at)).upgrades).toEqual([]);
});

test('a command that opens an older store says that it is brought up to date', async () => {
  const { at } = await oldStore();
  const place = postgres ? { env: { VALS_DATABASE: at } } : {};
  const args = ['user', 'ls', ...(postgres ? [] : ['--data', at])];
  expect(await run(args, place)).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining(`from schema ${lastSchema} to schema ${currentSchema}`),
  });
  expect(await run(args, place)).toMatchObject({ exit: 0, stderr: '' });
});

test('a store whose upgrade fails stays as it is', async () => {
  const { at } = await oldStore();
  await change(at, 'CREATE TABLE imports_by_imported (a TEXT)');
  await expect(startService({ ...placeOf(at), port: 0 })).rejects.toThrow('imports_by_imported');
  await change(at, 'CREATE TABLE imports (a TEXT)');
  expect(await schemaOf(at)).toBe(lastSchema);
});

test('a store of a newer schema is refused, with exit 10', async () => {
  const { at, close } = await temporaryService();
  await close();
  await setSchema(at, 99);
  const refused = postgres
    ? await run(['user', 'ls'], { env: { VALS_DATABASE: at } })
    : await run(['user', 'ls', '--data', at]);
  expect(refused).toMatchObject({
    exit: 10,
    stderr: expect.stringContaining('was made by a newer version of vals'),
  });
});

/**
 * Stores that earlier versions of vals made, and what each person got from them. `views` has the answers to requests, with
 * paths in the place of addresses.
 */
interface Fixture {
  tokens: Record<string, string>;
  views: { person: string; path: string; answer: unknown }[];
}

const fixture = (schema: number, name: string) =>
  gunzipSync(readFileSync(resolve(`test/service/database/fixtures/schema-${schema}.${name}.gz`)));

/** What the newer program sends otherwise. */
const expected = (text: string) =>
  text
    .replaceAll(/"url":"[^"]*"/g, '"url":null')
    .replaceAll(/"codeHash":"[^"]*",/g, '')
    .replaceAll(/"referenceCount":\d+/g, '"referenceCount":0')
    .replaceAll(/,"token":\{[^}]*\}/g, '')
    .replaceAll('"module":"/@acme/', '"module":"/');

/** The first version made up parts of a like that the seed had left out. References came from seeds, and are found now. */
const isAsBefore = ({ path }: { path: string }) => path !== '/v1/me/likes' && path !== '/v1/me/references';

test.each([1, 2])(
  'a store of schema %i, and copies of it, show each person what they saw',
  async (schema) => {
    const at = await newPlace();
    if (postgres) await onServer(at, fixture(schema, 'sql').toString());
    else writeFileSync(at, fixture(schema, 'db'));
    const views: Record<string, Fixture> = JSON.parse(fixture(schema, 'json').toString());
    const { tokens, views: seen } = views[postgres ? 'postgres' : 'sqlite'] ?? { tokens: {}, views: [] };
    const copies = [join(temporaryFolder(), 'copy.db')];
    if (postgres) {
      const { address, drop } = await newDatabase(postgres);
      onTestFinished(drop);
      copies.push(address);
    }
    const { signal } = new AbortController();
    for (const copy of copies) await backupStore(placeOf(at), placeOf(copy), { signal });
    expect(await schemaOf(at)).toBe(schema);
    for (const place of [at, ...copies]) {
      const { baseUrl, upgrades } = await startNoting(place);
      expect(upgrades).toHaveLength(place === at ? 1 : 0);
      const isOwnersToken = (person: string) => !['ada', 'bob'].includes(person);
      for (const { person, path, answer } of seen.filter(isAsBefore)) {
        // The token of the embedded store's owner is in no copy.
        if (place !== at && isOwnersToken(person)) continue;
        const reply = await clientOf({ baseUrl, token: tokens[person] }).ask('GET', path);
        const text = reply.text.replaceAll(baseUrl, '');
        expect(JSON.parse(expected(text)), `${person} ${path}`).toEqual(
          JSON.parse(expected(JSON.stringify(answer))),
        );
      }
      const ada = clientOf({ baseUrl, token: tokens.ada });
      for (const { id, codeHash } of (await ada.get<List>('/v1/search/vals?query=e')).data) {
        const { code } = await ada.get(`/v1/vals/${id}`);
        expect(codeHash).toBe(gitHash(code));
      }
      const changed = await ada.putVal('greet', 'new');
      expect(changed).toMatchObject({ status: 200, body: { referenceCount: schema === 1 ? 0 : 2 } });
    }
  },
);
