// What the store asks of a database, whichever it is: statements, transactions, and failures that mean the same in both.
import type { LocalError } from '../../errors.ts';

/** The SQLite driver aborts the process on a boolean, so there is none here. */
export type Value = string | number | null | Buffer;

/** Runs one statement, with `?` for each value, and gives its rows. */
export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

export interface Database {
  all: All;
  /**
   * Runs the work within a transaction; once the promise is fulfilled, what it wrote is kept. The work may run more than
   * once, and waits for nothing but its own statements.
   */
  write<Result>(work: (all: All) => Promise<Result>): Promise<Result>;
  /** At the end of a SELECT within `write`: its rows wait for, and then keep out, other writers of them. */
  forUpdate: string;
  /** Whether the bytes `code` contain the bytes `?`. */
  contains: string;
  /** A failure as an error for the person who runs the service. */
  explain(error: unknown): LocalError;
  close(): Promise<void>;
}

/** Where a store is: a file of SQLite, or the address of a PostgreSQL database. */
export type Place = { file: string } | { database: string };

/**
 * - `taken`: another row has this unique value
 * - `orphaned`: the row that this one belongs to is not there any more
 * - `busy`: others were in the way for too long
 * - `unreachable`: there is no connection
 * - `gone`: the files of the store were removed or replaced
 * - `full`: no space is left
 * - `failed`: anything else
 */
type FailureKind = 'taken' | 'orphaned' | 'busy' | 'unreachable' | 'gone' | 'full' | 'failed';

export class DatabaseFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    cause: unknown,
    /** It is not known whether the transaction was committed. */
    readonly maybeWritten = false,
  ) {
    super((cause as Error).message, { cause });
  }
}

/** The database itself failed; that others were in the way is none of its failures. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof DatabaseFailure && !['taken', 'orphaned', 'busy'].includes(error.kind);

export const isOrphaned = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.kind === 'orphaned';

/** Deletes the runs that were reported for vals that are gone. A seed may have runs of vals that are kept elsewhere; these stay. */
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
