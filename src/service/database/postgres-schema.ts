import { LocalError } from '../../core/errors.ts';
import type { Reader, Tx } from './database.ts';
import { schemaName } from './postgres-failures.ts';
import { checkSchema, currentSchema, postgresTables } from './schema.ts';
import { raw, sql } from './sql.ts';

const schemaTable = 'store_version';

/** Makes the tables, unless another process has made them in the meantime. */
export async function makePostgresTables(tx: Tx, name: string): Promise<void> {
  await tx.query(sql`SELECT pg_advisory_xact_lock(hashtext('vals'), hashtext('schema'))`);
  if (!(await isNewPostgres(tx.query, name))) return;
  const [found] = await tx.query(sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schemaName}`);
  if (!found) await tx.query(sql`CREATE SCHEMA ${raw(schemaName)}`);
  await tx.query(sql`CREATE TABLE ${raw(schemaTable)} (version INTEGER NOT NULL)`);
  await tx.query(sql`INSERT INTO ${raw(schemaTable)} VALUES (${raw(currentSchema)})`);
  await tx.query(raw(postgresTables));
}

/** Whether the database has no store. Refuses that of another program, or of another version of this one. */
export async function isNewPostgres(query: Reader['query'], name: string): Promise<boolean> {
  const tables = await query<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = ${schemaName} AND relkind IN ('r', 'p', 'v', 'm', 'f')`);
  if (tables.length === 0) return true;
  if (!tables.some((table) => table.name === schemaTable)) {
    throw new LocalError(`The schema ${schemaName} of the database ${name} belongs to another program.`, {
      hint: 'Use another database.',
    });
  }
  const [found] = await query<{ version: number }>(
    sql`SELECT version FROM ${raw(`${schemaName}.${schemaTable}`)}`,
  );
  checkSchema(found?.version ?? 0, `The store in ${name}`, 'database');
  return false;
}

/** Whether the database is new. What an extension has brought along does not count. */
export async function hasNoTables(query: Reader['query']): Promise<boolean> {
  const tables = await query(sql`
    SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname <> 'information_schema' AND nspname !~ '^pg_'
        AND NOT EXISTS (SELECT 1 FROM pg_depend
          WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e') LIMIT 1`);
  return tables.length === 0;
}
