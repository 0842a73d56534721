import { rmSync } from 'node:fs';
import Libsql from 'libsql';
import { sql } from '../database/sql.ts';
import { explainSqlite } from '../database/sqlite-failures.ts';
import { queryOn, txOf } from '../database/sqlite-query.ts';
import { takeSqliteSteps } from '../database/sqlite-schema.ts';
import { createPartial, nameFile } from './new-file.ts';
import type { CopyTarget } from './tables.ts';

/** A new file, from the rows of another database. Without a journal, because a file that is not whole is not used. */
export async function createSqliteCopy(file: string): Promise<CopyTarget> {
  const partial = createPartial(file);
  const connection = new Libsql(partial);
  connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF');
  // The driver sorts an index in memory otherwise, which takes 120 MB for a million runs.
  connection.exec('PRAGMA temp_store = FILE; BEGIN');
  return {
    tx: txOf(queryOn(connection)),
    explain: (error) => explainSqlite(file, error),
    listIndexes: sql`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`,
    takeSteps: (to) => takeSqliteSteps(connection, file, to),
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
