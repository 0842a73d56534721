import type { Reader, Tx } from '../database/database.ts';
import { allOf, nothing, type Sql, sql } from '../database/sql.ts';
import type { User } from './access.ts';
import type { RecordPosition } from './positions.ts';
import { sortableTime } from './timestamps.ts';

export const recordKinds = ['runs', 'likes', 'comments'] as const;
export type RecordKind = (typeof recordKinds)[number];
/** These are stored as they were loaded, because the service itself makes none. For runs see `runs.ts`. */
export const loadedKinds = ['likes', 'comments'] as const;
export type LoadedKind = (typeof loadedKinds)[number];

export interface StoredRecord {
  kind: LoadedKind;
  key: string;
  at: string;
  tag: string | null;
  valId: string | null;
  json: string;
}

export interface RecordFilter {
  tag?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit?: number;
  offset?: number;
  after?: RecordPosition | undefined;
}

export interface FoundRecord {
  at: string;
  position: number;
  json: string;
}

export async function findRecords(
  db: Reader,
  kind: LoadedKind,
  owner: User,
  { limit = 2 ** 52, offset = 0, after, ...filter }: RecordFilter = {},
): Promise<{ records: FoundRecord[]; more: boolean }> {
  const conditions = [
    sql`owner_id = ${owner.id} AND kind = ${kind}`,
    ...(filter.tag === undefined ? [] : [sql`tag = ${filter.tag}`]),
    ...(filter.since === undefined ? [] : [sql`at > ${sortableTime(filter.since) ?? ''}`]),
    ...(filter.until === undefined ? [] : [sql`at <= ${sortableTime(filter.until) ?? ''}`]),
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

export async function putRecord(tx: Tx, owner: User, record: StoredRecord): Promise<void> {
  const { kind, key, at, tag, valId, json } = record;
  await tx.query(sql`
    INSERT INTO records (owner_id, kind, key, at, tag, val_id, json)
      VALUES (${owner.id}, ${kind}, ${key}, ${at}, ${tag}, ${valId}, ${json})
      ON CONFLICT (owner_id, kind, key) DO UPDATE SET at = excluded.at, tag = excluded.tag,
      val_id = excluded.val_id, json = excluded.json`);
}
