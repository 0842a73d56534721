import type Libsql from 'libsql';
import { openTx, type Reader, type Tx } from './database.ts';
import { emptySql, type Sql, sql } from './sql.ts';
import { sqliteFailure } from './sqlite-failures.ts';

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
