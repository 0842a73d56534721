import { rmSync, statSync } from 'node:fs';
import Libsql from 'libsql';
import AsyncLibsql from 'libsql/promise';
import { DatabaseFailure } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { explainSqlite, queryOn, sqliteFailure, txOf } from '../database/sqlite-query.ts';
import { makeSqliteTables } from '../database/sqlite-schema.ts';
import { createPartial, nameFile } from './new-file.ts';
import { type BackupCounts, type BackupOptions, type CopyTarget, countsOf } from './tables.ts';

/** A file that is not whole has no journal, because nobody needs it. */
const withoutJournal = 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF';

/** A new file, from the rows of another database. */
export async function createSqliteCopy(file: string): Promise<CopyTarget> {
  const partial = createPartial(file);
  const connection = new Libsql(partial);
  connection.exec(withoutJournal);
  // The driver sorts an index in memory otherwise, which takes 120 MB for a million runs.
  connection.exec('PRAGMA temp_store = FILE; BEGIN');
  return {
    tx: txOf(queryOn(connection)),
    explain: (error) => explainSqlite(file, error),
    listIndexes: sql`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`,
    makeTables: async () => makeSqliteTables(connection, file),
    async finish() {
      connection.exec('COMMIT');
      connection.close();
      nameFile(partial, file);
    },
    async abandon() {
      connection.close();
      rmSync(partial, { force: true });
    },
  };
}

const betweenReportsMs = 200;
const busyTimeoutMs = 10_000;

/** SQLite's own copy of a file. What must not be in it is deleted from the copy. */
export async function copyFile(from: string, to: string, options: BackupOptions): Promise<BackupCounts> {
  const partial = createPartial(to);
  try {
    await vacuumInto(from, partial, options);
    options.signal.throwIfAborted();
    const counts = await cleanCopy(partial);
    nameFile(partial, to);
    return counts;
  } catch (error) {
    // The thread of the driver may still write to both, and ends with the process.
    for (const path of [partial, `${partial}-journal`]) rmSync(path, { force: true });
    const failure = sqliteFailure(error);
    const isOfTarget = failure instanceof DatabaseFailure && failure.kind === 'full';
    throw explainSqlite(isOfTarget ? to : from, error);
  }
}

/** In a thread of the driver, so that progress is shown and the command can be interrupted. */
async function vacuumInto(from: string, to: string, { signal, onProgress }: BackupOptions): Promise<void> {
  const connection = new AsyncLibsql(from, { timeout: busyTimeoutMs });
  const megabytes = () => Math.round((statSync(to, { throwIfNoEntry: false })?.size ?? 0) / 1e6);
  const report = () => onProgress?.(`${megabytes().toLocaleString('en')} MB`);
  const reports = setInterval(report, betweenReportsMs);
  // The driver's own way to interrupt a statement waits until the statement has ended.
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    const vacuum: Promise<unknown> = connection.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`);
    await Promise.race([vacuum, interrupted]);
    connection.close();
    report();
  } finally {
    clearInterval(reports);
  }
}

async function cleanCopy(file: string): Promise<BackupCounts> {
  const connection = new Libsql(file);
  try {
    connection.exec(`${withoutJournal}; BEGIN`);
    connection.exec(`DELETE FROM sessions`);
    connection.exec('COMMIT');
    return await countsOf({ query: queryOn(connection) });
  } finally {
    connection.close();
  }
}
