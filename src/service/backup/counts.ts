import type { Reader } from '../database/database.ts';
import { raw, type Sql, sql } from '../database/sql.ts';
import { loadedKinds } from '../store/records.ts';

export type BackupCounts = Record<string, number>;

/** Without those of deleted vals, which will be deleted too. */
export const runsOfVals = raw('val NOT IN (SELECT val FROM removed_vals)');
export const versionsOfVals = raw('val_id NOT IN (SELECT val_id FROM removed_vals)');

/** What is counted in a copy, in the order in which it is shown. */
const counted: Record<string, Sql> = {
  people: sql`users WHERE kind = 'person'`,
  spaces: sql`users WHERE kind = 'space'`,
  tokens: sql`tokens`,
  vals: sql`vals`,
  versions: sql`versions WHERE ${versionsOfVals}`,
  runs: sql`runs WHERE ${runsOfVals}`,
  ...Object.fromEntries(loadedKinds.map((kind) => [kind, sql`records WHERE kind = ${kind}`])),
  references: sql`imports`,
};

export const countedThings = Object.keys(counted);

export async function countsOf(db: Pick<Reader, 'query'>): Promise<BackupCounts> {
  const counts: BackupCounts = {};
  for (const [name, from] of Object.entries(counted)) {
    const [found] = await db.query<{ rows: number }>(sql`SELECT count(*) AS rows FROM ${from}`);
    counts[name] = found?.rows ?? 0;
  }
  return counts;
}
