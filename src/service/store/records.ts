import { isObject, type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts';
import type { All, Value } from '../database/database.ts';
import { checkOffset, isTimeNameOrId, positionsOf } from './positions.ts';
import { inSteps } from './steps.ts';
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
}

export interface RecordFilter {
  tag?: string;
  since?: string;
  until?: string;
  limit?: number;
  offset?: number;
  after?: RecordPosition;
}

export type RecordPosition = readonly [at: string, position: number];

export const recordPositions = positionsOf<RecordPosition>(
  'records',
  (parts): parts is RecordPosition =>
    parts.length === 2 && isTimeNameOrId(parts[0]) && Number.isSafeInteger(parts[1]),
);

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
    await checkOffset(offset, (from) => select({}, 'LIMIT 1 OFFSET ?', [from]));
    found.push(...(await select({}, 'LIMIT ? OFFSET ?', [wanted, offset])));
  }
  return { records: found.slice(0, limit), more: found.length > limit };
}

export async function countRecords(all: All, kind: RecordKind, valId: string, most: number): Promise<number> {
  const [counted] = await all<{ count: number }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM records WHERE kind = ? AND val_id = ? LIMIT ?) AS first',
    [kind, valId, most],
  );
  return Number(counted?.count);
}

const runsCountedPerStep = 10_000;

/** Counts in steps, because a count of millions of runs takes seconds, and others would wait for it. */
export async function countAllRuns(all: All): Promise<number> {
  const owners = await all<{ id: string }>('SELECT id FROM users');
  let count = 0;
  let last = '';
  return inSteps(async () => {
    const owner = owners[0];
    if (!owner) return count;
    const [step] = await all<{ count: number; last: string | null }>(
      `SELECT count(*) AS count, max(key) AS last FROM (SELECT key FROM records
        WHERE owner_id = ? AND kind = 'runs' AND key > ? ORDER BY key LIMIT ${runsCountedPerStep}) AS step`,
      [owner.id, last],
    );
    const inStep = Number(step?.count);
    count += inStep;
    last = step?.last ?? '';
    if (inStep < runsCountedPerStep) {
      owners.shift();
      last = '';
    }
    return undefined;
  });
}

export async function putRecord(all: All, owner: User, record: StoredRecord): Promise<void> {
  const { kind, key, at, tag, valId, valName, json } = record;
  await all(
    `INSERT INTO records (owner_id, kind, key, at, tag, val_id, val_name, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (owner_id, kind, key) DO UPDATE SET at = excluded.at, tag = excluded.tag,
        val_id = excluded.val_id, val_name = excluded.val_name, json = excluded.json`,
    [owner.id, kind, key, at, tag, valId, valName, json],
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
  const complete = (field: string, facts: JsonObject) =>
    stringifyJson({ ...record, [field]: { ...(isObject(record[field]) && record[field]), ...facts } });
  switch (kind) {
    case 'runs':
      return complete('val', { id });
    case 'references':
      return complete('dependsOn', { id, author_id: owner.id, username: owner.username });
    default:
      return json;
  }
}
