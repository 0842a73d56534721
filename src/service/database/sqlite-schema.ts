import type Libsql from 'libsql';
import { LocalError } from '../../errors.ts';
import { sqliteSchemas as schemas } from './schema.ts';
import { queryOn, txOf } from './sqlite-query.ts';
import { otherFileHint } from './store-file.ts';

const applicationId = 0x76616c73;

/** Takes the steps from one schema to another one. */
export async function takeSqliteSteps(
  connection: Libsql.Database,
  from: number,
  to = schemas.length,
): Promise<void> {
  const tx = txOf(queryOn(connection));
  for (const { sql, fill } of schemas.slice(from, to)) {
    connection.exec(sql);
    await fill?.(tx);
  }
  connection.exec(`PRAGMA application_id = ${applicationId}`);
  connection.exec(`PRAGMA user_version = ${to}`);
}

/** The number of the schema, and 0 for an empty file. */
export function schemaOf(connection: Libsql.Database, path: string): number {
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
  if (found.schema > schemas.length) {
    throw new LocalError(
      `The store ${path} was made by a newer version of vals: its schema is ${found.schema}, and this version knows ${schemas.length}.`,
      { hint: `Update vals. ${otherFileHint}` },
    );
  }
  return found.schema;
}
