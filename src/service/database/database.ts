import type { LocalError } from '../../errors.ts';

/** `Value` has no boolean, because a boolean makes the SQLite driver abort the process. */
export type Value = string | number | null | Buffer;

export type All = <Row>(sql: string, values?: Value[]) => Promise<Row[]>;

/** Two writes with the same `row` run one after the other. `person` is the id of the person who writes. */
export interface SlotKeys {
  person?: string;
  row?: string | undefined;
}

export interface Database {
  all: All;
  /**
   * `work` must change only the database, because `work` runs again after a conflict. `work` must await only
   * SQL statements, because other writes wait until `work` ends.
   */
  write<Result>(work: (all: All) => Promise<Result>, write?: SlotKeys): Promise<Result>;
  forUpdate: string;
  /** For rows that another write has locked already, and that are not worth waiting for. */
  skipLocked: string;
  codeContains: string;
  /** Fails if the database cannot be used. */
  probe(): Promise<void>;
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
