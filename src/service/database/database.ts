// The interface of a database: statements, transactions, and failures that mean the same in SQLite and PostgreSQL.
import type { LocalError } from '../../errors.ts';

/** A boolean is no value, because the SQLite driver would abort the process. */
export type Value = string | number | null | Buffer;

/** Runs one statement, which has a `?` for each value, and returns its rows. */
export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

export interface Database {
  all: All;
  /**
   * Runs the work in a transaction, which is committed when the promise is fulfilled. The work may run more than once, and
   * must await nothing but its own statements. `row` names the row that the work locks. Writes to the same row run one
   * after another.
   */
  write<Result>(work: (all: All) => Promise<Result>, row?: string): Promise<Result>;
  /** The end of a SELECT that locks its rows until the transaction ends. Empty if a transaction locks everything. */
  forUpdate: string;
  /** An SQL condition: the column `code` contains the bytes `?`. */
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
    /** Whether the transaction may have been committed. */
    readonly maybeWritten = false,
  ) {
    super((cause as Error).message, { cause });
  }
}

/** Whether the database itself failed. A conflict with another write does not count. */
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

/** The columns do not reference `users`, so that the author is kept when the person is removed. */
export const addVersionAuthor = `
  ALTER TABLE versions ADD COLUMN author_id TEXT;
  ALTER TABLE versions ADD COLUMN author_name TEXT;`;
