import { readFileSync } from 'node:fs';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/service/index.ts';
import { placeOf } from '../../support/embedded-service.ts';
import { onServer } from '../../support/postgres.ts';
import { ask, type List, newPlace, postgres, temporaryService, type Val } from '../support.ts';

const dump = (name: string) => readFileSync(new URL(`released/${name}.sql`, import.meta.url), 'utf8');

async function makeReleased(): Promise<string> {
  const at = await newPlace();
  if (postgres === undefined) {
    const database = new Libsql(at);
    database.exec(dump('sqlite'));
    database.close();
  } else {
    await onServer(at, dump('postgres'));
  }
  return at;
}

test('a store of the last release keeps its people, vals, versions and runs', async () => {
  const at = await makeReleased();
  const store = await openStore(placeOf(at));
  const ada = await store.users.renewToken('ada');
  const people = await store.users.list();
  expect(people.map(({ username, vals }) => [username, vals])).toEqual(
    [
      ['ada', 2],
      ['bob', 1],
      ['local', 0],
    ].slice(0, postgres ? 2 : 3),
  );
  expect(await store.spaces.list()).toEqual([]);
  await store.close();

  const { baseUrl } = await temporaryService({ at });
  const service = { baseUrl, token: ada?.token };
  const { data } = (await ask(service, 'GET', `/v1/users/${ada?.user.id}/vals`)).body as List<Val>;
  expect(data).toMatchObject([
    { name: 'shared', privacy: 'public', version: 1, author: ada?.user, versionAuthor: null },
    { name: 'hello', privacy: 'private', version: 2, author: ada?.user, versionAuthor: null },
  ]);
  const [shared, hello] = data;
  expect((await ask(service, 'GET', `/v1/vals/${shared?.id}`)).body).toMatchObject({ readme: '# Shared\n' });
  const runs = (await ask(service, 'GET', `/v1/vals/${hello?.id}/runs`)).body as List;
  expect(runs.data).toMatchObject([{ val: { name: 'hello', version: 2 }, error: null }]);

  const put = await ask(service, 'PUT', '/v1/vals', { body: { name: 'hello', code: 'new' } });
  expect(put.body).toMatchObject({ id: hello?.id, version: 3, versionAuthor: ada?.user });
  const versions = (await ask(service, 'GET', `/v1/vals/${hello?.id}/versions`)).body as List;
  expect(versions.data).toMatchObject([
    { version: 3, versionAuthor: ada?.user },
    { version: 2, versionAuthor: null },
    { version: 1, versionAuthor: null },
  ]);
});
