import { existsSync } from 'node:fs';
import { LocalError } from '../../core/errors.ts';
import type { Snapshot, StoreLocation, Tx } from '../database/database.ts';
import { openSnapshot } from '../database/open-database.ts';
import { emptySql, raw, type Sql, sql, sqlList } from '../database/sql.ts';
import {
  type BackupCounts,
  type BackupOptions,
  type CopyTarget,
  countsOf,
  insertRows,
  type Row,
  type Table,
  tables,
} from './tables.ts';

/** Copies a store as it is at one moment, and only reads it. Other processes may go on writing to it. */
export async function backupStore(
  from: StoreLocation,
  to: StoreLocation,
  options: BackupOptions,
): Promise<BackupCounts> {
  if ('file' in from && !existsSync(from.file)) throw noStore(from);
  const source = await openSnapshot(from);
  try {
    if (source.isNew) throw noStore(from);
    if ('file' in from && 'file' in to) {
      const { copyFile } = await import('./sqlite-copy.ts');
      return await copyFile(from.file, to.file, options);
    }
    return await copyRows(source, await createTarget(to), options);
  } finally {
    await source.close();
  }
}

const noStore = (place: StoreLocation): LocalError =>
  new LocalError(`There is nothing to copy: ${'file' in place ? place.file : 'the database'} has no store.`, {
    hint: 'Name the file with --data, or the PostgreSQL database with --database.',
  });

async function createTarget(place: StoreLocation): Promise<CopyTarget> {
  if ('database' in place) {
    const { createPostgresCopy } = await import('./postgres-copy.ts');
    return createPostgresCopy(place.database);
  }
  const { createSqliteCopy } = await import('./sqlite-copy.ts');
  return createSqliteCopy(place.file);
}

async function copyRows(
  source: Snapshot,
  target: CopyTarget,
  { signal, onProgress }: BackupOptions,
): Promise<BackupCounts> {
  const { tx, makeTables, listIndexes } = target;
  const write = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      throw target.explain(error);
    });
  let copied = 0;
  try {
    await write(makeTables());
    const indexes = await write(dropIndexes(tx, listIndexes));
    for (const table of tables) {
      for await (const rows of batchesOf(source, table)) {
        signal.throwIfAborted();
        await write(insertRows(tx, table, rows));
        copied += rows.length;
        onProgress?.(`${copied.toLocaleString('en')} records`);
      }
    }
    signal.throwIfAborted();
    for (const statement of indexes) await write(tx.query(raw(statement)));
    const counts = await write(countsOf(tx));
    await write(target.finish());
    return counts;
  } catch (error) {
    await target.abandon();
    throw source.explain(error);
  }
}

/** An index is made faster at the end than row by row. Returns the statements that make them. */
async function dropIndexes(tx: Tx, listIndexes: Sql): Promise<string[]> {
  const indexes = await tx.query<{ name: string; sql: string }>(listIndexes);
  for (const { name } of indexes) await tx.query(sql`DROP INDEX ${raw(name)}`);
  return indexes.map(({ sql }) => sql);
}

/** A page after another, each found by the key where the last one ended. */
async function* batchesOf(
  { query }: Snapshot,
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
