import type { Reader, Tx } from '../database/database.ts';
import { allOf, nothing, type Sql, sql } from '../database/sql.ts';
import type { User } from './access.ts';
import type { RecordPosition } from './positions.ts';

export const recordKinds = ['runs', 'likes', 'comments'] as const;
export type RecordKind = (typeof recordKinds)[number];

export interface StoredRecord {
  kind: RecordKind;
  key: string;
  at: string;
  tag: string | null;
  valId: string | null;
  json: string;
  logs?: Buffer | null;
}

export interface RecordFilter {
  tag?: string;
  since?: string;
  until?: string;
  limit?: number;
  offset?: number;
  after?: RecordPosition;
}

export interface FoundRecord {
  at: string;
  position: number;
  json: string;
}

/** Runs of a deleted val may still be there, until the service has deleted them. */
export const isOfKind = (kind: RecordKind): Sql =>
  kind === 'runs'
    ? sql`kind = ${kind} AND NOT EXISTS (SELECT 1 FROM removed_vals WHERE removed_vals.val_id = records.val_id)`
    : sql`kind = ${kind}`;

export async function findRecords(
  db: Reader,
  kind: RecordKind,
  of: { ownerId: string } | { valId: string },
  { limit = 2 ** 52, offset = 0, after, ...filter }: RecordFilter = {},
): Promise<{ records: FoundRecord[]; more: boolean }> {
  const conditions = [
    'valId' in of ? sql`val_id = ${of.valId}` : sql`owner_id = ${of.ownerId}`,
    isOfKind(kind),
    ...(filter.tag === undefined ? [] : [sql`tag = ${filter.tag}`]),
    ...(filter.since === undefined ? [] : [sql`at > ${filter.since}`]),
    ...(filter.until === undefined ? [] : [sql`at <= ${filter.until}`]),
  ];
  const select = (isInRange: readonly Sql[], most: number, skipped = nothing) =>
    db.query<FoundRecord>(sql`
      SELECT at, position, json FROM records WHERE ${allOf([...conditions, ...isInRange])}
        ORDER BY at DESC, position LIMIT ${most} ${skipped}`);
  const wanted = limit + 1;
  const found: FoundRecord[] = [];
  if (after) {
    const [at, position] = after;
    // Two statements are faster than one statement with OR, because the databases use no index for the OR.
    found.push(...(await select([sql`at = ${at}`, sql`position > ${position}`], wanted)));
    const left = wanted - found.length;
    if (left > 0) found.push(...(await select([sql`at < ${at}`], left)));
  } else {
    found.push(...(await select([], wanted, sql`OFFSET ${offset}`)));
  }
  return { records: found.slice(0, limit), more: found.length > limit };
}

export async function findRecord(
  db: Reader,
  owner: User,
  kind: RecordKind,
  key: string,
): Promise<{ json: string; logs: string | null } | undefined> {
  const [found] = await db.query<{ json: string; logs: ArrayBuffer | null }>(sql`
    SELECT json, logs FROM records WHERE owner_id = ${owner.id} AND ${isOfKind(kind)} AND key = ${key}`);
  return found && { json: found.json, logs: found.logs && Buffer.from(found.logs).toString() };
}

export async function putRecord(tx: Tx, owner: User, record: StoredRecord): Promise<void> {
  const { kind, key, at, tag, valId, json, logs = null } = record;
  await tx.query(sql`
    INSERT INTO records (owner_id, kind, key, at, tag, val_id, json, logs)
      VALUES (${owner.id}, ${kind}, ${key}, ${at}, ${tag}, ${valId}, ${json}, ${logs})
      ON CONFLICT (owner_id, kind, key) DO UPDATE SET at = excluded.at, tag = excluded.tag,
      val_id = excluded.val_id, json = excluded.json, logs = excluded.logs`);
}
