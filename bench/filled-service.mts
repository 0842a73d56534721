import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Libsql from 'libsql';
import pg from 'pg';
import { outputOf } from './processes.mts';
import type { Bench } from './types.mts';

/** The benchmark creates databases of its own on this server, and drops them. */
export const postgresServer = process.env.VALS_BENCH_DATABASE;

interface Person {
  id: string;
  token: string;
}

/** `vals serve` with many runs of a tenth as many vals of ada. */
export type Database = 'SQLite' | 'PostgreSQL';

export type FilledService = Awaited<ReturnType<typeof startFilledService>>;

interface Filling {
  /** Of each val. */
  codeBytes?: number;
  /** Of the first val, beside those of all vals. */
  moreRuns?: number;
  serveFlags?: readonly string[];
}

export async function startFilledService(
  bench: Bench,
  database: Database,
  runs: number,
  { codeBytes = 1, moreRuns = 0, serveFlags = [] }: Filling = {},
) {
  const store = database === 'SQLite' ? createFile(bench) : await createDatabase();
  const addPerson = async (name: string): Promise<Person> =>
    JSON.parse(await outputOf(bench.vals(['user', 'add', name, '--json', ...store.flags])));
  const [ada, bob] = [await addPerson('ada'), await addPerson('bob')];
  await store.fill((dialect) => insertRows(ada.id, bench.count(runs), dialect, { codeBytes, moreRuns }));

  const serve = ['serve', '--port', '0', '--json', ...store.flags, ...serveFlags];
  const { file, args, env, cwd } = bench.vals(serve);
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { baseUrl } = JSON.parse(line);

  const send = async ({ token }: Person, path: string, more?: RequestInit) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${baseUrl}${path}`, { headers, ...more });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    await response.text();
  };
  return {
    runs: `${runs.toLocaleString('en')} runs`,
    vals: `${(runs / 10).toLocaleString('en')} vals`,
    ada,
    bob,
    storeFlags: store.flags,
    env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: ada.token },
    pid: child.pid,
    get: (path: string) => send(ada, `${path}?limit=100`),
    page: (path: string) => send(ada, path),
    delete: (path: string) => send(ada, path, { method: 'DELETE' }),
    put(person: Person, name: string) {
      const code = `// ${process.hrtime.bigint()}`;
      return send(person, '/v1/vals', { method: 'PUT', body: JSON.stringify({ name, code }) });
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
      await store.drop();
    },
  };
}

function createFile(bench: Bench) {
  const file = join(bench.newFolder(), 'vals.db');
  return {
    flags: ['--data', file],
    async fill(statements: (dialect: Dialect) => string) {
      const database = new Libsql(file);
      database.exec(`BEGIN; ${statements(sqlite)} COMMIT; ANALYZE`);
      database.close();
    },
    async drop() {},
  };
}

async function createDatabase() {
  const name = `vals_bench_${process.hrtime.bigint()}`;
  const server = `${postgresServer}`;
  const address = new URL(server);
  address.pathname = `/${name}`;
  await query(server, `CREATE DATABASE ${name}`);
  return {
    flags: ['--database', address.href],
    async fill(statements: (dialect: Dialect) => string) {
      await query(address.href, statements(postgres));
      await query(address.href, 'VACUUM ANALYZE');
    },
    drop: () => query(server, `DROP DATABASE ${name}`),
  };
}

async function query(address: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: address, options: '-c search_path=vals' });
  await client.connect();
  await client.query(sql);
  await client.end();
}

const sqlite = {
  numbers: (count: number) =>
    `(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < ${count - 1}) SELECT n FROM s)`,
  time: `strftime('%Y-%m-%dT%H:%M:%S', 1767225600 + n, 'unixepoch')`,
  code: (bytes: number) => `zeroblob(${bytes})`,
  long: 'n',
};

type Dialect = typeof sqlite;

const postgres: Dialect = {
  numbers: (count) => `generate_series(0, ${count - 1}) AS n`,
  time: `to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS')`,
  code: (bytes) => `convert_to(repeat('c', ${bytes}), 'UTF8')`,
  long: 'n::bigint',
};

/** What git would give the code `c`. */
const codeHash = '3410062ba67c5ed59b854387a8bc0ec012479368';

/** Rows are written directly, because a million requests would take too long. */
function insertRows(
  owner: string,
  runs: number,
  { numbers, time, code, long }: Dialect,
  { codeBytes, moreRuns }: { codeBytes: number; moreRuns: number },
): string {
  const vals = Math.ceil(runs / 10);
  return `
    INSERT INTO vals (id, owner_id, name, privacy, type, created_at, updated_at, last_version)
      SELECT 'val-' || n, '${owner}', 'name' || n, 'private', 'script', ${time}, ${time}, 1 FROM ${numbers(vals)};
    INSERT INTO versions (val_id, version, code, code_hash, created_at)
      SELECT 'val-' || n, 1, ${code(codeBytes)}, '${codeHash}', ${time} FROM ${numbers(vals)};
    INSERT INTO runs (id, owner_id, val, version, started, ended)
      SELECT 'run-' || n, '${owner}', (SELECT min(position) FROM vals) + n % ${vals}, 1, 1767225600000 + 1000 * ${long},
        1767225600000 + 1000 * ${long} FROM ${numbers(runs)};
    INSERT INTO runs (id, owner_id, val, version, started)
      SELECT 'more-' || n, '${owner}', (SELECT min(position) FROM vals), 2, 1767225600000 + ${long} FROM ${numbers(moreRuns)};`;
}
