// A PostgreSQL database that any number of processes, on any number of machines, read and write at once.
import { env } from 'node:process';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import pgpass from 'pgpass';
import { LocalError } from '../../errors.ts';
import { errnoOf } from '../../lib/errno.ts';
import { type All, type Database, DatabaseFailure, type Value } from './database.ts';
import { markTable, migrations, schemaName } from './postgres-schema.ts';

const mostConnections = 10;
const connectMs = 10_000;
/** The longest that one statement may take; a lock is waited for as long. */
const statementMs = 15_000;
/** Where the server does not say so itself, because the way to it is broken. */
const answerMs = statementMs + 5_000;
const mostAttempts = 5;
const int8 = 20;

export async function openPostgres(address: string): Promise<Database> {
  const options = optionsFor(address);
  const pool = createPool(options);
  const name = displayName(address);
  const explain = (error: unknown) => explainFailure(name, error);
  try {
    const version = await versionOf((sql, values) => query(pool, sql, values), name);
    if (version !== migrations.length) await migrate(options, name);
  } catch (error) {
    await pool.end();
    throw explain(error);
  }
  return {
    all: (sql, values) => query(pool, sql, values),
    write: (work) => write(pool, work),
    forUpdate: ' FOR UPDATE',
    contains: 'position(?::bytea IN code) > 0',
    explain,
    close: () => pool.end(),
  };
}

function createPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  // A connection that breaks while it is not used is replaced by the next one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function optionsFor(address: string): pg.PoolConfig {
  const url = new URL(address);
  // Settings in the address come before ours, so these two are put together.
  const given = url.searchParams.get('options');
  url.searchParams.delete('options');
  // pg checks the server's certificate in each of these modes, and says so at length where the last one is not named.
  const isChecked = ['prefer', 'require', 'verify-ca'].includes(`${url.searchParams.get('sslmode')}`);
  if (isChecked && !url.searchParams.has('uselibpqcompat')) url.searchParams.set('sslmode', 'verify-full');
  const config = parseIntoClientConfig(url.href);
  return {
    application_name: 'vals',
    options: `${given ?? ''} -c search_path=${schemaName} -c client_min_messages=warning`.trim(),
    max: mostConnections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: answerMs,
    idle_in_transaction_session_timeout: answerMs,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
    ...config,
    password: config.password || env.PGPASSWORD || readPasswordFile,
  };
}

/** As pg asks it to be read: pg's own reading of the file is deprecated, and warns. */
const readPasswordFile = (connection?: unknown): Promise<string> =>
  new Promise((resolve) => pgpass(connection, (password = '') => resolve(password)));

/** The address as others may see it: without the password, and without options, which may hold one. */
function displayName(address: string): string {
  const url = new URL(address);
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}

const prepared = new Map<string, { text: string; name?: string }>();

/**
 * With `$1`, `$2` ... in place of each `?`; no statement of ours has one in a text. The name makes each connection plan it
 * once, which takes longer than to find one val; how much a page skips is planned anew each time.
 */
function prepare(sql: string): { text: string; name?: string } {
  let known = prepared.get(sql);
  if (known === undefined) {
    let count = 0;
    const text = sql.replace(/\?/g, () => `$${++count}`);
    const isPlannedOnce = /^(SELECT|INSERT|UPDATE|DELETE)/.test(sql) && !/OFFSET \?/.test(sql);
    known = { text, ...(isPlannedOnce && { name: `vals_${prepared.size}` }) };
    prepared.set(sql, known);
  }
  return known;
}

async function query<Row>(on: pg.Pool | pg.PoolClient, sql: string, values: Value[] = []): Promise<Row[]> {
  try {
    return (await on.query({ ...prepare(sql), values })).rows;
  } catch (error) {
    throw failureOf(error);
  }
}

/** Two that wait for each other are told apart by the server: one of them is ended, and tried again here. */
async function write<Result>(pool: pg.Pool, work: (all: All) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      if (!isEndedForOthers(error) || attempt === mostAttempts) throw error;
    }
  }
}

const isEndedForOthers = (error: unknown): boolean =>
  error instanceof DatabaseFailure && ['40001', '40P01'].includes(`${errnoOf(error.cause)}`);

async function inTransaction<Result>(pool: pg.Pool, work: (all: All) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch((error) => {
    throw failureOf(error);
  });
  let isUsable = false;
  try {
    await query(client, 'BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await work((sql, values) => query(client, sql, values)).catch(async (error) => {
      // It would wait for the connection once more; without one the server rolls back by itself.
      if (error instanceof DatabaseFailure && error.kind === 'unreachable') throw error;
      await client.query('ROLLBACK').then(
        () => {
          isUsable = true;
        },
        () => {},
      );
      throw error;
    });
    await commit(client);
    isUsable = true;
    return result;
  } finally {
    client.release(!isUsable);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error) => {
    // An error of the transaction itself says that it was rolled back; after any other, that is not known.
    const isRolledBack = /^(23|25|40)|^57014$/.test(`${errnoOf(error)}`);
    throw failureOf(error, !isRolledBack);
  });
  if (command !== 'COMMIT') {
    throw new DatabaseFailure('failed', new Error('the transaction had failed before its end'));
  }
}

const kinds: [RegExp, DatabaseFailure['kind']][] = [
  [/^23505$/, 'taken'],
  [/^23503$/, 'orphaned'],
  // A statement that took too long, a lock that was not to be had, a deadlock.
  [/^(57014|55P03|40001|40P01)$/, 'busy'],
  [/^53100$/, 'full'],
  // No connection, too many of them, a server that ends or begins, or is a copy that only reads; no right to sign in.
  [/^(08|28|57P|53|25006|25P03|3D000)/, 'unreachable'],
  [/^[0-9A-Z]{5}$/, 'failed'],
];

/** What has no code of PostgreSQL happened on the way to it. */
function failureOf(error: unknown, maybeWritten = false): DatabaseFailure {
  const code = `${errnoOf(error)}`;
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreachable';
  return new DatabaseFailure(kind, error, maybeWritten);
}

function explainFailure(name: string, error: unknown): LocalError {
  if (error instanceof LocalError) return error;
  const cause = error instanceof DatabaseFailure ? error.cause : error;
  const { reason, hint } = reasonFor(cause as Error);
  return new LocalError(`The database ${name} could not be used: ${reason}.`, { hint, cause: error });
}

function reasonFor(error: Error): { reason: string; hint: string } {
  const code = `${errnoOf(error)}`;
  if (/^28/.test(code) || /password|SASL|SCRAM/.test(error.message)) {
    return {
      reason: 'it does not let this user in',
      hint: 'Check the user, and the password in PGPASSWORD, ~/.pgpass or VALS_DATABASE.',
    };
  }
  if (code === '3D000') {
    return { reason: 'there is no such database', hint: 'Make it with `createdb`, or name another one.' };
  }
  if (code === '42501') {
    return {
      reason: `this user may not do it (${error.message})`,
      hint: `Let it make the schema ${schemaName}, or make one that is its own.`,
    };
  }
  if (code === '53100') return { reason: 'no space is left on its disk', hint: 'Make room, then try again.' };
  return {
    reason: error.message || messagesOf(error) || code,
    hint: 'Check that the server runs, and that the address is right.',
  };
}

/** A name with several addresses has an error for each. */
const messagesOf = (error: Error): string =>
  error instanceof AggregateError ? [...new Set(error.errors.map(({ message }) => message))].join(', ') : '';

/** Makes the tables, or takes over those of an earlier version; of processes that begin at once, one does it. */
async function migrate(options: pg.PoolConfig, name: string): Promise<void> {
  // However long it takes.
  const pool = createPool({ ...options, max: 1, statement_timeout: 0, query_timeout: 0 });
  try {
    await write(pool, async (all) => {
      await all("SELECT pg_advisory_xact_lock(hashtext('vals'), hashtext('schema'))");
      const version = await versionOf(all, name);
      if (version === undefined) {
        const [found] = await all('SELECT 1 FROM pg_namespace WHERE nspname = ?', [schemaName]);
        if (!found) await all(`CREATE SCHEMA ${schemaName}`);
        await all(`CREATE TABLE ${markTable} (version INTEGER NOT NULL)`);
        await all(`INSERT INTO ${markTable} VALUES (0)`);
      }
      for (const sql of migrations.slice(version ?? 0)) await all(sql);
      await all(`UPDATE ${markTable} SET version = ?`, [migrations.length]);
    });
  } finally {
    await pool.end();
  }
}

/** Undefined where there is nothing of ours yet. */
async function versionOf(all: All, name: string): Promise<number | undefined> {
  const tables = await all<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = ? AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    [schemaName],
  );
  if (tables.length === 0) return undefined;
  if (!tables.some((table) => table.name === markTable)) {
    throw new LocalError(`The schema ${schemaName} of the database ${name} is of another program.`, {
      hint: 'Name another database.',
    });
  }
  const [found] = await all<{ version: number }>(`SELECT version FROM ${schemaName}.${markTable}`);
  const version = found?.version ?? 0;
  if (version > migrations.length) {
    throw new LocalError(`The store in ${name} was made by a newer version of vals.`, {
      hint: 'Update vals, or name another database.',
    });
  }
  return version;
}
