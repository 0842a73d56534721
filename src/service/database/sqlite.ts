import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { LocalError, ValsError } from '../../errors.ts';
import { errnoOf } from '../../lib/system.ts';
import { type Database, DatabaseFailure, openTx, type Reader, type Tx, type Value } from './database.ts';
import { createGroupCommit } from './group-commit.ts';
import { sqliteSchemas as schemas } from './schema.ts';
import { type Sql, sql } from './sql.ts';
import { otherFileHint, prepareStoreFile, rememberFiles, restrictMode } from './store-file.ts';
import { createWriteBack, type WriteBackTimes } from './write-back.ts';

const applicationId = 0x76616c73;
/** SQLite itself waits for a lock without a turn of the event loop, so it waits for moments only, again and again. */
const busyTimeoutMs = 5;
const mostLockWaitMs = 10_000;
const mostPauseMs = 25;
const mostMsPerCommit = 5;

const writeBack: WriteBackTimes = { idleMs: 30_000, mostMs: 60 * 60_000 };

export async function openSqlite(file: string, times = writeBack): Promise<Database> {
  try {
    const path = prepareStoreFile(file);
    const connection = new Libsql(path, { timeout: busyTimeoutMs });
    const upgradedFrom = await retryWhileBusy(() => prepare(connection, path));
    return { ...wrap(connection, path, times), upgradedFrom, explain: (error) => explainSqlite(file, error) };
  } catch (error) {
    throw explainSqlite(file, error);
  }
}

export function explainSqlite(file: string, error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  const { reason, hint } = reasonFor(failureOf(error) as Error);
  return new LocalError(`The store ${file} could not be used: ${reason}.`, { hint, cause: error });
}

function reasonFor(error: Error): { reason: string; hint: string } {
  const kind = error instanceof DatabaseFailure ? error.kind : undefined;
  if (kind === 'gone') {
    return {
      reason: error.message,
      hint: 'Restore the files, or restart the service with the current files.',
    };
  }
  if (kind === 'full') {
    return { reason: 'its disk is full', hint: 'Free some space, then run the command again.' };
  }
  return {
    reason: errnoOf(error.cause) === 'SQLITE_NOTADB' ? 'it is not a SQLite database' : error.message,
    hint: 'Check that the file can be read and written, or choose another one with --data or VALS_DATA_DIR.',
  };
}

const kinds: [RegExp, DatabaseFailure['kind']][] = [
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/, 'taken'],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$/, 'orphaned'],
  [/^SQLITE_BUSY/, 'busy'],
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)$/, 'full'],
  [/^SQLITE_/, 'failed'],
];

function failureOf(error: unknown): unknown {
  const code = `${errnoOf(error)}`;
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1];
  return kind === undefined || error instanceof DatabaseFailure ? error : new DatabaseFailure(kind, error);
}

/** Repeats what failed because another process has a lock, while other work is done in between. */
async function retryWhileBusy<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const deadline = performance.now() + mostLockWaitMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, mostPauseMs)) {
    try {
      return await work();
    } catch (error) {
      const isBusy = /^SQLITE_(BUSY|LOCKED)/.test(
        `${errnoOf(error instanceof DatabaseFailure ? error.cause : error)}`,
      );
      if (!isBusy || performance.now() > deadline) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
}

/** Returns the number of the schema that the store had, if it was an older one. */
async function prepare(connection: Libsql.Database, path: string): Promise<number | undefined> {
  const schema = () => schemaOf(connection, path);
  schema();
  restrictMode(path);
  connection.exec('PRAGMA journal_mode = WAL');
  // Without `fullfsync`, a power failure on macOS could lose commits that are still in the cache of the disk.
  connection.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON');
  // Before SQLite 3.51.3, an automatic checkpoint can lose a commit of another process ("WAL-reset bug").
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  let upgradedFrom: number | undefined;
  if (schema() !== schemas.length) {
    // A new table takes the place of an older one, which other tables refer to.
    connection.exec('PRAGMA foreign_keys = OFF');
    await immediately(connection, async () => {
      // The number is read again, because another process may have changed the schema in the meantime.
      const found = schema();
      await createSqliteTables(connection, found);
      if (found > 0 && found < schemas.length) upgradedFrom = found;
    });
  }
  connection.exec('PRAGMA foreign_keys = ON');
  return upgradedFrom;
}

/** Takes the steps from a schema to that of today. */
export async function createSqliteTables(connection: Libsql.Database, from = 0): Promise<void> {
  const tx = txOf(queryOn(connection));
  for (const { sql, fill } of schemas.slice(from)) {
    connection.exec(sql);
    await fill?.(tx);
  }
  connection.exec(`PRAGMA application_id = ${applicationId}`);
  connection.exec(`PRAGMA user_version = ${schemas.length}`);
}

function schemaOf(connection: Libsql.Database, path: string): number {
  const [found] = connection
    .prepare(
      `SELECT application_id AS application, user_version AS schema,
        (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version`,
    )
    .all() as { application: number; schema: number; tables: number }[];
  if (!found || found.tables === 0) return 0;
  if (found.application !== applicationId) {
    throw new LocalError(`The SQLite database ${path} belongs to another program.`, { hint: otherFileHint });
  }
  if (found.schema > schemas.length) {
    throw new LocalError(
      `The store ${path} was made by a newer version of vals: its schema is ${found.schema}, and this version knows ${schemas.length}.`,
      { hint: `Update vals. ${otherFileHint}` },
    );
  }
  return found.schema;
}

async function immediately<Result>(
  connection: Libsql.Database,
  work: () => Promise<Result>,
): Promise<Result> {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = await work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

const codeContains = (bytes: Buffer): Sql => sql`instr(code, ${bytes}) > 0`;

function queryOn(connection: Libsql.Database): Reader['query'] {
  const statements = new Map<string, Libsql.Statement>();
  return async <Row>(sql: string, values: Value[] = []) => {
    try {
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.set(sql, statement);
      return statement.all(values) as Row[];
    } catch (error) {
      throw failureOf(error);
    }
  };
}

const txOf = (query: Reader['query']): Tx => openTx({ query, codeContains, forUpdate: '', skipLocked: '' });

function wrap(
  connection: Libsql.Database,
  path: string,
  times: WriteBackTimes,
): Omit<Database, 'explain' | 'upgradedFrom'> {
  const log = createWriteBack(connection, rememberFiles(path), {
    ...times,
    isWriting: () => group.underWay() !== undefined,
  });
  const group = createGroupCommit(connection, {
    mostMs: mostMsPerCommit,
    begin: () =>
      retryWhileBusy(() => {
        log.checkFiles();
        connection.exec('BEGIN IMMEDIATE');
      }),
    after: log.noteWrite,
  });

  let readsWaiting = 0;
  const run = queryOn(connection);
  const tx = txOf(run);

  return {
    codeContains,
    query: (sql, values) =>
      retryWhileBusy(async () => {
        readsWaiting += 1;
        while (group.underWay()) await group.underWay();
        readsWaiting -= 1;
        return run(sql, values);
      }),
    transaction: (_keys, work) =>
      group
        .write(() => work(tx))
        .catch((error) => {
          throw failureOf(error);
        }),
    async snapshot(work) {
      connection.exec('BEGIN');
      try {
        return await work({ query: run, codeContains });
      } finally {
        connection.exec('COMMIT');
      }
    },
    connections: () => ({ inUse: group.underWay() ? 1 : 0, waiting: group.waiting() + readsWaiting }),
    probe: async () => log.checkFiles(),
    async close() {
      await group.flush();
      log.end();
      connection.close();
    },
  };
}
