import type { Reader } from '../database/database.ts';
import { query, type Sql, sql } from '../database/sql.ts';
import { isOfKind, type RecordKind, recordKinds } from '../store/records.ts';

type Counted = 'people' | 'spaces' | 'tokens' | 'vals' | 'versions' | RecordKind | 'references';

export type BackupCounts = Record<Counted, number>;

/** What a copy has. */
export async function countsOf(reader: Reader): Promise<BackupCounts> {
  const count = async (from: Sql): Promise<number> => {
    const [counted] = await query<{ rows: number }>(reader, sql`SELECT count(*) AS rows FROM ${from}`);
    return counted?.rows ?? 0;
  };
  const records: Record<RecordKind, number> = { runs: 0, likes: 0, comments: 0 };
  for (const kind of recordKinds) records[kind] = await count(sql`records WHERE ${isOfKind(kind)}`);
  return {
    people: await count(sql`users WHERE kind = 'person'`),
    spaces: await count(sql`users WHERE kind = 'space'`),
    tokens: await count(sql`tokens`),
    vals: await count(sql`vals`),
    versions: await count(sql`versions`),
    ...records,
    references: await count(sql`imports WHERE is_current = 1`),
  };
}
