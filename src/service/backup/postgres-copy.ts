import { ConflictError } from '../../core/errors.ts';
import { openPostgresTransaction } from '../database/postgres.ts';
import { hasNoTables, makePostgresTables } from '../database/postgres-schema.ts';
import { raw, sql } from '../database/sql.ts';
import { type CopyTarget, numberedTables } from './tables.ts';

/** Everything is one transaction: without its commit, the database stays as it was. */
export async function createPostgresCopy(address: string): Promise<CopyTarget> {
  const { name, tx, explain, commit, close } = await openPostgresTransaction(address, 'READ COMMITTED');
  if (!(await hasNoTables(tx.query))) {
    await close();
    throw new ConflictError(`The database ${name} is not empty: it has tables already.`, {
      hint: 'Create a new database with `createdb`, and give its URL.',
    });
  }
  return {
    tx,
    explain,
    listIndexes: sql`SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE schemaname = current_schema()
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname)`,
    makeTables: () => makePostgresTables(tx, name),
    async finish() {
      for (const table of numberedTables) {
        await tx.query(sql`
          SELECT setval(pg_get_serial_sequence('${raw(table)}', 'position'), max(position)) FROM ${raw(table)}`);
      }
      await commit();
      await close();
    },
    abandon: close,
  };
}
