import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Libsql from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { currentSchema } from '../../../src/service/database/schema.ts';
import { backupStore, type ServiceEvent, startService } from '../../../src/service/index.ts';
import { placeOf } from '../../support/embedded-service.ts';
import { newDatabase, onServer } from '../../support/postgres.ts';
import { run, temporaryFolder } from '../../support/program.ts';
import { clientOf, gitHash, type List, newPlace, postgres, storeOf } from '../support.ts';

/**
 * Stores that earlier versions of vals made, and what each person got from them. `views` has the answers to requests, with
 * paths in the place of addresses.
 */
interface Fixture {
  tokens: Record<string, string>;
  views: { person: string; path: string; answer: unknown }[];
}

const fixture = (schema: number, name: string) =>
  readFileSync(resolve(`test/service/database/fixtures/schema-${schema}.${name}`));
const unzipped = (schema: number, name: string) => gunzipSync(fixture(schema, name));

const viewsOf = (schema: number): Fixture =>
  JSON.parse(unzipped(schema, 'json.gz').toString())[postgres ? 'postgres' : 'sqlite'];

async function oldStore(schema: number): Promise<string> {
  const at = await newPlace();
  if (postgres) await onServer(at, fixture(schema, 'sql').toString());
  else writeFileSync(at, unzipped(schema, 'db.gz'));
  return at;
}

const noteUpgrade = (upgrades: string[]) => (event: ServiceEvent) => {
  if (event.kind === 'upgraded') upgrades.push(event.message);
};

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

describe.each([1, 2])('a store of schema %i', (schema) => {
  test('is brought up to date, and each person sees what they saw', async () => {
    const at = await oldStore(schema);
    const { tokens, views } = viewsOf(schema);
    const upgrades: string[] = [];
    const start = () => startService({ ...placeOf(at), port: 0, onEvent: noteUpgrade(upgrades) });
    const service = await start();
    for (const { person, path, answer } of views.filter(isAsBefore)) {
      const reply = await clientOf({ baseUrl: service.baseUrl, token: tokens[person] }).ask('GET', path);
      const text = reply.text.replaceAll(service.baseUrl, '');
      expect(JSON.parse(expected(text)), `${person} ${path}`).toEqual(
        JSON.parse(expected(JSON.stringify(answer))),
      );
    }
    const ada = clientOf({ baseUrl: service.baseUrl, token: tokens.ada });
    const { data } = await ada.get<List>('/v1/me/tokens');
    expect(data).toContainEqual(expect.objectContaining({ name: 'first', space: null }));
    for (const { id, codeHash } of (await ada.get<List>('/v1/search/vals?query=e')).data) {
      const { code } = await ada.get(`/v1/vals/${id}`);
      expect(codeHash).toBe(gitHash(code));
    }
    // A private val of bob imports greet, too.
    const references = (await ada.get<List>('/v1/me/references')).data;
    expect(references).toMatchObject(
      schema === 1 ? [] : [{ reference: { name: 'user' }, dependsOn: { name: 'greet', username: 'ada' } }],
    );
    const changed = await ada.putVal('greet', 'new');
    expect(changed).toMatchObject({ status: 200, body: { referenceCount: schema === 1 ? 0 : 2 } });
    await service.close();
    await (await start()).close();
    expect(upgrades).toEqual([expect.stringContaining(`from schema ${schema} to schema ${currentSchema}`)]);
    const { spaces, people } = await storeOf({ at });
    expect(await spaces.list()).toMatchObject([
      { username: 'acme', members: [{ username: 'ada' }, { username: 'bob' }] },
    ]);
    expect(await people.remove('bob', { withVals: true })).toBe('removed');
  });
});

test.each([1, 2])(
  'a store of schema %i is copied as it is, and its copies are up to date',
  async (schema) => {
    const at = await oldStore(schema);
    const { signal } = new AbortController();
    const { address, drop } = postgres ? await newDatabase(postgres) : { address: '', drop: async () => {} };
    onTestFinished(drop);
    const targets = [join(temporaryFolder(), 'copy.db'), ...(postgres ? [address] : [])];
    for (const target of targets) {
      expect(await backupStore(placeOf(at), placeOf(target), { signal })).toMatchObject({
        people: postgres ? 2 : 3,
      });
      const upgrades: string[] = [];
      const copy = await startService({
        ...placeOf(target),
        port: 0,
        onEvent: noteUpgrade(upgrades),
      });
      const ada = clientOf({ baseUrl: copy.baseUrl, token: viewsOf(schema).tokens.ada });
      expect(await ada.get('/v1/alias/ada/greet')).toMatchObject({ version: 3, readme: '# Greet\0\n' });
      await copy.close();
      expect(upgrades).toEqual([]);
    }
    const [found] = postgres
      ? await onServer(at, 'SELECT version FROM vals.store_version')
      : new Libsql(at).prepare('SELECT user_version AS version FROM pragma_user_version').all();
    expect(found).toEqual({ version: schema });
  },
);

describe('a store of schema 1', () => {
  test('is said to be brought up to date by a command that opens it', async () => {
    const at = await oldStore(1);
    if (!postgres) {
      const folder = temporaryFolder();
      copyFileSync(at, join(folder, 'vals.db'));
      const { exit, stderr } = await run(['ls', '--local'], { env: { VALS_DATA_DIR: folder } });
      expect({ exit, stderr }).toEqual({
        exit: 0,
        stderr: expect.stringContaining('from schema 1 to schema'),
      });
    }
    const place = postgres ? { env: { VALS_DATABASE: at } } : {};
    const args = ['user', 'ls', ...(postgres ? [] : ['--data', at])];
    expect(await run(args, place)).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining(`from schema 1 to schema ${currentSchema}`),
    });
    expect(await run(args, place)).toMatchObject({ exit: 0, stderr: '' });
  });

  test('stays as it is if the upgrade fails', async () => {
    const at = await oldStore(1);
    // The upgrade creates a table of this name, as its first step.
    const block = 'CREATE TABLE links (a TEXT)';
    if (postgres) await onServer(at, block.replace('links', 'vals.links'));
    else new Libsql(at).exec(block);
    await expect(startService({ ...placeOf(at), port: 0 })).rejects.toThrow('links');
    const tables = postgres
      ? await onServer(at, "SELECT tablename FROM pg_tables WHERE tablename = 'tokens'")
      : new Libsql(at).prepare("SELECT name FROM sqlite_schema WHERE name = 'tokens'").all();
    expect(tables).toEqual([]);
  });
});

test('an older program refuses a newer store, with exit 10', async () => {
  const at = await newPlace();
  await (await startService({ ...placeOf(at), port: 0 })).close();
  if (postgres) await onServer(at, 'UPDATE vals.store_version SET version = 99');
  else new Libsql(at).exec('PRAGMA user_version = 99');
  const refused = postgres
    ? await run(['user', 'ls'], { env: { VALS_DATABASE: at } })
    : await run(['user', 'ls', '--data', join(at)]);
  expect(refused).toMatchObject({
    exit: 10,
    stderr: expect.stringContaining('was made by a newer version of vals'),
  });
});
