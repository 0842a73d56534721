import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { migrations } from '../../../src/service/database/sqlite-schema.ts';
import { budget } from '../../support/cases.ts';
import { embeddedService } from '../../support/embedded-service.ts';
import {
  addPerson,
  ask,
  type Caller,
  get,
  type List,
  putVal,
  statusOf,
  temporaryFolder,
  temporaryService,
  type Val,
} from '../support.ts';
import { makeVersion1 } from './version-1.ts';

test('a store of version 1 is migrated with all its records', async () => {
  const file = join(temporaryFolder(), 'store.db');
  makeVersion1(file, 3);
  const service = await temporaryService({ at: file });
  expect(service.token).toBe('vals_local_of_version_1');
  const id = '00000001-0000-4000-8000-000000000000';
  expect(await get(service, `/v1/vals/${id}`)).toMatchObject({
    id,
    name: 'v1',
    code: '// v1',
    readme: 'readme',
    privacy: 'private',
    version: 3,
    createdAt: '2024-01-01T00:00:00.000001Z',
    versionCreatedAt: '2025-01-01T00:00:00.000001Z',
    updatedAt: '2025-01-01T00:00:00.000001Z',
    author: { id: '0b0f5c1e-0000-4000-8000-000000000000', username: 'local' },
  });
  expect(await get(service, `/v1/vals/${id}/versions/1`)).toMatchObject({ code: '// one' });
  expect(await get(service, '/v1/me/likes')).toMatchObject({ data: [{ id: 'l' }] });
  expect((await putVal(service, 'v1', 'new')).body).toMatchObject({ id, version: 4 });
});

test('a store of version 2 is migrated, and runs that name a later val belong to that val', async () => {
  const file = join(temporaryFolder(), 'store.db');
  makeVersion1(file, 3);
  const database = new Database(file);
  database.exec(`${migrations[1]?.(() => [])} PRAGMA user_version = 2`);
  database.exec(`INSERT INTO records (kind, key, at, tag, val_id, json) VALUES
    ('runs', 'r1', '2024-01-01T00:00:00.000000000Z', 'passed', NULL, '{"id":"r1","val":{"name":"later"},"x":1.0}'),
    ('references', 'f1', '', NULL, NULL, '{"reference":{},"dependsOn":{"name":"later"}}')`);
  database.close();
  const service = await temporaryService({ at: file });
  const val = (await putVal(service, 'later', 'c')).body as Val;
  expect(val).toMatchObject({ likeCount: 0, referenceCount: 1 });
  const runs = await ask(service, 'GET', `/v1/vals/${val.id}/runs`);
  expect(runs.text).toContain(`{"id":"r1","val":{"name":"later","id":"${val.id}"},"x":1.0}`);
});

test('a store of version 3 is migrated to its owner without loss, and other people can join', async () => {
  const file = join(temporaryFolder(), 'store.db');
  makeVersion1(file, 200);
  const database = new Database(file);
  database.exec(`${migrations[1]?.(() => [])} ${migrations[2]?.(() => [])} PRAGMA user_version = 3`);
  const [first, second] = ['00000000-0000-4000-8000-000000000000', '00000001-0000-4000-8000-000000000000'];
  database.exec(`INSERT INTO records (kind, key, at, tag, val_id, val_name, json) VALUES
    ('runs', 'r2', '2024-01-01T00:00:00.000000000Z', 'failed', '${first}', 'v0', '{"id":"r2","error":"x"}'),
    ('runs', 'r1', '2024-01-01T00:00:00.000000000Z', 'passed', '${first}', 'v0', '{"id":"r1","big":12345678901234567890}'),
    ('runs', 'r3', '2024-01-02T00:00:00.000000000Z', 'passed', NULL, 'later', '{"id":"r3","val":{"name":"later"}}'),
    ('likes', 'k', '', NULL, '${second}', 'v1', '{"id":"${second}"}'),
    ('references', 'f', '', NULL, NULL, 'x', '{"referencedAt":"2024-05-01T00:00:00Z"}')`);
  const before = {
    vals: database.prepare('SELECT * FROM vals ORDER BY id').all(),
    versions: database.prepare('SELECT * FROM versions ORDER BY val_id, version').all(),
    records: database.prepare('SELECT * FROM records ORDER BY position').all(),
  };
  database.close();

  const service = await temporaryService({ at: file });
  const after = new Database(file);
  const [owner] = after.prepare('SELECT * FROM users').all() as { id: string }[];
  expect(after.prepare('SELECT * FROM vals ORDER BY id').all()).toEqual(
    before.vals.map((val) => ({ ...(val as object), owner_id: owner?.id, type: 'script' })),
  );
  expect(after.prepare('SELECT * FROM versions ORDER BY val_id, version').all()).toEqual(
    before.versions.map((version) => ({ ...(version as object), author_id: null, author_name: null })),
  );
  expect(after.prepare('SELECT * FROM records ORDER BY position').all()).toEqual(
    (before.records as { kind: string }[]).map((record) => ({
      ...{ ...record, owner_id: owner?.id },
      ...(record.kind === 'references' && { at: '2024-05-01T00:00:00.000000000Z' }),
    })),
  );
  expect(after.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  expect(after.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);

  expect(service.token).toBe('vals_local_of_version_1');
  expect(await get(service, '/v1/me')).toMatchObject({ id: owner?.id, username: 'local' });
  const runs = await ask(service, 'GET', `/v1/vals/${first}/runs`);
  expect(runs.text).toContain('{"id":"r2","error":"x"},{"id":"r1","big":12345678901234567890}');
  expect(await get(service, `/v1/vals/${second}`)).toMatchObject({ likeCount: 1 });
  const { id } = (await putVal(service, 'later', 'c')).body as Val;
  const { data } = await get<List>(service, `/v1/vals/${id}/runs`);
  expect(data).toEqual([{ id: 'r3', val: { name: 'later', id } }]);
  expect(await statusOf(service, 'DELETE', `/v1/vals/${first}`)).toBe(204);
  expect(after.prepare('SELECT * FROM versions WHERE val_id = ?').all([first])).toEqual([]);

  const ada = await addPerson(service, 'ada');
  expect((await putVal(ada, 'v1', 'hers')).status).toBe(201);
  expect(await get(service, `/v1/vals/${second}`)).toMatchObject({ code: '// v1' });
  after.close();
});

test('the vals of a migrated store are listed in the order of their last change', async () => {
  const file = join(temporaryFolder(), 'store.db');
  makeVersion1(file, 3);
  const service = await temporaryService({ at: file });
  const order = async () => {
    const headers = { authorization: `Bearer ${service.token}` };
    const text = await (await fetch(service.baseUrl, { headers })).text();
    return [...text.matchAll(/>(v\d)<\/a>.*?version (\d)/g)].map(([, ...parts]) => parts.join(' '));
  };
  expect(await order()).toEqual(['v2 3', 'v1 3', 'v0 3']);
  const { body } = await putVal(service, 'v0', 'new');
  expect(await order()).toEqual(['v0 4', 'v2 3', 'v1 3']);
  await ask(service, 'DELETE', `/v1/vals/${(body as Val).id}/versions/4`);
  expect(await order()).toEqual(['v2 3', 'v1 3', 'v0 3']);
  await putVal(service, 'v9', 'c');
  expect(await order()).toEqual(['v9 1', 'v2 3', 'v1 3', 'v0 3']);
});

test('processes that migrate a store at the same moment agree, and none fails', async () => {
  for (let round = 0; round < budget(1); round++) {
    const file = join(temporaryFolder(), 'store.db');
    makeVersion1(file, 2_000);
    const services = await Promise.all(Array.from({ length: 3 }, () => embeddedService({ at: file })));
    for (const { token } of services) expect(token).toBe('vals_local_of_version_1');
    const answers = await Promise.all(
      services.flatMap((service, who) => [0, 1].map((i) => putVal(service, 'shared', `// ${who} ${i}`))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), 201]);
    const [{ id }] = answers.map(({ body }) => body) as [Val];
    const { data } = await get<List>(services[0] as Caller, `/v1/vals/${id}/versions`);
    expect(data).toHaveLength(6);
    expect(new Database(file).prepare('PRAGMA user_version').all()).toEqual([
      { user_version: migrations.length },
    ]);
    await Promise.all(services.map(({ end }) => end('SIGTERM')));
  }
});
