import { ConflictError } from '../../core/errors.ts';
import type { Reader } from '../database/database.ts';
import { openPostgresTransaction } from '../database/postgres.ts';
import { hasNoTables, makePostgresTables } from '../database/postgres-schema.ts';
import { emptySql, raw, type Sql, sql, sqlList } from '../database/sql.ts';
import {
  type BackupCounts,
  type BackupOptions,
  countsOf,
  insertRows,
  type Row,
  type Table,
  tablesOf,
} from './tables.ts';

const listIndexes = sql`SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE schemaname = current_schema()
  AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname)`;

/** Everything is one transaction: without its commit, the database stays as it was. */
export async function copyToPostgres(
  read: Reader['query'],
  address: string,
  options: BackupOptions,
): Promise<BackupCounts> {
  const { signal, onProgress } = options;
  const { name, tx, explain, commit, close } = await openPostgresTransaction(address);
  const write = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      throw explain(error);
    });
  let copied = 0;
  try {
    if (!(await write(hasNoTables(tx.query)))) {
      throw new ConflictError(`The database ${name} is not empty: it has tables already.`, {
        hint: 'Create a new database with `createdb`, and give its URL.',
      });
    }
    await write(makePostgresTables(tx, name));
    // An index is made faster at the end than row by row.
    const indexes = await write(tx.query<{ name: string; sql: string }>(listIndexes));
    for (const index of indexes) await write(tx.query(sql`DROP INDEX ${raw(index.name)}`));
    for (const table of tablesOf(options)) {
      for await (const rows of batchesOf(read, table)) {
        signal.throwIfAborted();
        await write(insertRows(tx, table, rows));
        copied += rows.length;
        onProgress?.(`${copied.toLocaleString('en')} records`);
      }
      if (table.key.includes('position')) await write(continueNumbers(tx.query, table));
    }
    signal.throwIfAborted();
    for (const index of indexes) await write(tx.query(raw(index.sql)));
    const counts = await write(countsOf(tx));
    await write(commit());
    return counts;
  } finally {
    await close();
  }
}

/** A copy keeps the numbers of rows, because they are the order of the lists. */
const continueNumbers = (query: Reader['query'], { name }: Table) =>
  query(
    sql`SELECT setval(pg_get_serial_sequence('${raw(name)}', 'position'), max(position)) FROM ${raw(name)}`,
  );

/** A page after another, each found by the key where the last one ended. */
async function* batchesOf(
  query: Reader['query'],
  { name, key, batch, condition = raw('1 = 1') }: Table,
): AsyncGenerator<Row[]> {
  const columns = raw(key.join(', '));
  const select = (range: Sql) =>
    query<Row>(
      sql`SELECT * FROM ${raw(name)} WHERE ${condition} ${range} ORDER BY ${columns} LIMIT ${raw(batch)}`,
    );
  let rows = await select(emptySql);
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1);
    if (rows.length < batch || !last) return;
    rows = await select(sql`AND (${columns}) > ${sqlList(key.map((column) => last[column] ?? null))}`);
  }
}
