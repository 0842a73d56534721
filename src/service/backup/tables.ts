import type { Value } from '../database/database.ts';

export interface Table {
  name: string;
  columns: readonly string[];
  /** Rows are read in the order of these columns, which have an index. */
  key: readonly string[];
  /** As many rows are in memory at a time. Few, where a row may be large. */
  batch: number;
  /** The database numbers the rows itself. The copy keeps the numbers, because they are the order of the lists. */
  hasPosition?: boolean;
}

/** A new store that is whole after `finish`, and does not exist without it. */
export interface CopyTarget {
  insert(table: Table, rows: readonly Value[][]): Promise<void>;
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
}

/**
 * What a copy of a store has, in an order in which each row comes after those that it refers to. The owner of an
 * embedded store is a person like others in the copy, without the token that the store keeps. Links for browsers live
 * for minutes, and are left out.
 */
export const tables: readonly Table[] = [
  { name: 'users', columns: ['id', 'username', 'kind', 'created_at'], key: ['id'], batch: 500 },
  { name: 'members', columns: ['user_id', 'space_id', 'role'], key: ['user_id', 'space_id'], batch: 500 },
  {
    name: 'tokens',
    columns: [
      ...['id', 'user_id', 'name', 'digest', 'created_at', 'last_used_at', 'expires_at', 'read_only'],
      'space_id',
    ],
    key: ['id'],
    batch: 500,
  },
  {
    name: 'vals',
    columns: [
      ...['position', 'id', 'owner_id', 'name', 'readme', 'privacy', 'type', 'created_at', 'updated_at'],
      ...['version', 'last_version', 'revision'],
    ],
    key: ['position'],
    batch: 250,
    hasPosition: true,
  },
  {
    name: 'versions',
    columns: [
      ...['val_id', 'version', 'code_hash', 'created_at', 'author_id', 'author_name', 'author_token', 'code'],
    ],
    key: ['val_id', 'version'],
    batch: 50,
  },
  {
    name: 'imports',
    columns: ['position', 'val_id', 'imported_id', 'imported_owner_id', 'at', 'is_current'],
    key: ['position'],
    batch: 500,
    hasPosition: true,
  },
  {
    name: 'records',
    columns: ['position', 'owner_id', 'kind', 'key', 'at', 'tag', 'val_id', 'json', 'logs'],
    key: ['position'],
    batch: 250,
    hasPosition: true,
  },
  {
    name: 'replies',
    columns: ['person_id', 'owner_id', 'key', 'request_digest', 'at', 'reply'],
    key: ['person_id', 'owner_id', 'key'],
    batch: 250,
  },
];

/** A statement that inserts so many rows at once, which is several times as fast as one by one. */
export function insertStatement({ name, columns }: Table, rows: number, overriding = ''): string {
  const places = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${name} (${columns.join(', ')}) ${overriding} VALUES ${Array(rows).fill(places).join(', ')}`;
}
