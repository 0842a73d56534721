import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Tx } from '../database/database.ts';
import { raw, type Sql, sql, sqlList, type Value } from '../database/sql.ts';
import type { Range } from './positions.ts';
import { positionOfVal } from './vals.ts';

/** SQLite reads as many rows in a few milliseconds, in which nobody else is answered. */
const rowsPerStep = 200;

/**
 * A page of those rows that are wanted. `read` gives all rows, a step at a time, each from where the last one ended. Between
 * two steps, other requests are answered. All reads of this kind take turns, so that nobody waits for a step of each of them.
 */
export async function pageInSteps<Row extends { isWanted: number | null }>(
  { scans }: Pick<Database, 'scans'>,
  { limit, offset = 0, after }: Range<unknown>,
  read: (last: Row | undefined, most: number) => Promise<Row[]>,
): Promise<{ found: Row[]; more: boolean }> {
  const found: Row[] = [];
  let left = after ? 0 : offset;
  // As many rows are likely to be enough.
  let most = Math.min(left + limit + 1, rowsPerStep);
  let rows = await read(undefined, most);
  for (;;) {
    for (const row of rows) {
      if (row.isWanted === null) continue;
      if (left > 0) left -= 1;
      else if (found.push(row) > limit) return { found: found.slice(0, limit), more: true };
    }
    if (rows.length < most) return { found, more: false };
    const last = rows.at(-1);
    most = rowsPerStep;
    rows = await scans.run(async () => {
      await nextTurn();
      return read(last, rowsPerStep);
    });
  }
}

/** Always as many values, so that the databases prepare one statement. */
export const positionsOfRows = (rows: readonly { position: number }[], most: number): Sql =>
  sqlList(Array.from({ length: most }, (_, index) => rows[index]?.position ?? null));

/** Each removes so few rows that others do not wait. Unless it `isEnd`, there may be more. */
export interface Removed {
  count: number;
  isEnd: boolean;
}

export const removeRunsBefore = (tx: Tx, time: number) =>
  removeRunsWhere(tx, sql`started < ${time} ORDER BY started`);

/** Compared from two sides, because with `=` PostgreSQL may choose the index of all runs by time. */
export const removeSomeRuns = (tx: Tx, column: Sql, value: Value | Sql) =>
  removeRunsWhere(tx, sql`${column} >= ${value} AND ${column} <= ${value} ORDER BY ${column}, started`);

export async function removeSomeVersions(tx: Tx, id: string): Promise<Removed> {
  const found = await tx.query<{ version: number }>(
    sql`SELECT version FROM versions WHERE val_id = ${id} ORDER BY version LIMIT ${raw(rowsPerStep)}`,
  );
  const last = found.at(-1);
  if (last) await tx.query(sql`DELETE FROM versions WHERE val_id = ${id} AND version <= ${last.version}`);
  return { count: found.length, isEnd: found.length < rowsPerStep };
}

/** In two statements: with a subquery, PostgreSQL may read the whole table to delete a few of its rows. */
async function removeRunsWhere(tx: Tx, condition: Sql): Promise<Removed> {
  const found = await tx.query<{ position: number }>(
    sql`SELECT position FROM runs WHERE ${condition} LIMIT ${raw(rowsPerStep)} ${tx.skipLocked}`,
  );
  if (found.length === 0) return { count: 0, isEnd: true };
  await tx.query(sql`DELETE FROM runs WHERE position IN ${positionsOfRows(found, rowsPerStep)}`);
  return { count: found.length, isEnd: found.length < rowsPerStep };
}

/**
 * A val may have so many versions and runs that nobody should wait for their deletion. All are gone for callers at once, and
 * `clean-up.ts` deletes those that are left here.
 */
export async function removeValRow(tx: Tx, id: string): Promise<void> {
  const runs = await removeSomeRuns(tx, raw('val'), positionOfVal(id));
  const versions = await removeSomeVersions(tx, id);
  if (!runs.isEnd || !versions.isEnd) {
    await tx.query(
      sql`INSERT INTO removed_vals (val, val_id) SELECT position, id FROM vals WHERE id = ${id}`,
    );
  }
  await tx.query(sql`DELETE FROM vals WHERE id = ${id}`);
}
