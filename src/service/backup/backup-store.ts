import type { Reader, StoreLocation, Value } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { recordKinds } from '../store/records.ts';
import { type CopyTarget, type Table, tables } from './tables.ts';

type Row = Record<string, Value>;

export interface BackupCounts {
  people: number;
  spaces: number;
  tokens: number;
  vals: number;
  versions: number;
  runs: number;
  likes: number;
  comments: number;
  references: number;
}

export interface BackupOptions {
  signal: AbortSignal;
  /** Gets the number of rows that were copied. */
  onProgress?(rows: number): void;
}

/** Copies a store as it is at one moment. Other processes may go on writing to it. */
export async function backupStore(
  from: StoreLocation,
  to: StoreLocation,
  options: BackupOptions,
): Promise<BackupCounts> {
  const source = await openDatabase(from);
  try {
    const target = await createTarget(to);
    try {
      const counts = await source.snapshot((reader) => copyAll(reader, target, options));
      await target.finish();
      return counts;
    } catch (error) {
      await target.abandon();
      throw source.explain(error);
    }
  } finally {
    await source.close();
  }
}

async function createTarget(place: StoreLocation): Promise<CopyTarget> {
  if ('database' in place) {
    const { createPostgresCopy } = await import('./postgres-copy.ts');
    return createPostgresCopy(place.database);
  }
  const { createSqliteCopy } = await import('./sqlite-copy.ts');
  return createSqliteCopy(place.file);
}

async function copyAll(
  reader: Reader,
  target: CopyTarget,
  { signal, onProgress }: BackupOptions,
): Promise<BackupCounts> {
  const counter = createCounter();
  for (const table of tables) {
    for await (const rows of batchesOf(reader, table)) {
      signal.throwIfAborted();
      await target.insert(
        table,
        rows.map((row) => table.columns.map((column) => storable(row[column]))),
      );
      counter.add(table, rows);
      onProgress?.(counter.rows());
    }
  }
  return counter.counts();
}

/** A page after another, each found by the key where the last one ended. */
async function* batchesOf(reader: Reader, { name, columns, key, batch }: Table): AsyncGenerator<Row[]> {
  const select = (condition: string) =>
    `SELECT ${columns.join(', ')} FROM ${name} ${condition} ORDER BY ${key.join(', ')} LIMIT ${batch}`;
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

/** The driver of SQLite gives bytes that it does not take back. */
const storable = (value: Value | ArrayBuffer | undefined): Value =>
  value instanceof ArrayBuffer ? Buffer.from(value) : (value ?? null);

function createCounter() {
  const counted = new Map<string, number>();
  const count = (what: string) => counted.get(what) ?? 0;
  const kindOf = ({ name }: Table, row: Row) => {
    if (name === 'imports') return row.is_current === 1 ? 'references' : name;
    return name === 'users' || name === 'records' ? `${row.kind}` : name;
  };
  return {
    add(table: Table, rows: readonly Row[]): void {
      for (const row of rows) counted.set(kindOf(table, row), count(kindOf(table, row)) + 1);
    },
    rows: () => [...counted.values()].reduce((sum, rows) => sum + rows, 0),
    counts(): BackupCounts {
      const [runs = 0, likes = 0, comments = 0] = recordKinds.map(count);
      const owners = { people: count('person'), spaces: count('space'), tokens: count('tokens') };
      return {
        ...owners,
        vals: count('vals'),
        versions: count('versions'),
        runs,
        likes,
        comments,
        references: count('references'),
      };
    },
  };
}
