import { LocalError } from '../../core/errors.ts';
import type { Reader, Tx } from './database.ts';
import { schemaName } from './postgres-failures.ts';
import { currentSchema, postgresTables } from './schema.ts';
import { raw, sql } from './sql.ts';
import { checkSchema, upgrade } from './upgrade.ts';

const schemaTable = 'store_version';

/** Makes the tables, or brings them up to date. Returns the number of the schema that the store had. */
export async function makePostgresTables(tx: Tx, name: string): Promise<number> {
  await tx.query(sql`SELECT pg_advisory_xact_lock(hashtext('vals'), hashtext('schema'))`);
  const schema = await schemaInPostgres(tx.query, name);
  if (schema === 0) {
    const [found] = await tx.query(sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schemaName}`);
    if (!found) await tx.query(sql`CREATE SCHEMA ${raw(schemaName)}`);
    await tx.query(sql`CREATE TABLE ${raw(schemaTable)} (version INTEGER NOT NULL)`);
    await tx.query(sql`INSERT INTO ${raw(schemaTable)} VALUES (${raw(currentSchema)})`);
    await tx.query(raw(postgresTables));
  } else {
    await upgrade(tx, schema);
    await tx.query(sql`UPDATE ${raw(schemaTable)} SET version = ${currentSchema}`);
  }
  return schema;
}

/** The number of the schema, and 0 if there is no store. */
export async function schemaInPostgres(query: Reader['query'], name: string): Promise<number> {
  const tables = await query<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = ${schemaName} AND relkind IN ('r', 'p', 'v', 'm', 'f')`);
  if (tables.length === 0) return 0;
  if (!tables.some((table) => table.name === schemaTable)) {
    throw new LocalError(`The schema ${schemaName} of the database ${name} belongs to another program.`, {
      hint: 'Use another database.',
    });
  }
  const [found] = await query<{ version: number }>(
    sql`SELECT version FROM ${raw(`${schemaName}.${schemaTable}`)}`,
  );
  const schema = found?.version ?? 0;
  checkSchema(schema, `The store in ${name}`, 'database');
  return schema;
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
