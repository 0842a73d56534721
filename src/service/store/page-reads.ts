import type { Reader } from '../database/database.ts';
import { listOf, raw, sql } from '../database/sql.ts';
import { type Access, mayRead } from './access.ts';

// Other reads that only the pages need.

export type RunResult = 'ok' | 'failed' | 'running';

/** How the last run of each val ended. A val that never ran is not in the map. */
export async function lastResults(
  db: Reader,
  vals: readonly { id: string }[],
): Promise<Map<string, RunResult>> {
  if (vals.length === 0) return new Map();
  const rows = await db.query<{ id: string; result: RunResult | null }>(sql`
    SELECT id, (SELECT CASE WHEN error IS NOT NULL THEN 'failed' WHEN ended IS NULL THEN 'running' ELSE 'ok' END
      FROM runs WHERE val = vals.position ORDER BY started DESC, version DESC LIMIT 1) AS result
      FROM vals WHERE id IN ${listOf(vals.map(({ id }) => id))}`);
  return new Map(rows.flatMap(({ id, result }) => (result === null ? [] : [[id, result]])));
}

/** Those of the ids whose vals the caller may read. */
export async function readableIds(
  db: Reader,
  access: Access | undefined,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    sql`SELECT id FROM vals WHERE id IN ${listOf(ids)} AND ${mayRead(access)}`,
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
