import { statSync } from 'node:fs';
import Libsql from 'libsql';
import AsyncLibsql from 'libsql/promise';
import { DatabaseFailure } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { explainSqlite, queryOn, sqliteFailure } from '../database/sqlite-query.ts';
import { copyIn, createPartial, nameFile, removePartial } from './new-file.ts';
import { type BackupCounts, type BackupOptions, countsOf, isCopiedToken } from './tables.ts';

const betweenReportsMs = 200;
const busyTimeoutMs = 10_000;

/** SQLite's own copy of a file. What must not be in it is deleted from the copy. */
export async function copyFile(from: string, to: string, options: BackupOptions): Promise<BackupCounts> {
  const partial = createPartial(to);
  try {
    await vacuumInto(from, copyIn(partial), options);
    options.signal.throwIfAborted();
    const counts = await cleanCopy(copyIn(partial), options);
    nameFile(partial, to);
    return counts;
  } catch (error) {
    removePartial(partial);
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

/** A file that is not whole has no journal, because nobody needs it. */
async function cleanCopy(file: string, options: BackupOptions): Promise<BackupCounts> {
  const connection = new Libsql(file);
  try {
    connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; DELETE FROM sessions');
    const query = queryOn(connection);
    await query(sql`DELETE FROM tokens WHERE NOT (${isCopiedToken(options)})`);
    return await countsOf({ query });
  } finally {
    connection.close();
  }
}
