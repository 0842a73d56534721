// The interface that SQLite and PostgreSQL share: statements, transactions, and kinds of failures.
import type { LocalError } from '../../errors.ts';

/**
 * A value for an SQL statement. Booleans are not allowed, because the SQLite driver aborts the process when it gets
 * one.
 */
export type Value = string | number | null | Buffer;

/** Runs an SQL statement that has a `?` for each value, and returns the rows of the result. */
export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

export interface Database {
  all: All;
  /**
   * Runs the work in a transaction. When the returned promise is fulfilled, the transaction is committed. The work may
   * run more than once, and must await nothing but its own statements. `row` names the row that the work locks. Writes
   * to the same row run one after another.
   */
  write<Result>(work: (all: All) => Promise<Result>, row?: string): Promise<Result>;
  /**
   * SQL to add at the end of a SELECT, so that the SELECT locks its rows until the transaction ends. Empty for SQLite,
   * because a write transaction of SQLite locks the whole file.
   */
  forUpdate: string;
  /**
   * An SQL condition that is true if the column `code` contains given bytes. The placeholder `?` stands for the bytes.
   */
  contains: string;
  connections(): { inUse: number; waiting: number };
  /** Turns a failure into an error for the person who runs the service. */
  explain(error: unknown): LocalError;
  close(): Promise<void>;
}

export type StoreLocation = { file: string } | { database: string };

/**
 * - `taken`: another row already has the same unique value, such as the same name
 * - `orphaned`: the new row refers to a row that was deleted
 * - `busy`: the wait for other writers took too long
 * - `unreachable`: there is no connection to the database
 * - `gone`: the files of the store were removed or replaced
 * - `full`: the disk is full
 * - `failed`: anything else
 */
type FailureKind = 'taken' | 'orphaned' | 'busy' | 'unreachable' | 'gone' | 'full' | 'failed';

export class DatabaseFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    cause: unknown,
    readonly maybeCommitted = false,
  ) {
    super((cause as Error).message, { cause });
  }
}

/** Returns false for a conflict with another write, because the store still works. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof DatabaseFailure && !['taken', 'orphaned', 'busy'].includes(error.kind);

export const isOrphaned = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.kind === 'orphaned';

/**
 * Deletes the runs of deleted vals. Keeps runs that a seed added, because the val of such a run may be on another
 * service.
 */
export const deleteOrphanedRuns = `
  DELETE FROM records WHERE kind = 'runs' AND val_id NOT IN (SELECT id FROM vals)
    AND length(key) = 36 AND json LIKE '{"id":"' || key || '","val":{%';`;

export const createMembers = `CREATE TABLE members (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  space_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL, PRIMARY KEY (user_id, space_id)
)`;

export const indexMembers = 'CREATE INDEX members_by_space ON members (space_id);';

/**
 * The new columns do not reference the table `users`, so that a version keeps its author when the author is removed.
 */
export const addVersionAuthor = `
  ALTER TABLE versions ADD COLUMN author_id TEXT;
  ALTER TABLE versions ADD COLUMN author_name TEXT;`;
