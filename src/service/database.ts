// One SQLite file that several processes read and write at once.
import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { LocalError } from '../errors.ts';
import { errnoOf } from '../lib/errno.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { checkOwnership, realStorePath, rememberFiles, StoreGone, tighten } from './store-file.ts';

/** The driver aborts the process on a boolean, so there is none here. */
export type Value = string | number | null | Buffer;

interface Database {
  all<Row>(sql: string, values?: Value[]): Row[];
  write: GroupCommit['write'];
  close(): void;
}

export interface Schema {
  /** Marks the file as ours. */
  application: number;
  /** SQL that leads from each version to the next, beginning with an empty file. What is released stays as it is. */
  migrations: readonly (() => string)[];
}

const patienceMs = 10_000;
const checkpointBytes = 4 * 1024 * 1024;

export async function openDatabase(file: string, schema: Schema): Promise<Database> {
  try {
    const path = realStorePath(file);
    const connection = new Libsql(path, { timeout: patienceMs });
    await patiently(() => prepare(connection, path, schema));
    return wrap(connection, path);
  } catch (error) {
    throw storeError(file, error);
  }
}

export function storeError(file: string, error: unknown): LocalError {
  if (error instanceof LocalError) return error;
  const { reason, hint } = explain(error as Error);
  return new LocalError(`The store ${file} could not be used: ${reason}.`, { hint, cause: error });
}

function explain(error: Error): { reason: string; hint: string } {
  if (error instanceof StoreGone) {
    return { reason: error.message, hint: 'Put them back, or start again with what is there now.' };
  }
  if (isFull(error)) {
    return { reason: 'no space is left on its disk', hint: 'Make room, then run it again.' };
  }
  return {
    reason: errnoOf(error) === 'SQLITE_NOTADB' ? 'it is not a SQLite database' : error.message,
    hint: 'Check that the file can be read and written, or name another one.',
  };
}

/** The log's index has an error of its own for a full disk. */
export function isFull(error: unknown): boolean {
  return ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC'].includes(`${errnoOf(error)}`);
}

/** The store itself failed; that another program writes to it is none of its failures. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreGone || /^SQLITE_(?!BUSY)/.test(`${errnoOf(error)}`);
}

/** Processes that switch a new file to WAL at the same moment are refused at once, without the busy timeout. */
async function patiently(work: () => void): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    try {
      return work();
    } catch (error) {
      const isBusy = /^SQLITE_(BUSY|LOCKED)/.test(`${(error as NodeJS.ErrnoException).code}`);
      if (!isBusy || Date.now() > deadline) throw error;
      await sleep(5 + Math.random() * 20);
    }
  }
}

function prepare(connection: Libsql.Database, path: string, schema: Schema): void {
  const version = () => versionOf(connection, path, schema);
  version();
  connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0');
  // With the log open, and before anything of ours is written to it.
  const isCurrent = version() === schema.migrations.length;
  checkOwnership(path);
  tighten(path);
  if (isCurrent) return;
  immediately(connection, () => {
    // Another process may have done it meanwhile.
    for (const migrate of schema.migrations.slice(version())) connection.exec(migrate());
    connection.exec(`PRAGMA application_id = ${schema.application}`);
    connection.exec(`PRAGMA user_version = ${schema.migrations.length}`);
  });
}

/** 0 for an empty file. */
function versionOf(connection: Libsql.Database, path: string, { application, migrations }: Schema): number {
  const [found] = connection
    .prepare(
      `SELECT application_id AS application, user_version AS version,
        (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version`,
    )
    .all() as { application: number; version: number; tables: number }[];
  if (!found || found.tables === 0) return 0;
  if (found.application !== application) {
    throw new LocalError(`${path} is a SQLite database of another program.`, { hint: 'Name another file.' });
  }
  if (found.version > migrations.length) {
    const hint = 'Update vals, or name another file.';
    throw new LocalError(`The store ${path} was made by a newer version of vals.`, { hint });
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
    // A full disk has ended the transaction already.
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function wrap(connection: Libsql.Database, path: string): Database {
  const statements = new Map<string, Libsql.Statement>();
  const files = rememberFiles(path);
  let wrote = false;

  // TRUNCATE holds the write lock. SQLite's own checkpoints do not, and before 3.51.3 they can lose what another
  // process commits meanwhile (the "WAL-reset bug").
  const checkpoint = () => {
    try {
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // What was committed is safe in the log; the next checkpoint takes it over.
    }
  };
  const checkPlace = (maybeWritten = false) => {
    if (files.areInPlace()) return;
    saveLog();
    throw new StoreGone(maybeWritten);
  };
  /** Removed, it is still open here, and what it has is not lost; beside another store, it would be taken for that one's. */
  const saveLog = () => files.haveNewLog() || checkpoint();

  const { write, flush } = createGroupCommit(connection, {
    before: checkPlace,
    after() {
      wrote = true;
      checkPlace(true);
      if (lstatSync(`${path}-wal`).size > checkpointBytes) checkpoint();
    },
  });

  return {
    all<Row>(sql: string, values: Value[] = []) {
      if (!connection.inTransaction) checkPlace();
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.set(sql, statement);
      return statement.all(values) as Row[];
    },
    write,
    close() {
      flush();
      // SQLite does this on closing, but the driver closes only when its statements are garbage.
      if (wrote) saveLog();
      statements.clear();
      connection.close();
    },
  };
}
