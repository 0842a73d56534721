// The interface that SQLite and PostgreSQL share: statements, transactions, and kinds of failures.
import type { LocalError } from '../../errors.ts';

/** Booleans are missing, because the SQLite driver aborts the process when it gets one. */
export type Value = string | number | null | Buffer;

/** Runs an SQL statement that has a `?` for each value, and returns the rows of the result. */
export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

export interface Database {
  all: All;
  /**
   * Runs the work in a transaction, which is committed when the promise is fulfilled. The work may run more than once, and
   * must await nothing but its own statements. `row` names the row that the work locks. Writes to the same row run one
   * after another.
   */
  write<Result>(work: (all: All) => Promise<Result>, row?: string): Promise<Result>;
  /**
   * The end of a SELECT that locks its rows until the transaction ends. Empty for SQLite, where a transaction locks the
   * whole file.
   */
  forUpdate: string;
  /** An SQL condition: the column `code` contains the bytes `?`. */
  contains: string;
  connections(): { inUse: number; waiting: number };
  /** Turns a failure into an error for the person who runs the service. */
  explain(error: unknown): LocalError;
  close(): Promise<void>;
}

export type StoreLocation = { file: string } | { database: string };

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
    readonly maybeCommitted = false,
  ) {
    super((cause as Error).message, { cause });
  }
}

/** False for a conflict with another write, which is no failure of the store. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof DatabaseFailure && !['taken', 'orphaned', 'busy'].includes(error.kind);

export const isOrphaned = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.kind === 'orphaned';

/** Deletes the reported runs of deleted vals. Keeps seeded runs, because their vals may be on another service. */
export const deleteOrphanedRuns = `
  DELETE FROM records WHERE kind = 'runs' AND val_id NOT IN (SELECT id FROM vals)
    AND length(key) = 36 AND json LIKE '{"id":"' || key || '","val":{%';`;

export const createMembers = `CREATE TABLE members (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  space_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL, PRIMARY KEY (user_id, space_id)
)`;

export const indexMembers = 'CREATE INDEX members_by_space ON members (space_id);';

/** The columns do not reference `users`, so that a version keeps its author when that person is removed. */
export const addVersionAuthor = `
  ALTER TABLE versions ADD COLUMN author_id TEXT;
  ALTER TABLE versions ADD COLUMN author_name TEXT;`;
