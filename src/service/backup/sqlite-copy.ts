import { rmSync } from 'node:fs';
import Libsql from 'libsql';
import { codeContains, queryOn } from '../database/sqlite-query.ts';
import { takeSqliteSteps } from '../database/sqlite-schema.ts';
import { createPartial, guarded, nameFile } from './new-file.ts';
import { type CopyTarget, insertStatement, type Row, type Table } from './tables.ts';

/** A new file, from the rows of another database. Without a journal, because a file that is not whole is not used. */
export async function createSqliteCopy(file: string, schema: number): Promise<CopyTarget> {
  const partial = createPartial(file);
  const connection = guarded(file, () => new Libsql(partial));
  const statements = new Map<string, Libsql.Statement>();

  function insert(table: Table, rows: readonly Row[]): void {
    const { sql, values } = insertStatement(table, rows);
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    statement.run(values);
  }

  guarded(file, () =>
    connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000'),
  );
  await takeSqliteSteps(connection, 0, schema);
  const indexes = guarded(file, () => {
    connection.exec('PRAGMA foreign_keys = OFF; BEGIN');
    return dropIndexes(connection);
  });
  return {
    insert: async (table, rows) => guarded(file, () => insert(table, rows)),
    async complete() {
      guarded(file, () => {
        for (const sql of indexes) connection.exec(sql);
      });
      await takeSqliteSteps(connection, schema);
      guarded(file, () => connection.exec('COMMIT'));
      return { query: queryOn(connection), codeContains };
    },
    async finish() {
      statements.clear();
      connection.close();
      nameFile(partial, file);
    },
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
