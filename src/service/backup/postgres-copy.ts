import { ConflictError } from '../../errors.ts';
import type { Tx } from '../database/database.ts';
import { openPostgresCopy } from '../database/postgres.ts';
import { type CopyTarget, insertStatement, type Row, type Table } from './tables.ts';

/** Everything is one transaction: without its commit, the database stays as it was. */
export async function createPostgresCopy(address: string, schema: number): Promise<CopyTarget> {
  const { name, isEmpty, takeSteps, tx, commit, close, explain } = await openPostgresCopy(address);
  const explained = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      throw explain(error);
    });
  if (!isEmpty) {
    await close();
    throw new ConflictError(`The database ${name} is not empty: it has tables already.`, {
      hint: 'Create a new database with `createdb`, and give its URL.',
    });
  }

  await explained(takeSteps(schema));
  const indexes = await explained(dropIndexes(tx));

  async function insert(table: Table, rows: readonly Row[]): Promise<void> {
    const { name, hasPosition } = table;
    const { sql, values } = insertStatement(table, rows, hasPosition ? 'OVERRIDING SYSTEM VALUE' : '');
    await tx.query(sql, values);
    if (!hasPosition) return;
    const last = Number(rows.at(-1)?.position);
    await tx.query(`SELECT setval(pg_get_serial_sequence('${name}', 'position'), ?::bigint)`, [last]);
  }

  return {
    insert: (table, rows) => explained(insert(table, rows)),
    async complete() {
      for (const sql of indexes) await explained(tx.query(sql));
      await explained(takeSteps());
      return tx;
    },
    async finish() {
      await explained(commit());
      await close();
    },
    abandon: close,
  };
}

/** An index is made faster at the end than row by row. Returns the statements that make them. */
async function dropIndexes(tx: Tx): Promise<string[]> {
  const indexes = await tx.query<{ name: string; sql: string }>(
    `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE schemaname = current_schema()
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname)`,
  );
  for (const { name } of indexes) await tx.query(`DROP INDEX ${name}`);
  return indexes.map(({ sql }) => sql);
}
