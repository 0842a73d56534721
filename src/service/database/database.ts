import type { LocalError } from '../../errors.ts';

/** `Value` has no boolean, because a boolean makes the SQLite driver abort the process. */
export type Value = string | number | null | Buffer;

export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

/** Two writes with the same `row` run one after the other. `person` is the id of the person who writes. */
export interface WriteFacts {
  person?: string;
  row?: string | undefined;
}

export interface Database {
  all: All;
  /**
   * `work` must change only the database, because `work` runs again after a conflict. `work` must await only
   * SQL statements, because other writes wait until `work` ends.
   */
  write<Result>(work: (all: All) => Promise<Result>, write?: WriteFacts): Promise<Result>;
  forUpdate: string;
  codeContains: string;
  connections(): { inUse: number; waiting: number };
  explain(error: unknown): LocalError;
  close(): Promise<void>;
}

export type StoreLocation = { file: string } | { database: string };

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

export const deleteOrphanedRuns = `
  DELETE FROM records WHERE kind = 'runs' AND val_id NOT IN (SELECT id FROM vals)
    AND length(key) = 36 AND json LIKE '{"id":"' || key || '","val":{%';`;

export const createMembers = `CREATE TABLE members (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  space_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL, PRIMARY KEY (user_id, space_id)
)`;

export const indexMembers = 'CREATE INDEX members_by_space ON members (space_id);';

export const addVersionAuthor = `
  ALTER TABLE versions ADD COLUMN author_id TEXT;
  ALTER TABLE versions ADD COLUMN author_name TEXT;`;
