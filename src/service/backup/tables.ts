import type { Reader, Value } from '../database/database.ts';

export interface Table {
  name: string;
  /** Rows are read in the order of these columns, which have an index. */
  key: readonly string[];
  /** As many rows are in memory at a time. Few, where a row may be large. */
  batch: number;
  /** The first schema that has the table. */
  since: number;
  /** The database numbers the rows itself. The copy keeps the numbers, because they are the order of the lists. */
  hasPosition?: boolean;
}

export type Row = Record<string, Value>;

/** A new store that is whole after `finish`, and does not exist without it. It begins with the schema of the source. */
export interface CopyTarget {
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** Makes the indexes, and brings the copy up to date. */
  complete(): Promise<Reader>;
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
}

/**
 * What a copy of a store has, in an order in which each row comes after those that it refers to. The owner of an
 * embedded store is a person like others in the copy, without the token that the store keeps. What opens sessions is left
 * out too: the links for browsers, and the secret of the store.
 */
export const tables: readonly Table[] = [
  { name: 'users', key: ['id'], batch: 500, since: 1 },
  { name: 'members', key: ['user_id', 'space_id'], batch: 500, since: 1 },
  { name: 'tokens', key: ['id'], batch: 500, since: 2 },
  { name: 'vals', key: ['position'], batch: 250, since: 1, hasPosition: true },
  { name: 'versions', key: ['val_id', 'version'], batch: 50, since: 1 },
  { name: 'imports', key: ['position'], batch: 500, since: 4, hasPosition: true },
  { name: 'records', key: ['position'], batch: 250, since: 1, hasPosition: true },
  { name: 'removed_vals', key: ['val_id'], batch: 500, since: 3 },
  { name: 'replies', key: ['person_id', 'owner_id', 'key'], batch: 250, since: 1 },
];

export const leftOut = ['owner', 'links', 'secret'];

/** Inserts the rows at once, which is several times as fast as one by one. */
export function insertStatement({ name }: Table, rows: readonly Row[], overriding = '') {
  const columns = Object.keys(rows[0] ?? {});
  const places = `(${columns.map(() => '?').join(', ')})`;
  return {
    sql: `INSERT INTO ${name} (${columns.join(', ')}) ${overriding} VALUES ${rows.map(() => places).join(', ')}`,
    values: rows.flatMap((row) => columns.map((column) => storable(row[column]))),
  };
}

/** The driver of SQLite gives bytes that it does not take back. */
const storable = (value: Value | ArrayBuffer | undefined): Value =>
  value instanceof ArrayBuffer ? Buffer.from(value) : (value ?? null);
