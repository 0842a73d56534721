import type { Reader } from '../database/database.ts';
import { listOf, raw, sql } from '../database/sql.ts';
import type { Caller, User } from './caller.ts';
import type { RecordPosition } from './positions.ts';
import {
  isCurrent,
  isVisibleTo,
  joinedWith,
  type ListedRow,
  type ListedVal,
  listedColumns,
  withAuthor,
} from './val-rows.ts';

// Reads that only the pages for browsers need.

/** All vals of an owner, newest change first. */
export async function changedVals(
  db: Reader,
  { id }: User,
  { limit, after }: { limit: number; after?: RecordPosition | undefined },
): Promise<{ vals: ListedVal[]; next: RecordPosition | undefined }> {
  const [updatedAt, position] = after ?? ['a', Number.MAX_SAFE_INTEGER];
  // See `listVals` for `owner_id >= ?`.
  const isAfter = sql`owner_id >= ${id} AND (owner_id, updated_at, position) < (${id}, ${updatedAt}, ${position})`;
  const chosen = sql`(SELECT * FROM vals WHERE ${isAfter}
    ORDER BY owner_id DESC, updated_at DESC, position DESC LIMIT ${raw(limit + 1)}) AS vals`;
  const rows = await db.query<ListedRow & { position: number }>(sql`
    SELECT vals.position, ${listedColumns} ${joinedWith(chosen)} AND ${isCurrent}
      ORDER BY owner_id DESC, vals.updated_at DESC, vals.position DESC`);
  const last = rows[limit - 1];
  return {
    vals: rows.slice(0, limit).map(({ position: _, ...row }) => withAuthor(row)),
    next: last && rows.length > limit ? [last.updatedAt, last.position] : undefined,
  };
}

export type RunResult = 'passed' | 'failed';

/** How the last run of each val ended. A val that never ran is not in the map. */
export async function lastResults(
  db: Reader,
  vals: readonly { id: string }[],
): Promise<Map<string, RunResult>> {
  if (vals.length === 0) return new Map();
  const rows = await db.query<{ id: string; tag: RunResult | null }>(sql`
    SELECT id, (SELECT tag FROM records WHERE kind = 'runs' AND val_id = vals.id
      ORDER BY at DESC, position LIMIT 1) AS tag
      FROM vals WHERE id IN ${listOf(vals.map(({ id }) => id))}`);
  return new Map(rows.flatMap(({ id, tag }) => (tag === null ? [] : [[id, tag]])));
}

/** Those of the ids whose vals the caller may read. */
export async function readableIds(
  db: Reader,
  caller: Caller | undefined,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    sql`SELECT id FROM vals WHERE id IN ${listOf(ids)} AND ${isVisibleTo(caller)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The numbers of the versions before and after this one. */
export async function versionsAround(
  db: Reader,
  id: string,
  version: number,
): Promise<{ older: number | undefined; newer: number | undefined }> {
  const next = async (comparison: string, order: string) => {
    const [found] = await db.query<{ version: number }>(sql`
      SELECT version FROM versions WHERE val_id = ${id} AND version ${raw(comparison)} ${version}
        ORDER BY version ${raw(order)} LIMIT 1`);
    return found?.version;
  };
  return { older: await next('<', 'DESC'), newer: await next('>', 'ASC') };
}
