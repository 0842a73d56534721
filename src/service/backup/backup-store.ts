import { LocalError } from '../../errors.ts';
import type { Reader, Snapshot, StoreLocation } from '../database/database.ts';
import { openSnapshot } from '../database/open-database.ts';
import { type BackupCounts, countsOf } from './counts.ts';
import { type CopyTarget, type Row, type Table, tables } from './tables.ts';

export interface BackupOptions {
  signal: AbortSignal;
  /** Gets what was copied so far, in words. */
  onProgress?(copied: string): void;
}

/** Copies a store as it is at one moment, and only reads it. Other processes may go on writing to it. */
export async function backupStore(
  from: StoreLocation,
  to: StoreLocation,
  options: BackupOptions,
): Promise<BackupCounts> {
  const source = await openSnapshot(from);
  try {
    if (source.schema === 0) throw noStore(from);
    if ('file' in from && 'file' in to) {
      const { copyFile } = await import('./file-copy.ts');
      return await copyFile(from.file, to.file, options);
    }
    return await copyRows(source, await createTarget(to, source.schema), options);
  } finally {
    await source.close();
  }
}

const noStore = (place: StoreLocation): LocalError =>
  new LocalError(`There is nothing to copy: ${'file' in place ? place.file : 'the database'} has no store.`, {
    hint: 'Name the file with --data, or the PostgreSQL database with --database.',
  });

async function createTarget(place: StoreLocation, schema: number): Promise<CopyTarget> {
  if ('database' in place) {
    const { createPostgresCopy } = await import('./postgres-copy.ts');
    return createPostgresCopy(place.database, schema);
  }
  const { createSqliteCopy } = await import('./sqlite-copy.ts');
  return createSqliteCopy(place.file, schema);
}

async function copyRows(
  { reader, schema, explain }: Snapshot,
  target: CopyTarget,
  { signal, onProgress }: BackupOptions,
): Promise<BackupCounts> {
  let copied = 0;
  try {
    for (const table of tables.filter(({ since }) => since <= schema)) {
      for await (const rows of batchesOf(reader, table)) {
        signal.throwIfAborted();
        await target.insert(table, rows);
        copied += rows.length;
        onProgress?.(`${copied.toLocaleString('en')} records`);
      }
    }
    signal.throwIfAborted();
    const counts = await countsOf(await target.complete());
    await target.finish();
    return counts;
  } catch (error) {
    await target.abandon();
    throw explain(error);
  }
}

/** A page after another, each found by the key where the last one ended. */
async function* batchesOf(reader: Reader, { name, key, batch }: Table): AsyncGenerator<Row[]> {
  const select = (condition: string) =>
    `SELECT * FROM ${name} ${condition} ORDER BY ${key.join(', ')} LIMIT ${batch}`;
  const isAfter = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  let rows = await reader.query<Row>(select(''));
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1);
    if (rows.length < batch || !last) return;
    rows = await reader.query<Row>(
      select(isAfter),
      key.map((column) => last[column] ?? null),
    );
  }
}
