// A store in one SQLite file, which several processes can use at once.
import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { LocalError } from '../../errors.ts';
import { errnoOf } from '../../lib/errno.ts';
import { type All, type Database, DatabaseFailure, type Value } from './database.ts';
import { createGroupCommit } from './group-commit.ts';
import { application, migrations } from './sqlite-schema.ts';
import {
  checkOwnership,
  otherFileHint,
  realStorePath,
  rememberFiles,
  StoreGone,
  tighten,
} from './store-file.ts';

const patienceMs = 10_000;
const checkpointBytes = 4 * 1024 * 1024;

export async function openSqlite(file: string): Promise<Database> {
  try {
    const path = realStorePath(file);
    const connection = new Libsql(path, { timeout: patienceMs });
    await patiently(() => prepare(connection, path));
    return {
      ...wrap(connection, path),
      connections: () => ({ inUse: 1, waiting: 0 }),
      forUpdate: '',
      contains: 'instr(code, ?) > 0',
      explain: (error) => explain(file, error),
    };
  } catch (error) {
    throw explain(file, failureOf(error));
  }
}

function explain(file: string, error: unknown): LocalError {
  if (error instanceof LocalError) return error;
  const { reason, hint } = reasonFor(error as Error);
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
    hint: 'Check that the file can be read and written, or set VALS_DATA_DIR to another folder.',
  };
}

const kinds: [RegExp, DatabaseFailure['kind']][] = [
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/, 'taken'],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$/, 'orphaned'],
  [/^SQLITE_BUSY/, 'busy'],
  // The second code is that of the log's index on a full disk.
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)$/, 'full'],
  [/^SQLITE_/, 'failed'],
];

/** Other errors are returned as they are. */
function failureOf(error: unknown): unknown {
  if (error instanceof StoreGone) return new DatabaseFailure('gone', error, error.maybeWritten);
  const code = `${errnoOf(error)}`;
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1];
  return kind === undefined || error instanceof DatabaseFailure ? error : new DatabaseFailure(kind, error);
}

/** SQLite refuses at once, without the busy timeout, if two processes switch a new file to WAL at the same moment. */
async function patiently(work: () => void): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    try {
      return work();
    } catch (error) {
      const isBusy = /^SQLITE_(BUSY|LOCKED)/.test(`${errnoOf(error)}`);
      if (!isBusy || Date.now() > deadline) throw error;
      await sleep(5 + Math.random() * 20);
    }
  }
}

function prepare(connection: Libsql.Database, path: string): void {
  const version = () => versionOf(connection, path);
  version();
  connection.exec('PRAGMA journal_mode = WAL');
  // fullfsync: macOS flushes the disk's own memory only if it is told to. Other systems ignore it.
  connection.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 0');
  // The log is open by now, and nothing has been written to it.
  const isCurrent = version() === migrations.length;
  checkOwnership(path);
  tighten(path);
  if (!isCurrent) {
    // A migration drops tables that it creates anew, and the rows that refer to them must stay.
    connection.exec('PRAGMA foreign_keys = OFF');
    immediately(connection, () => {
      const all = <Row>(sql: string) => connection.prepare(sql).all() as Row[];
      // Another process may have migrated meanwhile.
      for (const migrate of migrations.slice(version())) connection.exec(migrate(all));
      connection.exec(`PRAGMA application_id = ${application}`);
      connection.exec(`PRAGMA user_version = ${migrations.length}`);
    });
  }
  connection.exec('PRAGMA foreign_keys = ON');
}

/** 0 for an empty file. */
function versionOf(connection: Libsql.Database, path: string): number {
  const [found] = connection
    .prepare(
      `SELECT application_id AS application, user_version AS version,
        (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version`,
    )
    .all() as { application: number; version: number; tables: number }[];
  if (!found || found.tables === 0) return 0;
  if (found.application !== application) {
    throw new LocalError(`${path} is another program's SQLite database.`, { hint: otherFileHint });
  }
  if (found.version > migrations.length) {
    throw new LocalError(`The store ${path} was made by a newer version of vals.`, {
      hint: 'Update vals, or use another file.',
    });
  }
  return found.version;
}

function immediately<Result>(connection: Libsql.Database, work: () => Result): Result {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    // On a full disk SQLite has rolled back by itself.
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function wrap(connection: Libsql.Database, path: string): Pick<Database, 'all' | 'write' | 'close'> {
  const statements = new Map<string, Libsql.Statement>();
  const files = rememberFiles(path);
  let wrote = false;

  // TRUNCATE holds the write lock. SQLite's own checkpoints do not, and before 3.51.3 they can lose what another
  // process commits meanwhile (the "WAL-reset bug").
  const checkpoint = () => {
    try {
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Committed writes are safe in the log until the next checkpoint.
    }
  };
  const checkPlace = (maybeWritten = false) => {
    if (files.areInPlace()) return;
    saveLog();
    throw new StoreGone(maybeWritten);
  };
  /** A removed log is still open here, so its writes can be saved. But a new log at its path belongs to another store. */
  const saveLog = () => files.haveNewLog() || checkpoint();

  const group = createGroupCommit(connection, {
    before: checkPlace,
    after() {
      wrote = true;
      checkPlace(true);
      if (lstatSync(`${path}-wal`).size > checkpointBytes) checkpoint();
    },
  });

  /** Within a transaction. */
  const all: All = async <Row>(sql: string, values: Value[] = []) => {
    try {
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.set(sql, statement);
      return statement.all(values) as Row[];
    } catch (error) {
      throw failureOf(error);
    }
  };

  return {
    async all(sql, values) {
      while (group.underWay()) await group.underWay();
      try {
        checkPlace();
      } catch (error) {
        throw failureOf(error);
      }
      return all(sql, values);
    },
    write: (work) =>
      group
        .write(() => work(all))
        .catch((error) => {
          throw failureOf(error);
        }),
    async close() {
      await group.flush();
      // SQLite does this when it closes, but the driver closes only after its statements were collected as garbage.
      if (wrote) saveLog();
      statements.clear();
      connection.close();
    },
  };
}
