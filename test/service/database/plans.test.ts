import Libsql from 'libsql';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { All, Database, Value } from '../../../src/service/database/database.ts';
import { openStore } from '../../../src/service/index.ts';
import { loadSeed } from '../../../src/service/store/seed.ts';
import { placeOf } from '../../support/embedded-service.ts';
import { addPerson, clientOf, endAll, type List, newPlace, temporaryService } from '../support.ts';

afterAll(endAll);

const ran = vi.hoisted(() => new Map<string, Value[]>());

vi.mock('../../../src/service/database/open-database.ts', async (importOriginal) => {
  const { openDatabase } =
    await importOriginal<typeof import('../../../src/service/database/open-database.ts')>();
  const noting =
    (all: All): All =>
    (sql, values = []) => {
      ran.set(sql, values);
      return all(sql, values);
    };
  return {
    openDatabase: async (...args: Parameters<typeof openDatabase>): Promise<Database> => {
      const database = await openDatabase(...args);
      return {
        ...database,
        all: noting(database.all),
        write: (work) => database.write((all) => work(noting(all))),
      };
    },
  };
});

const count = 20_000;
const people = 50;
const membersPerSpace = 4;
const fewRows = 101;
const large = /\b(vals|versions|records|users|space|members)\b/;
const listsAll = /FROM users WHERE token_digest IS( NOT)? NULL\s+ORDER BY username$/;

async function useAll(at: string): Promise<void> {
  const service = await temporaryService({ at });
  const { baseUrl } = service;
  const store = await openStore(placeOf(at));
  const [person] = await store.users.list();
  if (!person) throw new Error('nobody');
  await loadSeed(store, person, {
    runs: [
      {
        val: { name: 'later', version: 1 },
        runStartAt: '2026-01-31T09:30:00Z',
        runEndAt: '2026-01-31T09:30:01Z',
      },
    ],
    likes: [{ name: 'later' }],
  });
  const { id } = await service.createVal({ name: 'later', code: 'c', privacy: 'public' });
  await service.createVal({ name: 'other', code: 'c' });
  const get = async (path: string) => {
    const { status, body } = await service.ask('GET', path);
    expect(status).toBe(200);
    return body as List;
  };
  const readOn = async (path: string) => {
    let { links } = await get(`${path}limit=1`);
    expect(links.next).toBeDefined();
    await service.ask('PUT', '/v1/vals', { body: { name: 'other', code: path } });
    while (links.next) ({ links } = await get(links.next.replace(baseUrl, '')));
  };
  await service.ask('PUT', '/v1/vals', { body: { name: 'later', code: 'd' } });
  await service.ask('POST', `/v1/vals/${id}/versions`, { body: { code: 'e', name: 'renamed' } });
  const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: '2026-01-31T09:30:01Z' };
  await service.ask('POST', `/v1/vals/${id}/runs`, { body: { version: 1, error: null, ...times } });
  const filters = ['', 'error=true', 'since=2026-01-01T00:00:00Z', 'until=2026-01-01T00:00:00Z'];
  const all = `${filters.slice(1).join('&')}`;
  for (const filter of [...filters, all]) {
    await get(`/v1/me/runs?limit=20&offset=0&${filter}`);
    await get(`/v1/vals/${id}/runs?limit=20&offset=0&${filter}`);
  }
  await readOn('/v1/me/runs?');
  await readOn(`/v1/vals/${id}/runs?error=false&`);
  await readOn(`/v1/vals/${id}/versions?`);
  await readOn(`/v1/users/${person.id}/vals?`);
  for (const kind of ['likes', 'comments', 'references']) await get(`/v1/me/${kind}?limit=20&offset=0`);
  await get('/v1/me/comments?limit=20&offset=0&relationship=received');
  await get(`/v1/users/${person.id}/vals?limit=20&offset=0`);
  await get('/v1/search/vals?query=later');
  await get(`/v1/vals/${id}/versions`);
  await get(`/v1/vals/${id}/versions/1`);
  expect(await service.statusOf('GET', `/?val=${id}`)).toBe(200);
  await get('/healthz');
  await service.ask('DELETE', `/v1/vals/${id}/versions/1`);

  const eve = await store.users.add('eve');
  if (!eve) throw new Error('eve is there');
  await clientOf({ baseUrl, token: eve.token }).ask('GET', `/v1/users/${person.id}/vals?limit=20&offset=0`);
  await store.users.withDigest(eve.user.id);
  await store.users.named('eve');
  await store.users.renewToken('eve');
  await service.ask('DELETE', `/v1/vals/${id}`);
  await store.spaces.add('acme');
  await store.spaces.grant('acme', 'eve', 'write');
  const session = await store.spaces.memberWithId(eve.user.id, 'acme');
  expect(session?.principal).toBeDefined();
  const renewed = await store.users.renewToken('eve');
  await clientOf({ baseUrl, token: renewed?.token }).ask('GET', '/@acme/v1/me/spaces');
  await store.spaces.named('acme');
  await store.spaces.list();
  await store.spaces.revoke('acme', 'eve');
  await store.spaces.remove('acme', true);
  await store.users.remove('eve', true);
  await store.close();
  await service.close();
}

type Explain = (sql: string, values: Value[]) => Promise<{ step: string; isFound: boolean }[]>;

type Fill = (series: string, bytes: string) => string;

const explainAt = (at: string, fill: Fill): Promise<Explain> =>
  'file' in placeOf(at) ? explainSqlite(at, fill) : explainPostgres(at, fill);

async function explainSqlite(file: string, fill: Fill): Promise<Explain> {
  const connection = new Libsql(file);
  onTestFinished(() => void connection.close());
  connection.exec(
    fill(
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

async function explainPostgres(address: string, fill: Fill): Promise<Explain> {
  const client = new pg.Client({ connectionString: address, options: '-c search_path=vals' });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`${fill(`generate_series(0, ${count}) AS n`, "'\\x00'")} ANALYZE;`);
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

const fillAll: Fill = (series, bytes) => `
  INSERT INTO users (id, username, token_digest, created_at) SELECT 'user' || n, 'user' || n, n, '2026'
    FROM ${series};
  INSERT INTO members (user_id, space_id, role)
    SELECT 'user' || n, 'user' || (n % (${count} / ${membersPerSpace})), 'write' FROM ${series};
  INSERT INTO vals (id, owner_id, name, privacy, created_at, updated_at, last_version)
    SELECT 'val' || n, ${owner}, 'name' || n, 'public', '2026', '2026' || n, 1 FROM ${series};
  INSERT INTO versions (val_id, version, code, created_at) SELECT 'val' || n, 1, ${bytes}, '2026' FROM ${series};
  INSERT INTO records (owner_id, kind, key, at, tag, val_id, val_name, json)
    SELECT ${owner}, 'runs', 'run' || n, '2026' || n, 'passed', 'val' || n, 'name' || n, '{}'
      FROM ${series};`;

test('no statement reads or sorts a whole table', async () => {
  const at = await newPlace();
  await useAll(at);
  const explain = await explainAt(at, fillAll);
  const statements = [...ran].filter(([sql]) => large.test(sql) && !listsAll.test(sql));
  expect(statements.length).toBeGreaterThan(25);
  const { found, wanting } = await stepsOf(statements, explain);
  expect(wanting).toEqual([]);
  expect(found.length).toBeGreaterThan(30);
});

async function stepsOf(statements: Iterable<[string, Value[]]>, explain: Explain) {
  const found: string[] = [];
  const wanting: string[] = [];
  for (const [sql, values] of statements) {
    for (const { step, isFound } of await explain(sql, values)) {
      (isFound ? found : wanting).push(`${step} <- ${sql}`);
    }
  }
  return { found, wanting };
}

test('a read of a val with many versions reads only the newest version', async () => {
  const service = await temporaryService();
  const { id } = await service.createVal({ name: 'old', code: 'c' });
  ran.clear();
  expect(await service.statusOf('GET', `/v1/vals/${id}`)).toBe(200);
  expect(await service.statusOf('GET', '/v1/alias/local/old')).toBe(200);
  const explain = await explainAt(
    service.at,
    (series, bytes) => `INSERT INTO versions (val_id, version, code, created_at)
      SELECT '${id}', n + 2, ${bytes}, '2026' FROM ${series};`,
  );
  const statements = [...ran].filter(([sql]) => sql.includes('versions'));
  expect(statements).toHaveLength(2);
  const { found, wanting } = await stepsOf(statements, explain);
  // The small tables have only one row, so PostgreSQL may read them without an index.
  expect(wanting.filter((step) => !/^Seq Scan (users|vals|records)/.test(step))).toEqual([]);
  expect(found.filter((step) => /version/.test(step)).length).toBeGreaterThan(2);
});

test('requests that answer no code read no code', async () => {
  const service = await temporaryService();
  const eve = await addPerson(service, 'eve');
  const { id } = await service.createVal({ name: 'secret', code: 'c' });
  await service.ask('POST', `/v1/vals/${id}/versions`, { body: { code: 'd' } });
  const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: '2026-01-31T09:30:01Z' };
  const vals = `/v1/vals/${id}`;
  ran.clear();
  expect(await service.statusOf('POST', `${vals}/runs`, { body: { version: 1, ...times } })).toBe(201);
  expect(await service.statusOf('PUT', vals, { body: { readme: 'r' } })).toBe(204);
  expect(await service.statusOf('POST', `${vals}/versions`, { body: { code: 'e' } })).toBe(201);
  expect(await service.statusOf('DELETE', `${vals}/versions/1`)).toBe(204);
  expect(await service.statusOf('DELETE', `${vals}/versions/9`)).toBe(404);
  expect(await service.statusOf('GET', `${vals}/versions`)).toBe(200);
  expect(await service.statusOf('GET', `${vals}/runs`)).toBe(200);
  expect(await eve.statusOf('DELETE', vals)).toBe(404);
  expect(await service.statusOf('DELETE', vals)).toBe(204);
  expect(ran.size).toBeGreaterThan(10);
  expect([...ran.keys()].filter((sql) => /SELECT[^?]*\bcode\b[^?]*FROM/.test(sql))).toEqual([]);
});
