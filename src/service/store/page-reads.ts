import type { Reader } from '../database/database.ts';
import type { Caller, User } from './caller.ts';
import type { RecordPosition } from './positions.ts';
import {
  isCurrent,
  isVisible,
  joinedWith,
  type ListedRow,
  type ListedVal,
  listedColumns,
  withAuthor,
} from './val-rows.ts';
import { hasVersion } from './versions.ts';

/** Reads that only the pages for browsers need. */
export const createPageReads = (db: Reader) => ({
  changedVals: (owner: User, range: { limit: number; after?: RecordPosition | undefined }) =>
    changedVals(db, owner, range),
  lastResults: (vals: readonly { id: string }[]) => lastResults(db, vals),
  readableIds: (caller: Caller | undefined, ids: readonly string[]) => readableIds(db, caller, ids),
  idsByName: (caller: Caller | undefined, owner: User, names: readonly string[]) =>
    idsByName(db, caller, owner, names),
  hasVersion: (id: string, version: number) => hasVersion(db, id, version),
  versionsAround: (id: string, version: number) => versionsAround(db, id, version),
});

/** All vals of an owner, newest change first. */
async function changedVals(
  db: Reader,
  { id }: User,
  { limit, after }: { limit: number; after?: RecordPosition | undefined },
): Promise<{ vals: ListedVal[]; next: RecordPosition | undefined }> {
  // See `listVals` for `owner_id >= ?`.
  const chosen = `(SELECT * FROM vals WHERE owner_id >= ? AND (owner_id, updated_at, position) < (?, ?, ?)
    ORDER BY owner_id DESC, updated_at DESC, position DESC LIMIT ${limit + 1})`;
  const [updatedAt, position] = after ?? ['a', Number.MAX_SAFE_INTEGER];
  const rows = await db.query<ListedRow & { position: number }>(
    `SELECT vals.position, ${listedColumns} ${joinedWith(`${chosen} AS vals`)} AND ${isCurrent}
      ORDER BY owner_id DESC, vals.updated_at DESC, vals.position DESC`,
    [id, id, updatedAt, position],
  );
  const last = rows[limit - 1];
  return {
    vals: rows.slice(0, limit).map(({ position: _, ...row }) => withAuthor(row)),
    next: last && rows.length > limit ? [last.updatedAt, last.position] : undefined,
  };
}

export type RunResult = 'passed' | 'failed';

/** How the last run of each val ended. A val that never ran is not in the map. */
async function lastResults(db: Reader, vals: readonly { id: string }[]): Promise<Map<string, RunResult>> {
  if (vals.length === 0) return new Map();
  const lastTag = `(SELECT tag FROM records WHERE kind = 'runs' AND val_id = vals.id
    ORDER BY at DESC, position LIMIT 1)`;
  const rows = await db.query<{ id: string; tag: RunResult | null }>(
    `SELECT id, ${lastTag} AS tag FROM vals WHERE id IN (${vals.map(() => '?')})`,
    vals.map(({ id }) => id),
  );
  return new Map(rows.flatMap(({ id, tag }) => (tag === null ? [] : [[id, tag]])));
}

/** Those of the ids whose vals the caller may read. */
async function readableIds(
  db: Reader,
  caller: Caller | undefined,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM vals WHERE id IN (${ids.map(() => '?')}) AND ${isVisible}`,
    [...ids, caller?.owner.id ?? ''],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The ids of an owner's vals by their names, for those that the caller may find by name. */
async function idsByName(
  db: Reader,
  caller: Caller | undefined,
  owner: User,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db.query<{ id: string; name: string }>(
    `SELECT id, name FROM vals WHERE name IN (${names.map(() => '?')}) AND owner_id = ? AND (privacy = 'public' OR owner_id = ?)`,
    [...names, owner.id, caller?.owner.id ?? ''],
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** The numbers of the versions before and after this one. */
async function versionsAround(
  db: Reader,
  id: string,
  version: number,
): Promise<{ older: number | undefined; newer: number | undefined }> {
  const next = async (comparison: string, order: string) => {
    const [found] = await db.query<{ version: number }>(
      `SELECT version FROM versions WHERE val_id = ? AND version ${comparison} ? ORDER BY version ${order} LIMIT 1`,
      [id, version],
    );
    return found?.version;
  };
  return { older: await next('<', 'DESC'), newer: await next('>', 'ASC') };
}
