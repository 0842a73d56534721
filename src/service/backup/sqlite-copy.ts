import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { ConflictError, LocalError } from '../../errors.ts';
import { errnoOf } from '../../lib/system.ts';
import type { Value } from '../database/database.ts';
import { createSqliteTables, explainSqlite } from '../database/sqlite.ts';
import { type CopyTarget, insertStatement, type Table } from './tables.ts';

/**
 * Writes to a file of another name, without a journal, and gives it its name when it is whole and on the disk. A process
 * that is killed leaves a file `.partial` behind, and no backup.
 */
export async function createSqliteCopy(file: string): Promise<CopyTarget> {
  refuseMissingFolder(file);
  refuseExisting(file);
  const partial = `${file}.${process.pid}.partial`;
  const connection = guarded(file, () => {
    closeSync(openSync(partial, 'wx', 0o600));
    return new Libsql(partial);
  });
  const statements = new Map<string, Libsql.Statement>();

  function insert(table: Table, rows: readonly Value[][]): void {
    const sql = insertStatement(table, rows.length);
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    statement.run(rows.flat());
  }

  function finish(): void {
    for (const sql of indexes) connection.exec(sql);
    connection.exec('COMMIT');
    connection.close();
    syncToDisk(partial);
    giveName(partial, file);
    syncToDisk(dirname(file));
  }

  guarded(file, () =>
    connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000'),
  );
  await createSqliteTables(connection);
  const indexes = guarded(file, () => {
    connection.exec('BEGIN');
    return dropIndexes(connection);
  });
  return {
    insert: async (table, rows) => guarded(file, () => insert(table, rows)),
    finish: async () => guarded(file, finish),
    async abandon() {
      connection.close();
      rmSync(partial, { force: true });
    },
  };
}

/** As in PostgreSQL, an index is made faster at the end. Those of a constraint have no statement, and stay. */
function dropIndexes(connection: Libsql.Database): string[] {
  const indexes = connection
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) connection.exec(`DROP INDEX ${name}`);
  return indexes.map(({ sql }) => sql);
}

const refusal = (file: string): ConflictError =>
  new ConflictError(`The file ${file} is there already. A backup never overwrites a file.`, {
    hint: 'Choose another file, or remove this one first.',
  });

function refuseMissingFolder(file: string): void {
  if (existsSync(dirname(file))) return;
  throw new LocalError(`The folder ${dirname(file)} does not exist.`, { hint: 'Make the folder first.' });
}

/** A log of another store beside the file would be taken for its own. */
function refuseExisting(file: string): void {
  const isThere = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere) throw refusal(file);
  if (existsSync(`${file}-wal`)) throw refusal(`${file}-wal`);
}

/** `link` refuses a name that another process has used in the meantime. */
function giveName(partial: string, file: string): void {
  if (existsSync(file)) {
    refuseExisting(file);
    renameSync(partial, file);
    return;
  }
  try {
    linkSync(partial, file);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw refusal(file);
    // Some file systems have no links.
    renameSync(partial, file);
    return;
  }
  unlinkSync(partial);
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Windows cannot sync a folder.
    if (errnoOf(error) !== 'EPERM') throw error;
  } finally {
    closeSync(descriptor);
  }
}

function guarded<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw explainSqlite(file, error);
  }
}
