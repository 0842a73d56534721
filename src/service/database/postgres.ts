import { createHash } from 'node:crypto';
import pg from 'pg';
import { errnoOf } from '../../lib/system.ts';
import {
  type Database,
  DatabaseFailure,
  openTx,
  type Reader,
  type Snapshot,
  type Tx,
  type Value,
} from './database.ts';
import { addressWithoutSecrets, optionsFor, statementMs } from './postgres-address.ts';
import { explainFailure, failureOf, isTransactionConflict } from './postgres-failures.ts';
import { hasNoTables, schemaOf, takePostgresSteps } from './postgres-schema.ts';
import { postgresSchemas as schemas } from './schema.ts';
import { type Sql, sql } from './sql.ts';
import { createWriteSlots } from './write-slots.ts';

const codeContains = (bytes: Buffer): Sql => sql`position(${bytes}::bytea IN code) > 0`;
const mostAttempts = 5;

export async function openPostgres(address: string): Promise<Database> {
  const options = optionsFor(address);
  const pool = createPool(options);
  const name = addressWithoutSecrets(address);
  const explain = (error: unknown) => explainFailure(name, error);
  let upgradedFrom: number | undefined;
  try {
    const schema = await schemaOf((sql, values) => query(pool, sql, values), name);
    if (schema !== schemas.length) upgradedFrom = await upgrade(options, name);
  } catch (error) {
    await pool.end();
    throw explain(error);
  }
  const slots = createWriteSlots(statementMs, () => performance.now());
  return {
    upgradedFrom,
    codeContains,
    query: (sql, values) => query(pool, sql, values),
    transaction: (keys, work) => slots.run(keys, () => write(pool, work)),
    probe: async () => void (await query(pool, 'SELECT 1')),
    connections: () => ({
      inUse: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount + slots.waiting(),
    }),
    explain,
    close: () => pool.end(),
  };
}

function createPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  // Without a listener, the error of a broken connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function prepare(sql: string): { text: string; name?: string } {
  let count = 0;
  const text = sql.replace(/\?/g, () => `$${++count}`);
  // A statement with an OFFSET is planned each time, because the best plan depends on the value of the OFFSET.
  const isPlannedOnce = /^(SELECT|INSERT|UPDATE|DELETE)/.test(sql) && !/OFFSET \?/.test(sql);
  return isPlannedOnce ? { text, name: createHash('sha256').update(sql).digest('base64url') } : { text };
}

async function query<Row>(on: pg.Pool | pg.PoolClient, sql: string, values: Value[] = []): Promise<Row[]> {
  try {
    return (await on.query({ ...prepare(sql), values })).rows;
  } catch (error) {
    throw failureOf(error);
  }
}

async function write<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      if (!isTransactionConflict(error) || attempt === mostAttempts) throw error;
    }
  }
}

async function inTransaction<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch((error) => {
    throw failureOf(error);
  });
  let isUsable = false;
  try {
    await query(client, 'BEGIN ISOLATION LEVEL READ COMMITTED');
    const result = await work(txOf(client)).catch(async (error) => {
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
    const isRolledBack = /^(23|25|40)|^57014$/.test(`${errnoOf(error)}`);
    throw failureOf(error, !isRolledBack);
  });
  if (command !== 'COMMIT') {
    throw new DatabaseFailure('failed', new Error('PostgreSQL rolled back the transaction'));
  }
}

const txOf = (client: pg.PoolClient): Tx =>
  openTx({
    query: (sql, values) => query(client, sql, values),
    codeContains,
    forUpdate: ' FOR UPDATE',
    skipLocked: ' FOR UPDATE SKIP LOCKED',
  });

/** A copy takes longer than a request, and waits for the other database in between. */
const withoutTimeLimits = {
  max: 1,
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/** What a copy reads. The store keeps its schema. */
export async function openPostgresSnapshot(address: string): Promise<Snapshot> {
  const name = addressWithoutSecrets(address);
  const explain = (error: unknown) => explainFailure(name, error);
  const pool = createPool({ ...optionsFor(address), ...withoutTimeLimits });
  const reader: Reader = { query: (sql, values) => query(pool, sql, values), codeContains };
  try {
    // The pool has one connection, so all statements are part of this transaction.
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const schema = (await schemaOf(reader.query, name)) ?? 0;
    return { schema, reader, explain, close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw explain(error);
  }
}

/** An empty database, in a transaction that makes the tables of a store. */
export async function openPostgresCopy(address: string) {
  const name = addressWithoutSecrets(address);
  const explain = (error: unknown) => explainFailure(name, error);
  const pool = createPool({ ...optionsFor(address), ...withoutTimeLimits });
  try {
    const client = await pool.connect();
    const tx = txOf(client);
    await tx.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const close = async () => {
      // Without a commit, this takes everything back.
      client.release(true);
      await pool.end();
    };
    const isEmpty = await hasNoTables(tx.query);
    const takeSteps = (to?: number) => takePostgresSteps(tx, name, to);
    return { name, isEmpty, takeSteps, tx, explain, close, commit: () => commit(client) };
  } catch (error) {
    await pool.end();
    throw explain(error);
  }
}

/** Returns the number of the schema that the store had, if it was an older one. */
async function upgrade(options: pg.PoolConfig, name: string): Promise<number | undefined> {
  const pool = createPool({ ...options, ...withoutTimeLimits });
  try {
    const schema = await write(pool, (tx) => takePostgresSteps(tx, name));
    return schema && schema < schemas.length ? schema : undefined;
  } finally {
    await pool.end();
  }
}
