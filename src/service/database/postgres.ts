import { createHash } from 'node:crypto';
import pg from 'pg';
import { errnoOf } from '../../core/lib/system.ts';
import { createSlots } from '../../core/lib/waiting.ts';
import { type Database, DatabaseFailure, openTx, type Tx } from './database.ts';
import { addressWithoutSecrets, optionsFor, statementMs } from './postgres-address.ts';
import { explainFailure, postgresFailure } from './postgres-failures.ts';
import { isNewPostgres, makePostgresTables } from './postgres-schema.ts';
import { raw, type Sql, sql } from './sql.ts';
import { createWriteSlots } from './write-slots.ts';

const codeContains = (bytes: Buffer): Sql => sql`position(${bytes}::bytea IN code) > 0`;

export async function openPostgres(address: string): Promise<Database> {
  const pool = createPool(optionsFor(address));
  const name = addressWithoutSecrets(address);
  const explain = (error: unknown) => explainFailure(name, error);
  try {
    if (await isNewPostgres((statement) => query(pool, statement), name)) {
      await write(pool, (tx) => makePostgresTables(tx, name));
    }
  } catch (error) {
    await pool.end();
    throw explain(error);
  }
  const slots = createWriteSlots(statementMs);
  return {
    scans: createSlots(1),
    codeContains,
    query: (statement) => query(pool, statement),
    transaction: (work, row) => slots.run(row, () => write(pool, work)),
    probe: async () => void (await query(pool, sql`SELECT 1`)),
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

function prepare({ text: given, values }: Sql): pg.QueryConfig {
  let count = 0;
  const text = given.replace(/\?/g, () => `$${++count}`);
  // A statement with an OFFSET is planned each time, because the best plan depends on the value of the OFFSET.
  const isPlannedOnce = /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text) && !/OFFSET \$/.test(text);
  const name = isPlannedOnce ? createHash('sha256').update(text).digest('base64url') : undefined;
  return { text, name, values: [...values] };
}

async function query<Row>(on: pg.Pool | pg.ClientBase, statement: Sql): Promise<Row[]> {
  try {
    return (await on.query(prepare(statement))).rows;
  } catch (error) {
    throw postgresFailure(error);
  }
}

async function write<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch((error) => {
    throw postgresFailure(error);
  });
  let isUsable = false;
  try {
    await query(client, sql`BEGIN ISOLATION LEVEL READ COMMITTED`);
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

async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error) => {
    const isRolledBack = /^(23|25|40)|^57014$/.test(`${errnoOf(error)}`);
    throw postgresFailure(error, !isRolledBack);
  });
  if (command !== 'COMMIT') {
    throw new DatabaseFailure('failed', new Error('PostgreSQL rolled back the transaction'));
  }
}

const txOf = (client: pg.ClientBase): Tx =>
  openTx({
    query: (statement) => query(client, statement),
    codeContains,
    forUpdate: raw('FOR UPDATE'),
    locking: raw,
    skipLocked: raw('FOR UPDATE SKIP LOCKED'),
  });

/** A copy takes longer than a request, and waits for other work in between. */
const withoutTimeLimits = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** A transaction on a connection of its own. Without a commit, `close` takes everything back. */
export async function openPostgresTransaction(address: string) {
  const name = addressWithoutSecrets(address);
  const explain = (error: unknown) => explainFailure(name, error);
  const client = new pg.Client({ ...optionsFor(address), ...withoutTimeLimits });
  client.on('error', () => {});
  const tx = txOf(client);
  try {
    await client.connect();
    await tx.query(sql`BEGIN`);
    return { name, tx, explain, commit: () => commit(client), close: () => client.end() };
  } catch (error) {
    await client.end();
    throw explain(error);
  }
}
