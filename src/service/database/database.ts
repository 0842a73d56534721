import type { LocalError } from '../../errors.ts';

/** No booleans, because the SQLite driver aborts the process when it gets one. */
export type Value = string | number | null | Buffer;

/** Runs a statement with a `?` for each value, and returns all rows. */
export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

export interface Database {
  all: All;
  /**
   * After a conflict, `work` runs again, so `work` must change nothing outside the database. Other writes wait until
   * `work` ends, so `work` must await only statements.
   */
  write<Result>(work: (all: All) => Promise<Result>, rowId?: string): Promise<Result>;
  /** The end of a SELECT that locks its rows. Empty for SQLite, where a write locks the whole file. */
  forUpdate: string;
  codeContains: string;
  connections(): { inUse: number; waiting: number };
  explain(error: unknown): LocalError;
  close(): Promise<void>;
}

export type StoreLocation = { file: string } | { database: string };

/**
 * - `taken`: another row already has the same unique value, such as the same name
 * - `orphaned`: the new row refers to a row that was deleted
 * - `busy`: the wait for other writers took too long
 * - `gone`: the files of the store were removed or replaced
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

export const isStoreBroken = (error: unknown): boolean =>
  error instanceof DatabaseFailure && !['taken', 'orphaned', 'busy'].includes(error.kind);

export const isOrphaned = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.kind === 'orphaned';

/**
 * The last line matches only runs that the service itself stored, because only their JSON begins with `id` and `val`.
 * A run from a seed file is kept, because its val may be on another service.
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

/** The columns do not reference `users`, so that a version keeps its author when the author is removed. */
export const addVersionAuthor = `
  ALTER TABLE versions ADD COLUMN author_id TEXT;
  ALTER TABLE versions ADD COLUMN author_name TEXT;`;
