import type Libsql from 'libsql';
import { LocalError } from '../../core/errors.ts';
import { currentSchema, sqliteTables } from './schema.ts';
import { queryOn, txOf } from './sqlite-query.ts';
import { otherFileHint } from './store-file.ts';
import { checkSchema, upgrade } from './upgrade.ts';

const applicationId = 0x76616c73;

/** Makes the tables, or brings them up to date. Returns the number of the schema that the store had. */
export async function makeSqliteTables(connection: Libsql.Database, path: string): Promise<number> {
  const schema = schemaInSqlite(connection, path);
  if (schema === 0) connection.exec(sqliteTables);
  else await upgrade(txOf(queryOn(connection)), schema);
  connection.exec(`PRAGMA application_id = ${applicationId}`);
  connection.exec(`PRAGMA user_version = ${currentSchema}`);
  return schema;
}

/** The number of the schema, and 0 for an empty file. */
export function schemaInSqlite(connection: Libsql.Database, path: string): number {
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
  checkSchema(found.schema, `The store ${path}`, 'file');
  return found.schema;
}
