// The service that a team shares: on PostgreSQL beside SQLite, two processes beside one, and a full database beside an empty one.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { interleaved, outputOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./report.mjs').Measurement} Measurement */
/** @typedef {{ baseUrl: string, token: string }} Person */
/** @typedef {[method: string, path: string, body?: string]} Request */
/** @typedef {{ onServer: typeof import('../test/support/postgres.ts').onServer, newDatabase(): Promise<string> }} Postgres */

const inFlight = 16;
const fewVals = 100;
const count = (/** @type {number} */ number) => number.toLocaleString('en');

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export const teams = (sizes) => [databases(sizes), large(sizes)];

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement}
 */
function databases({ sharedRequests }) {
  const of = `${count(sharedRequests)} requests, ${inFlight} at a time`;
  const plans = {
    reads: `reads on PostgreSQL, to SQLite (${of})`,
    writes: `writes on PostgreSQL, to SQLite (${of})`,
    readsByTwo: `reads through two processes, to one (${of})`,
    writesByTwo: `writes through two processes, to one (${of})`,
  };
  return {
    group: 'team',
    plans: Object.values(plans).map((what) => ({ what, unit: '×' })),
    measure: (bench) =>
      withPostgres(Object.values(plans), bench, async (postgres, start) => {
        const address = await postgres.newDatabase();
        const token = await addPerson(bench, address);
        const [first, second] = [await start(address, token), await start(address, token)];
        const file = await start(undefined, undefined);
        const groups = { PostgreSQL: [first], SQLite: [file], 'two processes': [first, second] };
        const timed = Object.entries(groups).flatMap(([name, people]) => [
          [`writes ${name}`, () => writes(people, sharedRequests)],
          [`reads ${name}`, () => reads(people, sharedRequests)],
        ]);
        const timings = /** @type {Record<string, import('./run.mjs').Timing>} */ (
          await interleaved(Object.fromEntries(timed), bench.rounds.bulk)
        );
        return {
          [plans.reads]: ratio(timings, 'reads PostgreSQL', 'reads SQLite'),
          [plans.writes]: ratio(timings, 'writes PostgreSQL', 'writes SQLite'),
          [plans.readsByTwo]: ratio(timings, 'reads two processes', 'reads PostgreSQL'),
          [plans.writesByTwo]: ratio(timings, 'writes two processes', 'writes PostgreSQL'),
        };
      }),
  };
}

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement}
 */
function large({ sharedVals, deepOffset }) {
  const put = `PUT of one val among ${count(sharedVals)}, to among ${fewVals}`;
  const page = `a page of runs at offset ${count(deepOffset)}, to offset 0 (of ${count(sharedVals)} runs)`;
  return {
    group: 'team',
    plans: [
      { what: put, unit: '×', goal: { atMost: 1.3 } },
      { what: page, unit: '×' },
    ],
    measure: (bench) =>
      withPostgres([put, page], bench, async (postgres, start) => {
        const people = [];
        for (const vals of [sharedVals, fewVals]) {
          const address = await postgres.newDatabase();
          const token = await addPerson(bench, address);
          await postgres.onServer(address, filling(vals));
          people.push(await start(address, token));
        }
        const [many, few] = /** @type {[Person, Person]} */ (people);
        const timings = await interleaved(
          {
            'among many': () => writes([many], fewVals),
            'among few': () => writes([few], fewVals),
            deep: () => pageOfRuns(many, deepOffset),
            first: () => pageOfRuns(many, 0),
          },
          { ...bench.rounds.bulk, warmUps: 1 },
        );
        return {
          [put]: ratio(timings, 'among many', 'among few'),
          [page]: ratio(timings, 'deep', 'first'),
        };
      }),
  };
}

/** @param {Record<string, import('./run.mjs').Timing>} timings @param {string} name @param {string} base */
function ratio(timings, name, base) {
  const [ours, theirs] = [timings[name], timings[base]];
  if (!ours || !theirs) throw new Error(`${name} was not measured`);
  return { figure: ours.medianMs / theirs.medianMs, timings: { [name]: ours, [base]: theirs } };
}

/** So many vals with a version each, and as many runs, without a check of each row. */
const filling = (/** @type {number} */ vals) => `
  SET search_path = vals; SET session_replication_role = replica; SET synchronous_commit = off;
  INSERT INTO vals (id, owner_id, name, privacy, created_at, updated_at, last_version)
    SELECT gen_random_uuid(), users.id, 'val' || n, 'private', '2026', '2026' || n, 1
      FROM users, generate_series(1, ${vals}) AS n;
  INSERT INTO versions (val_id, version, code, created_at) SELECT id, 1, 'export default 1', '2026' FROM vals;
  INSERT INTO records (owner_id, kind, key, at, tag, val_id, val_name, json)
    SELECT owner_id, 'runs', id, updated_at, 'passed', id, name, '{"id":"' || id || '","error":null}' FROM vals;
  ANALYZE;`;

/** @param {readonly Person[]} people @param {number} requests */
const writes = (people, requests) =>
  drive(people, requests, (index, round) => [
    'PUT',
    '/v1/vals',
    JSON.stringify({ name: `val${1 + (index % inFlight)}`, code: `// ${round} ${index}` }),
  ]);

/** @param {readonly Person[]} people @param {number} requests */
async function reads(people, requests) {
  const known = /** @type {Person} */ (people[0]);
  const { id } = JSON.parse(
    await ask(known, ['PUT', '/v1/vals', '{"name":"read","code":"export default 1"}']),
  );
  return drive(people, requests, () => ['GET', `/v1/vals/${id}`]);
}

/** @param {Person} person @param {number} offset */
const pageOfRuns = (person, offset) =>
  drive([person], 1, () => ['GET', `/v1/me/runs?limit=100&offset=${offset}`]);

const agent = new Agent({ keepAlive: true });
let rounds = 0;

/**
 * @param {readonly Person[]} people asked by turns
 * @param {number} requests
 * @param {(index: number, round: number) => Request} requestAt
 * @returns {Promise<number>} milliseconds
 */
async function drive(people, requests, requestAt) {
  const round = ++rounds;
  const queue = Array.from({ length: requests }, (_, index) => index).values();
  const start = performance.now();
  const work = async () => {
    for (const index of queue) {
      const person = /** @type {Person} */ (people[index % people.length]);
      await ask(person, requestAt(index, round));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return performance.now() - start;
}

/** @param {Person} person @param {Request} request @returns {Promise<string>} */
function ask({ baseUrl, token }, [method, path, body]) {
  return new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const outgoing = request(`${baseUrl}${path}`, { method, agent, headers }, (incoming) => {
      const isGood = (incoming.statusCode ?? 500) < 300;
      text(incoming).then(
        (answer) => (isGood ? done(answer) : failed(new Error(`${method} ${path}: ${answer}`))),
        failed,
      );
    });
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}

/** @param {Bench} bench @param {string} address @returns {Promise<string>} their token */
async function addPerson(bench, address) {
  const { stdout } = await outputOf(bench.vals(['user', 'add', 'ada', '--json'], { VALS_DATABASE: address }));
  return JSON.parse(stdout).token;
}

/**
 * With a PostgreSQL of its own, and processes of `vals serve` that end with it.
 * @param {readonly string[]} whats
 * @param {Bench} bench
 * @param {(postgres: Postgres, start: (address?: string, token?: string) => Promise<Person>) => Promise<import('./report.mjs').Findings>} use
 * @returns {Promise<import('./report.mjs').Findings>}
 */
async function withPostgres(whats, bench, use) {
  const { binariesOfPostgres, startPostgres, newDatabase, onServer } = await loadSupport();
  if (binariesOfPostgres() === undefined) {
    return Object.fromEntries(whats.map((what) => [what, { skipped: 'PostgreSQL is not installed' }]));
  }
  const server = await startPostgres(true);
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  try {
    return await use(
      { onServer, newDatabase: async () => (await newDatabase(server.address)).address },
      async (address, token) => {
        const place =
          address === undefined ? ['--data', join(bench.scratch.subfolder('team'), 'vals.db')] : [];
        const { file, args, env, cwd } = bench.vals(
          ['serve', '--port', '0', '--json', '--quiet', '--rate', '999999', ...place],
          address === undefined ? {} : { VALS_DATABASE: address },
        );
        const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
        children.push(child);
        for await (const line of createInterface(child.stdout)) return { token, ...JSON.parse(line) };
        throw new Error('vals serve ended early');
      },
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await server.end();
  }
}

/** What tests start their server with, which is TypeScript. @returns {Promise<typeof import('../test/support/postgres.ts')>} */
async function loadSupport() {
  const folder = resolve(import.meta.dirname, '../node_modules/.cache');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `bench-postgres-${process.pid}.mjs`);
  const source = resolve(import.meta.dirname, '../test/support/postgres.ts');
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}
