// What the store needs of a database: statements, transactions, and failures with the same meaning in both databases.
import type { LocalError } from '../../errors.ts';

/** No booleans: the SQLite driver aborts the process on one. */
export type Value = string | number | null | Buffer;

/** Runs one statement, with `?` for each value, and gives its rows. */
export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

export interface Database {
  all: All;
  /**
   * Runs the work within a transaction. When the promise is fulfilled, the writes are committed. The work may run more
   * than once, and must wait for nothing but its own statements. `row` is a name for the row that the work locks; writes
   * of the same row take turns.
   */
  write<Result>(work: (all: All) => Promise<Result>, row?: string): Promise<Result>;
  /** The end of a SELECT that locks its rows until the transaction ends. */
  forUpdate: string;
  /** Whether the bytes `code` contain the bytes `?`. */
  contains: string;
  connections(): { inUse: number; waiting: number };
  /** Turns a failure into an error for the person who runs the service. */
  explain(error: unknown): LocalError;
  close(): Promise<void>;
}

/** The place of a store: a SQLite file, or the address of a PostgreSQL database. */
export type Place = { file: string } | { database: string };

/**
 * - `taken`: another row has this unique value
 * - `orphaned`: the row that this one refers to was deleted
 * - `busy`: the wait for other writers took too long
 * - `unreachable`: there is no connection
 * - `gone`: the files of the store were removed or replaced
 * - `full`: the disk is full
 * - `failed`: anything else
 */
type FailureKind = 'taken' | 'orphaned' | 'busy' | 'unreachable' | 'gone' | 'full' | 'failed';

export class DatabaseFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    cause: unknown,
    /** The transaction may or may not have been committed. */
    readonly maybeWritten = false,
  ) {
    super((cause as Error).message, { cause });
  }
}

/** Whether the database itself failed. A conflict with other writers is no such failure. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof DatabaseFailure && !['taken', 'orphaned', 'busy'].includes(error.kind);

export const isOrphaned = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.kind === 'orphaned';

/** Deletes reported runs of vals that were deleted. Seeded runs of vals on other services stay. */
export const deleteOrphanedRuns = `
  DELETE FROM records WHERE kind = 'runs' AND val_id NOT IN (SELECT id FROM vals)
    AND length(key) = 36 AND json LIKE '{"id":"' || key || '","val":{%';`;

export const createMembers = `CREATE TABLE members (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  space_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL, PRIMARY KEY (user_id, space_id)
)`;

export const indexMembers = 'CREATE INDEX members_by_space ON members (space_id);';

/** Both are kept when the person is removed, so neither refers to a row. */
export const addVersionAuthor = `
  ALTER TABLE versions ADD COLUMN author_id TEXT;
  ALTER TABLE versions ADD COLUMN author_name TEXT;`;
