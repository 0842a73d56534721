// Compares the service with a million runs to the service with 10,000 runs. PostgreSQL is measured only if
// VALS_BENCH_DATABASE is set.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import Libsql from 'libsql';
import pg from 'pg';
import { median, outputOf, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./report.mjs').Measurement} Measurement */
/** @typedef {{ runs: number, vals: number }} Size */

const small = { runs: 10_000, vals: 1_000 };
const requests = 21;
const server = process.env.VALS_BENCH_DATABASE;

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export const growth = ({ servedRuns, servedVals }) =>
  ['SQLite', 'PostgreSQL'].map((database) => ofService(database, { runs: servedRuns, vals: servedVals }));

/** @param {string} database @param {Size} large @returns {Measurement} */
function ofService(database, large) {
  const line = (/** @type {string} */ what, /** @type {number} */ atMost) => ({
    what: `service on ${database}, ${large.runs.toLocaleString('en')} runs: ${what}`,
    unit: /** @type {const} */ ('×'),
    goal: { atMost },
  });
  const plans = {
    first: line('first page', 1.5),
    last: line('last page', 1.5),
    put: line('PUT of a val', 1.5),
    list: line('runs --all --ndjson, per run', 1.5),
  };
  return {
    group: 'service',
    plans: Object.values(plans),
    async measure(bench) {
      const skipped = { skipped: 'VALS_BENCH_DATABASE is not set' };
      if (database === 'PostgreSQL' && server === undefined) {
        return Object.fromEntries(Object.values(plans).map(({ what }) => [what, skipped]));
      }
      const few = await measured(bench, database, small);
      const many = await measured(bench, database, large);
      const keys = /** @type {(keyof typeof plans)[]} */ (Object.keys(plans));
      return Object.fromEntries(
        keys.map((key) => [
          plans[key].what,
          { figure: many[key] / few[key], note: `${many[key].toFixed(2)} ms and ${few[key].toFixed(2)} ms` },
        ]),
      );
    },
  };
}

/**
 * @param {Bench} bench
 * @param {string} database
 * @param {Size} size
 */
async function measured(bench, database, size) {
  const name = `vals_bench_${size.runs}_${process.pid}`;
  const isFile = database === 'SQLite';
  const place = isFile
    ? ['--data', `${bench.scratch.subfolder(name)}/vals.db`]
    : ['--database', await createDatabase(name)];
  const added = await outputOf(bench.vals(['user', 'add', 'ada', '--json', ...place]));
  const { id, token } = JSON.parse(added.stdout);
  await fill(isFile, `${place[1]}`, id, size);
  const serve = ['serve', '--port', '0', '--json', '--rate', '999999', ...place];
  const { file, args, env, cwd } = bench.vals(serve);
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    const { baseUrl } = JSON.parse(line);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    /** @param {string} path @param {RequestInit} [more] @returns {Promise<{ links: { next: string } }>} */
    const ask = async (path, more) => {
      const answer = await fetch(new URL(path, baseUrl), { headers, ...more });
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      return /** @type {{ links: { next: string } }} */ (await answer.json());
    };
    const put = (/** @type {number} */ n) =>
      ask('/v1/vals', { method: 'PUT', body: JSON.stringify({ name: 'name5', code: `// ${n}` }) });
    // The service refuses a larger offset.
    const end = await ask(`/v1/me/runs?limit=100&offset=${Math.min(100_000, size.runs - 200)}`);
    const all = await timeOf(
      bench.vals(['runs', '--all', '--ndjson'], { VALS_BASE_URL: baseUrl, VALS_TOKEN: token }),
    );
    return {
      first: await medianOf(() => ask('/v1/me/runs?limit=100')),
      last: await medianOf(() => ask(end.links.next)),
      put: await medianOf(put),
      list: all / size.runs,
    };
  } finally {
    child.kill();
    await once(child, 'exit');
    if (!isFile) await onServer(`${server}`, `DROP DATABASE ${name}`);
  }
}

/** @param {(n: number) => Promise<unknown>} work */
async function medianOf(work) {
  const times = [];
  for (let n = 0; n < requests; n += 1) {
    const start = performance.now();
    await work(n);
    times.push(performance.now() - start);
  }
  return median(times);
}

/** @param {string} name */
async function createDatabase(name) {
  await onServer(`${server}`, `CREATE DATABASE ${name}`);
  const address = new URL(`${server}`);
  address.pathname = `/${name}`;
  return address.href;
}

/** @param {string} address @param {string} sql */
async function onServer(address, sql) {
  const client = new pg.Client({ connectionString: address, options: '-c search_path=vals' });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** @param {boolean} isFile @param {string} at @param {string} owner @param {Size} size */
async function fill(isFile, at, owner, { runs, vals }) {
  const series = (/** @type {number} */ count) =>
    isFile
      ? `(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < ${count - 1}) SELECT n FROM s)`
      : `generate_series(0, ${count - 1}) AS n`;
  const time = isFile
    ? `strftime('%Y-%m-%dT%H:%M:%S', 1767225600 + n, 'unixepoch')`
    : `to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS')`;
  const sql = `
    INSERT INTO vals (id, owner_id, name, privacy, created_at, updated_at, last_version)
      SELECT 'val-' || n, '${owner}', 'name' || n, 'private', ${time}, ${time}, 1 FROM ${series(vals)};
    INSERT INTO versions (val_id, version, code, created_at)
      SELECT 'val-' || n, 1, ${isFile ? "x'63'" : "'\\x63'"}, ${time} FROM ${series(vals)};
    INSERT INTO records (owner_id, kind, key, at, tag, val_id, val_name, json)
      SELECT '${owner}', 'runs', 'run-' || n, ${time}, 'passed', 'val-' || (n % ${vals}), 'name' || (n % ${vals}),
        '{"id":"run-' || n || '","val":{"id":"val-' || (n % ${vals}) || '","version":1},"runStartAt":"' || ${time}
          || 'Z","runEndAt":"' || ${time} || 'Z","error":null}'
      FROM ${series(runs)};`;
  if (!isFile) return onServer(at, `${sql} ANALYZE`);
  const database = new Libsql(at);
  database.exec(`BEGIN; ${sql} COMMIT; ANALYZE`);
  database.close();
}
