import type { Reader, Tx, Value } from '../database/database.ts';
import type { User } from './caller.ts';
import type { RecordPosition } from './positions.ts';

export const recordKinds = ['runs', 'likes', 'comments', 'references'] as const;
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

export async function findRecords(
  db: Reader,
  kind: RecordKind,
  of: { ownerId: string } | { valId: string },
  { limit = 2 ** 52, offset = 0, after, ...filter }: RecordFilter = {},
): Promise<{ records: FoundRecord[]; more: boolean }> {
  const [scope, id] = 'valId' in of ? ['val_id = ?', of.valId] : ['owner_id = ?', of.ownerId];
  const filters = {
    [scope]: id,
    'kind = ?': kind,
    'tag = ?': filter.tag,
    'at > ?': filter.since,
    'at <= ?': filter.until,
  };
  const select = (range: Record<string, Value>, end: string, values: number[]) => {
    const conditions = Object.entries({ ...filters, ...range }).filter(
      (condition): condition is [string, Value] => condition[1] !== undefined,
    );
    return db.query<FoundRecord>(
      `SELECT at, position, json FROM records WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
        ORDER BY at DESC, position ${end}`,
      [...conditions.map(([, value]) => value), ...values],
    );
  };
  const wanted = limit + 1;
  const found: FoundRecord[] = [];
  if (after) {
    const [at, position] = after;
    // Two statements are faster than one statement with OR, because the databases use no index for the OR.
    found.push(...(await select({ 'at = ?': at, 'position > ?': position }, 'LIMIT ?', [wanted])));
    const left = wanted - found.length;
    if (left > 0) found.push(...(await select({ 'at < ?': at }, 'LIMIT ?', [left])));
  } else {
    found.push(...(await select({}, 'LIMIT ? OFFSET ?', [wanted, offset])));
  }
  return { records: found.slice(0, limit), more: found.length > limit };
}

export async function findRecord(
  db: Reader,
  owner: User,
  kind: RecordKind,
  key: string,
): Promise<{ json: string; logs: string | null } | undefined> {
  const [found] = await db.query<{ json: string; logs: ArrayBuffer | null }>(
    'SELECT json, logs FROM records WHERE owner_id = ? AND kind = ? AND key = ?',
    [owner.id, kind, key],
  );
  return found && { json: found.json, logs: found.logs && Buffer.from(found.logs).toString() };
}

export async function putRecord(tx: Tx, owner: User, record: StoredRecord): Promise<void> {
  const { kind, key, at, tag, valId, json, logs = null } = record;
  await tx.query(
    `INSERT INTO records (owner_id, kind, key, at, tag, val_id, json, logs)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (owner_id, kind, key) DO UPDATE SET at = excluded.at, tag = excluded.tag,
        val_id = excluded.val_id, json = excluded.json, logs = excluded.logs`,
    [owner.id, kind, key, at, tag, valId, json, logs],
  );
}
