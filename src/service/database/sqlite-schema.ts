import type Libsql from 'libsql';
import { LocalError } from '../../core/errors.ts';
import { checkSchema, currentSchema, sqliteTables } from './schema.ts';
import { otherFileHint } from './store-file.ts';

const applicationId = 0x76616c73;

/** Makes the tables, if the file has none. */
export function makeSqliteTables(connection: Libsql.Database, path: string): void {
  if (isNewSqlite(connection, path)) {
    connection.exec(
      `${sqliteTables}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${currentSchema}`,
    );
  }
}

/** Whether the file is empty. Refuses the file of another program, or of another version of this one. */
export function isNewSqlite(connection: Libsql.Database, path: string): boolean {
  const [found] = connection
    .prepare(
      `SELECT application_id AS application, user_version AS schema,
        (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version`,
    )
    .all() as { application: number; schema: number; tables: number }[];
  if (!found || found.tables === 0) return true;
  if (found.application !== applicationId) {
    throw new LocalError(`The SQLite database ${path} belongs to another program.`, { hint: otherFileHint });
  }
  checkSchema(found.schema, `The store ${path}`, 'file');
  return false;
}
