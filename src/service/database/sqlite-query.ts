import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Libsql from 'libsql';
import { LocalError, ValsError } from '../../core/errors.ts';
import { errnoOf, errorMessageOf } from '../../core/lib/system.ts';
import { DatabaseFailure, openTx, type Reader, type Tx } from './database.ts';
import { emptySql, type Sql, sql } from './sql.ts';

export const codeContains = (bytes: Buffer): Sql => sql`instr(code, ${bytes}) > 0`;

/** Prepares each statement once. */
export function queryOn(connection: Libsql.Database): Reader['query'] {
  const statements = new Map<string, Libsql.Statement>();
  return async <Row>({ text, values }: Sql) => {
    try {
      const statement = statements.get(text) ?? connection.prepare(text);
      statements.set(text, statement);
      return statement.all([...values]) as Row[];
    } catch (error) {
      throw sqliteFailure(error);
    }
  };
}

export const txOf = (query: Reader['query']): Tx =>
  openTx({ query, codeContains, forUpdate: emptySql, locking: () => emptySql, skipLocked: emptySql });

export function explainSqlite(file: string, error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  const { reason, hint } = reasonFor(file, sqliteFailure(error) as Error);
  return new LocalError(`The store ${file} could not be used: ${reason}.`, { hint, cause: error });
}

function reasonFor(file: string, error: Error): { reason: string; hint: string } {
  const kind = error instanceof DatabaseFailure ? error.kind : undefined;
  if (kind === 'gone') {
    return {
      reason: error.message,
      hint: 'Restore the files, or restart the service with the current files.',
    };
  }
  if (kind === 'full') {
    return { reason: 'its disk is full', hint: 'Free some space on that disk.' };
  }
  const isOther = errnoOf(error.cause) === 'SQLITE_NOTADB';
  return {
    reason: isOther ? 'it is not a SQLite database' : (denialOf(file) ?? error.message),
    hint: 'Check that the file can be read and written, or choose another one with --data or VALS_DATA_DIR.',
  };
}

/** SQLite has a number where the system has words. It writes to the folder too, where it keeps its log. */
function denialOf(file: string): string | undefined {
  const { R_OK, W_OK } = constants;
  for (const [path, mode] of [
    [file, R_OK | W_OK],
    [dirname(file), W_OK],
  ] as const) {
    try {
      accessSync(path, mode);
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(`${errnoOf(error)}`)) return undefined;
      return `${errorMessageOf(error)}, for ${path}${ownerOf(path)}`;
    }
  }
  return undefined;
}

function ownerOf(path: string): string {
  const user = process.geteuid?.();
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  if (user === undefined || owner === undefined || owner === user) return '';
  return `, which belongs to the user ${owner} (you are the user ${user})`;
}

const kinds: [RegExp, DatabaseFailure['kind']][] = [
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/, 'taken'],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$/, 'orphaned'],
  [/^SQLITE_BUSY/, 'busy'],
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)$/, 'full'],
  [/^SQLITE_/, 'failed'],
];

export function sqliteFailure(error: unknown): unknown {
  const code = `${errnoOf(error)}`;
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1];
  return kind === undefined || error instanceof DatabaseFailure ? error : new DatabaseFailure(kind, error);
}
