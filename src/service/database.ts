// One SQLite file that several processes read and write at once.
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { LocalError } from '../errors.ts';
import { makeFolder } from '../lib/folders.ts';

/** The driver aborts the process on a boolean, so there is none here. */
export type Value = string | number | null | Buffer;

interface Database {
  all<Row>(sql: string, values?: Value[]): Row[];
  /** Runs the work as one transaction; once it returns, everything is on the disk. */
  write<Result>(work: () => Result): Result;
  close(): void;
}

export interface Schema {
  /** Marks the file as ours. */
  application: number;
  version: number;
  /** SQL for an empty file. */
  create(): string;
}

const patienceMs = 10_000;
const checkpointBytes = 4 * 1024 * 1024;

export async function openDatabase(file: string, schema: Schema): Promise<Database> {
  try {
    create(file);
    const connection = new Libsql(file, { timeout: patienceMs });
    await patiently(() => prepare(connection, file, schema));
    tighten(file);
    return wrap(connection, file);
  } catch (error) {
    throw storeError(file, error);
  }
}

export function storeError(file: string, error: unknown): LocalError {
  if (error instanceof LocalError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === 'SQLITE_NOTADB' ? 'it is not a SQLite database' : message;
  return new LocalError(`The store ${file} could not be used: ${reason}.`, {
    hint: 'Check that the file can be read and written, or name another one.',
    cause: error,
  });
}

/** Before SQLite does: it gives its -wal and -shm files the mode of this one. */
function create(file: string): void {
  makeFolder(dirname(file), 0o700);
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** By path: opening and closing a file would drop every lock that this process has on it. */
function tighten(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && stats.mode & 0o077) chmodSync(path, 0o600);
  }
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

function prepare(connection: Libsql.Database, file: string, schema: Schema): void {
  const isReady = hasSchema(connection, file, schema);
  connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0');
  if (isReady) return;
  immediately(connection, () => {
    if (hasSchema(connection, file, schema)) return;
    connection.exec(schema.create());
    connection.exec(`PRAGMA application_id = ${schema.application}; PRAGMA user_version = ${schema.version}`);
  });
}

function hasSchema(connection: Libsql.Database, file: string, { application, version }: Schema): boolean {
  const [found] = connection
    .prepare(
      `SELECT application_id AS application, user_version AS version,
        (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version`,
    )
    .all() as { application: number; version: number; tables: number }[];
  if (found?.tables === 0) return false;
  if (found?.application !== application) {
    throw new LocalError(`${file} is a SQLite database of another program.`, { hint: 'Name another file.' });
  }
  if (found.version !== version) {
    const hint = 'Update vals, or name another file.';
    throw new LocalError(`The store ${file} was made by a newer version of vals.`, { hint });
  }
  return true;
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

function wrap(connection: Libsql.Database, file: string): Database {
  const statements = new Map<string, Libsql.Statement>();
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

  return {
    all<Row>(sql: string, values: Value[] = []) {
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.set(sql, statement);
      return statement.all(values) as Row[];
    },
    write(work) {
      const result = immediately(connection, work);
      wrote = true;
      if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > checkpointBytes) checkpoint();
      return result;
    },
    close() {
      // SQLite does this on closing, but the driver closes only when its statements are garbage.
      if (wrote) checkpoint();
      statements.clear();
      connection.close();
    },
  };
}
