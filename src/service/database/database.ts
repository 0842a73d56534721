import type { ValsError } from '../../core/errors.ts';
import type { Slots } from '../../core/lib/waiting.ts';
import type { Sql } from './sql.ts';

/** What only reads takes a `Reader`: the database itself, or a transaction. */
export interface Reader {
  query<Row>(statement: Sql): Promise<Row[]>;
  /** A condition on the column `code`. */
  codeContains(bytes: Buffer): Sql;
}

const open = Symbol('open transaction');

/**
 * What writes or locks takes a `Tx`, so that it cannot be called outside of a transaction. Only `openTx` makes one: a
 * `Database` in its place would wait for ever in SQLite, and write outside of the transaction in PostgreSQL.
 */
export interface Tx extends Reader {
  readonly [open]: true;
  readonly forUpdate: Sql;
  /** A clause of PostgreSQL. SQLite has one writer at a time. */
  locking(clause: string): Sql;
  /** For rows that another write has locked already, and that are not worth waiting for. */
  readonly skipLocked: Sql;
}

export const openTx = (parts: Omit<Tx, typeof open>): Tx => ({ ...parts, [open]: true });

export interface Database extends Reader {
  /** For reads of many rows, of which one is under way at a time. */
  scans: Slots;
  /**
   * `work` must await only SQL statements, because other writes wait until `work` ends. Two writes with the same `row` run
   * one after the other.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>, row?: string): Promise<Result>;
  /** Fails if the database cannot be used. */
  probe(): Promise<void>;
  connections(): { inUse: number; waiting: number };
  explain(error: unknown): ValsError;
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
