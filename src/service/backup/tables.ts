import type { Reader, Tx } from '../database/database.ts';
import { joined, raw, type Sql, sql, sqlList, type Value } from '../database/sql.ts';

export type BackupCounts = Record<string, number>;

/** Without those of deleted vals, which will be deleted too. */
const runsOfVals = raw('val NOT IN (SELECT val FROM removed_vals)');
const versionsOfVals = raw('val_id NOT IN (SELECT val_id FROM removed_vals)');

/** What is counted in a copy, in the order in which it is shown. */
const counted: Record<string, Sql> = {
  people: sql`users WHERE kind = 'person'`,
  spaces: sql`users WHERE kind = 'space'`,
  tokens: sql`tokens`,
  vals: sql`vals`,
  versions: sql`versions WHERE ${versionsOfVals}`,
  runs: sql`runs WHERE ${runsOfVals}`,
  references: sql`imports`,
};

export const countedThings = Object.keys(counted);

export async function countsOf(db: Pick<Reader, 'query'>): Promise<BackupCounts> {
  const counts: BackupCounts = {};
  for (const [name, from] of Object.entries(counted)) {
    const [found] = await db.query<{ rows: number }>(sql`SELECT count(*) AS rows FROM ${from}`);
    counts[name] = found?.rows ?? 0;
  }
  return counts;
}

export interface Table {
  name: string;
  /** Rows are read in the order of these columns, which have an index. */
  key: readonly string[];
  /** As many rows are in memory at a time. Few, where a row may be large. */
  batch: number;
  /** Which rows are copied, if not all. */
  condition?: Sql;
}

export type Row = Record<string, Value>;

export interface BackupOptions {
  /** Of the token that --local uses, which is in no copy. */
  localToken: string | undefined;
  signal: AbortSignal;
  /** Gets what was copied so far, in words. */
  onProgress?(copied: string): void;
}

export const isCopiedToken = ({ localToken }: Pick<BackupOptions, 'localToken'>): Sql =>
  sql`digest <> ${localToken ?? ''}`;

/**
 * What a copy of a store has, in an order in which each row comes after those that it refers to. Sessions are left out:
 * whoever is signed in to the store is not signed in to its copy.
 */
export const tablesOf = (options: Pick<BackupOptions, 'localToken'>): readonly Table[] => [
  { name: 'users', key: ['id'], batch: 500 },
  { name: 'members', key: ['user_id', 'space_id'], batch: 500 },
  { name: 'tokens', key: ['id'], batch: 500, condition: isCopiedToken(options) },
  { name: 'vals', key: ['position'], batch: 250 },
  { name: 'versions', key: ['val_id', 'version'], batch: 50, condition: versionsOfVals },
  { name: 'imports', key: ['position'], batch: 500 },
  { name: 'runs', key: ['position'], batch: 250, condition: runsOfVals },
];

/** Inserts the rows at once, which is several times as fast as one by one. */
export async function insertRows(tx: Tx, { name }: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sqlList(columns.map((column) => storable(row[column]))));
  await tx.query(sql`INSERT INTO ${raw(name)} (${raw(columns.join(', '))}) VALUES ${joined(values, ', ')}`);
}

/** The driver of SQLite gives bytes that it does not take back. */
const storable = (value: Value | ArrayBuffer | undefined): Value =>
  value instanceof ArrayBuffer ? Buffer.from(value) : (value ?? null);
