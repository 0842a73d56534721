import { isObject, type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts';
import type { All, Value } from '../database/database.ts';
import type { RecordPosition } from './positions.ts';
import type { User } from './users.ts';

export const recordKinds = ['runs', 'likes', 'comments', 'references'] as const;
export type RecordKind = (typeof recordKinds)[number];

export interface StoredRecord {
  kind: RecordKind;
  key: string;
  at: string;
  tag: string | null;
  valId: string | null;
  valName: string | null;
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
  all: All,
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
    return all<FoundRecord>(
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
  all: All,
  owner: User,
  kind: RecordKind,
  key: string,
): Promise<{ json: string; logs: string | null } | undefined> {
  const [found] = await all<{ json: string; logs: ArrayBuffer | null }>(
    'SELECT json, logs FROM records WHERE owner_id = ? AND kind = ? AND key = ?',
    [owner.id, kind, key],
  );
  return found && { json: found.json, logs: found.logs && Buffer.from(found.logs).toString() };
}

export async function countRecords(all: All, kind: RecordKind, valId: string, most: number): Promise<number> {
  const [counted] = await all<{ count: number }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM records WHERE kind = ? AND val_id = ? LIMIT ?) AS first',
    [kind, valId, most],
  );
  return Number(counted?.count);
}

export async function putRecord(all: All, owner: User, record: StoredRecord): Promise<void> {
  const { kind, key, at, tag, valId, valName, json, logs = null } = record;
  await all(
    `INSERT INTO records (owner_id, kind, key, at, tag, val_id, val_name, json, logs)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (owner_id, kind, key) DO UPDATE SET at = excluded.at, tag = excluded.tag,
        val_id = excluded.val_id, val_name = excluded.val_name, json = excluded.json, logs = excluded.logs`,
    [owner.id, kind, key, at, tag, valId, valName, json, logs],
  );
}

export async function claimRecords(all: All, owner: User, val: { id: string; name: string }): Promise<void> {
  const records = await all<{ position: number; kind: RecordKind; json: string }>(
    'SELECT position, kind, json FROM records WHERE owner_id = ? AND val_name = ? AND val_id IS NULL',
    [owner.id, val.name],
  );
  for (const { position, kind, json } of records) {
    await all('UPDATE records SET val_id = ?, json = ? WHERE position = ?', [
      val.id,
      withVal(kind, json, owner, val.id),
      position,
    ]);
  }
}

function withVal(kind: RecordKind, json: string, owner: User, id: string): string {
  const record = parseJson(json) as JsonObject;
  const complete = (field: string, values: JsonObject) =>
    stringifyJson({ ...record, [field]: { ...(isObject(record[field]) && record[field]), ...values } });
  switch (kind) {
    case 'runs':
      return complete('val', { id });
    case 'references':
      return complete('dependsOn', { id, author_id: owner.id, username: owner.username });
    default:
      return json;
  }
}

const timestampForm = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?)?$/;

/** The time of a record as text that sorts by time, with nanoseconds and in UTC. */
export function sortableTime(text: string): string | undefined {
  const match = timestampForm.exec(text);
  if (!match) return undefined;
  const [, date, minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match;
  const time = new Date(`${date}T${minutes}${seconds}${zone}`);
  const isDay = (day: Date) => !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${date}`);
  if (!isDay(new Date(`${date}T00:00:00Z`)) || Number.isNaN(time.getTime())) return undefined;
  const utc = time.toISOString();
  // A year beyond 9999 begins with a sign, and would be sorted before all other years.
  return /^\d/.test(utc) ? `${utc.slice(0, 19)}.${fraction.padEnd(9, '0')}Z` : undefined;
}
