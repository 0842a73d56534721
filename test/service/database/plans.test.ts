import Libsql from 'libsql';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database, Reader } from '../../../src/service/database/database.ts';
import type { Value } from '../../../src/service/database/sql.ts';
import { openStore, type Store } from '../../../src/service/start-service.ts';
import { cleanUp } from '../../../src/service/store/clean-up.ts';
import { listOwners, ownerNamed, removeOwner } from '../../../src/service/store/owners.ts';
import { createPerson, renewToken } from '../../../src/service/store/people.ts';
import { endSession, openSession, takeSession } from '../../../src/service/store/sessions.ts';
import { allSpaces, createSpace, grant, revoke } from '../../../src/service/store/spaces.ts';
import { identify } from '../../../src/service/store/tokens.ts';
import { placeOf } from '../support/embedded-service.ts';
import { type Client, clientOf, type List, newPlace, temporaryService } from '../support.ts';

const ran = vi.hoisted(() => new Map<string, Value[]>());

vi.mock('../../../src/service/database/open-database.ts', async (importOriginal) => {
  const { openDatabase, ...others } =
    await importOriginal<typeof import('../../../src/service/database/open-database.ts')>();
  const noting =
    ({ query }: Reader): Reader['query'] =>
    (statement) => {
      ran.set(statement.text.trim(), [...statement.values]);
      return query(statement);
    };
  return {
    ...others,
    openDatabase: async (...args: Parameters<typeof openDatabase>): Promise<Database> => {
      const database = await openDatabase(...args);
      return {
        ...database,
        query: noting(database),
        transaction: (work, row) => database.transaction((tx) => work({ ...tx, query: noting(tx) }), row),
      };
    },
  };
});

const count = 8_000;
const people = 16;
const membersPerSpace = 4;
const fewRows = 101;
const large = /\b(vals|versions|imports|imported|runs|users|space|members|tokens|sessions|links)\b/;
/** The lists of people and spaces for an operator, and what was removed. */
const listsAll =
  /FROM users WHERE kind = \?\s+ORDER BY username$|^SELECT id FROM users LIMIT 1$|^SELECT val, val_id AS id FROM removed_vals$/;

async function useAll(at: string): Promise<void> {
  const service = await temporaryService({ at });
  const { baseUrl } = service;
  const store = await openStore(placeOf(at));
  const [person] = await listOwners(store.db, 'person');
  if (!person) throw new Error('nobody');
  const { id } = await service.createVal({ name: 'later', code: 'c', privacy: 'public' });
  const importing = (path: string) => `import '${baseUrl}/v1/vals/${id}/module'; // ${path}`;
  await service.createVal({ name: 'other', code: importing('') });
  await service.createVal({ name: 'another', code: importing('') });
  const get = async (path: string) => {
    const { status, body } = await service.ask('GET', path);
    expect(status).toBe(200);
    return body as List;
  };
  const readOn = async (path: string) => {
    let { links } = await get(`${path}limit=1`);
    expect(links.next).toBeDefined();
    await service.ask('PUT', '/v1/vals', { body: { name: 'other', code: importing(path) } });
    while (links.next) ({ links } = await get(links.next.replace(baseUrl, '')));
  };
  await service.ask('PUT', '/v1/vals', { body: { name: 'later', code: 'd' } });
  await service.ask('POST', `/v1/vals/${id}/versions`, { body: { code: 'e', name: 'renamed' } });
  const times = { runStartAt: '2026-02-01T09:30:00Z', runEndAt: '2026-02-01T09:30:01Z' };
  const report = { body: { version: 1, error: 'failed', ...times } };
  for (let i = 0; i < 2; i++) await service.ask('POST', `/v1/vals/${id}/runs`, report);
  for (const runStartAt of ['2026-01-01', '2026-01-02']) {
    await service.ask('POST', `/v1/vals/${id}/runs`, { body: { version: 1, runStartAt, runEndAt: null } });
  }
  const filters = ['', 'error=true', 'since=2026-01-01T00:00:00Z', 'until=2026-01-01T00:00:00Z'];
  for (const filter of [...filters, filters.slice(1).join('&')]) {
    await get(`/v1/me/runs?limit=20&offset=0&${filter}`);
    await get(`/v1/vals/${id}/runs?limit=20&offset=0&${filter}`);
  }
  await readOn('/v1/me/runs?');
  await readOn(`/v1/vals/${id}/runs?error=false&`);
  await readOn(`/v1/vals/${id}/versions?`);
  await readOn('/v1/me/references?');
  await readOn(`/v1/me/references?since=2026-01-01&until=${new Date().getFullYear() + 1}-01-01&`);
  await readOn(`/v1/users/${person.id}/vals?`);
  await get(`/v1/users/${person.id}/vals?limit=20&offset=0`);
  await get('/v1/search/vals?query=later');
  await get(`/v1/vals/${id}/versions`);
  await get(`/v1/vals/${id}/versions/1`);
  const pages = ['/', '/search?q=later', `/vals/${id}`, `/vals/${id}/versions/2`, '/runs'];
  for (const path of [...pages, `/runs?error=true&val=${id}`]) {
    expect(await service.statusOf('GET', path)).toBe(200);
  }
  await get('/healthz');
  await service.ask('DELETE', `/v1/vals/${id}/versions/1`);

  const eve = await createPerson(store.db, 'eve');
  if (!eve) throw new Error('eve is there');
  await clientOf({ baseUrl, token: eve.token }).ask('GET', `/v1/users/${person.id}/vals?limit=20&offset=0`);
  await ownerNamed(store.db, 'eve', 'person');
  await renewToken(store, 'eve');
  await service.ask('DELETE', `/v1/vals/${id}`);
  await createSpace(store.db, 'acme');
  await grant(store.db, 'acme', 'eve', 'write');
  await useTokens(clientOf({ baseUrl, token: (await renewToken(store, 'eve'))?.token }), store);
  await ownerNamed(store.db, 'acme', 'space');
  await allSpaces(store.db);
  await revoke(store.db, 'acme', 'eve');
  await removeOwner(store.db, 'acme', 'space', { withVals: true });
  await removeOwner(store.db, 'eve', 'person', { withVals: true });
  const ending = new AbortController();
  const after = () => {
    ending.abort();
    return () => {};
  };
  await cleanUp(store.db, { keepRunsMs: 0, clock: { now: Date.now, after }, signal: ending.signal });
  await store.close();
  await service.close();
}

async function useTokens(eve: Client, store: Store): Promise<void> {
  await eve.ask('GET', '/@acme/v1/me/spaces');
  const made = await eve.ask('POST', '/@acme/v1/me/tokens', { body: { name: 'ci' } });
  expect(made.status).toBe(201);
  const { id } = made.body as { id: string };
  for (const space of ['', '/@acme']) expect(await eve.statusOf('GET', `${space}/v1/me/tokens`)).toBe(200);
  const link = await openSession(store.db, id, { once: true });
  const session = `${await takeSession(store.db, link)}`;
  const found = await identify(store, 'session', session);
  expect(found?.spaces).toMatchObject([{ username: 'acme' }]);
  await endSession(store.db, session);
  expect(await eve.statusOf('DELETE', `/@acme/v1/me/tokens/${id}`)).toBe(204);
}

type Explain = (sql: string, values: Value[]) => Promise<{ step: string; isFound: boolean }[]>;

async function explainSqlite(file: string): Promise<Explain> {
  const connection = new Libsql(file);
  onTestFinished(() => void connection.close());
  connection.exec(
    fillAll(
      `(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`,
      "x'00'",
    ),
  );
  return async (sql, values) => {
    const steps = (connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[]).map(
      ({ detail }) => detail,
    );
    const chosen = steps.flatMap((step) => /^CO-ROUTINE (\w+)/.exec(step)?.[1] ?? []);
    return (
      steps
        .filter((step) => (/^(SCAN|SEARCH)/.test(step) && large.test(step)) || /^USE TEMP B-TREE/.test(step))
        // A space has few `members`, so a sort of `members` is allowed.
        .filter((step) => !(step.startsWith('USE') && sql.includes('members')))
        .filter((step) => chosen.length === 0 || !(step === `SCAN ${chosen}` || step.startsWith('USE')))
        .map((step) => ({ step, isFound: step.startsWith('SEARCH ') }))
    );
  };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Index Name'?: string;
  'Plan Rows': number;
  Plans?: PlanNode[];
}

async function explainPostgres(address: string): Promise<Explain> {
  const client = new pg.Client({ connectionString: address, options: '-c search_path=vals' });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`${fillAll(`generate_series(0, ${count}) AS n`, "'\\x00'::bytea")} ANALYZE;`);
  const steps = (node: PlanNode): { step: string; isFound: boolean }[] => {
    const {
      'Node Type': type,
      'Relation Name': table = '',
      'Index Cond': condition,
      'Index Name': index,
    } = node;
    const reads =
      (large.test(table) && /Scan$/.test(type) && type !== 'Bitmap Heap Scan') ||
      type === 'Bitmap Index Scan';
    const isSort = type.endsWith('Sort') && node['Plan Rows'] > fewRows;
    const step = `${type} ${index ?? table} ${condition ?? ''}`;
    return [
      ...(reads || isSort ? [{ step, isFound: condition !== undefined && !isSort }] : []),
      ...(node.Plans ?? []).flatMap(steps),
    ];
  };
  const literal = (value: Value) =>
    value === null
      ? 'NULL'
      : pg.escapeLiteral(Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : `${value}`);
  return async (sql, values) => {
    let count = 0;
    await client.query(`PREPARE asked AS ${sql.replace(/\?/g, () => `$${++count}`)}`);
    const given = count === 0 ? '' : `(${values.map(literal)})`;
    const found: { step: string; isFound: boolean }[] = [];
    for (const mode of sql.includes('OFFSET ?') ? ['custom'] : ['custom', 'generic']) {
      await client.query(`SET plan_cache_mode = force_${mode}_plan`);
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE asked ${given}`);
      found.push(...steps(rows[0]['QUERY PLAN'][0].Plan));
    }
    await client.query('DEALLOCATE asked');
    return found;
  };
}

const owner = `CASE n % ${people} WHEN 0 THEN (SELECT id FROM users WHERE username = 'local') ELSE 'user' || (n % ${people}) END`;

const fillAll = (series: string, bytes: string): string => `
  INSERT INTO users (id, username, kind, created_at) SELECT 'user' || n, 'user' || n, 'person', '2026'
    FROM ${series};
  INSERT INTO members (user_id, space_id, role)
    SELECT 'user' || n, 'user' || (n % (${count} / ${membersPerSpace})), 'write' FROM ${series};
  INSERT INTO tokens (id, user_id, name, digest, created_at, access) SELECT 'token' || n, 'user' || n, 'first', n, '2026', 'full'
    FROM ${series};
  INSERT INTO sessions (digest, token_id, ends_at) SELECT 'session' || n, 'token' || n, '2026' || n FROM ${series};
  INSERT INTO vals (id, owner_id, name, privacy, type, created_at, updated_at)
    SELECT 'val' || n, ${owner}, 'name' || n, 'public', 'script', '2026', '2026' || n FROM ${series};
  INSERT INTO versions (val_id, version, author_id, author_name, code, code_hash, created_at)
    SELECT 'val' || n, 1, '', '', ${bytes}, '', '2026' FROM ${series};
  INSERT INTO imports (val_id, imported_id, imported_owner_id, at)
    SELECT 'val' || n, 'val' || (n / 2), ${owner}, 2026 + n FROM ${series};
  INSERT INTO runs (id, owner_id, val, version, started, ended, reporter_id, reporter_name, error)
    SELECT 'run' || n, ${owner}, 1000000 + n, 1, 1000 * n, 1000 * n, '', '', CASE WHEN n % 5 > 0 THEN ${bytes} END
      FROM ${series};
  INSERT INTO removed_vals (val, val_id) SELECT 1000000 + n, 'removed' || n FROM ${series};`;

test('no statement reads or sorts a whole table', async () => {
  const at = await newPlace();
  await useAll(at);
  const explain = await ('file' in placeOf(at) ? explainSqlite(at) : explainPostgres(at));
  const statements = [...ran].filter(([sql]) => large.test(sql) && !listsAll.test(sql));
  expect(statements.length).toBeGreaterThan(25);
  const wanting: string[] = [];
  let found = 0;
  for (const [sql, values] of statements) {
    for (const { step, isFound } of await explain(sql, values)) {
      if (isFound) found += 1;
      else wanting.push(`${step} <- ${sql}`);
    }
  }
  expect(wanting).toEqual([]);
  expect(found).toBeGreaterThan(30);
});
