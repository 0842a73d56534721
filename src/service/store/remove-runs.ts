import type { Tx, Value } from '../database/database.ts';
import { listOf, raw, type Sql, sql } from '../database/sql.ts';
import { rowsPerStep } from './in-steps.ts';

// Each removes so few runs that others do not wait, and says whether there may be more.

export const removeRunsBefore = (tx: Tx, time: number) =>
  removeWhere(tx, sql`started < ${time} ORDER BY started`);

/** Compared from two sides, because with `=` PostgreSQL may choose the index of all runs by time. */
export const removeSomeRuns = (tx: Tx, column: Sql, value: Value | Sql) =>
  removeWhere(tx, sql`${column} >= ${value} AND ${column} <= ${value} ORDER BY ${column}, started`);

/** In two statements: with a subquery, PostgreSQL may read the whole table to delete a few of its rows. */
async function removeWhere(tx: Tx, condition: Sql): Promise<{ isEnd: boolean }> {
  const found = await tx.query<{ position: number }>(
    sql`SELECT position FROM runs WHERE ${condition} LIMIT ${raw(rowsPerStep)} ${tx.skipLocked}`,
  );
  if (found.length === 0) return { isEnd: true };
  // Always as many values, so that the databases prepare one statement.
  const positions = Array.from({ length: rowsPerStep }, (_, index) => found[index]?.position ?? null);
  await tx.query(sql`DELETE FROM runs WHERE position IN ${listOf(positions)}`);
  return { isEnd: found.length < rowsPerStep };
}
