import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { Range } from './positions.ts';

/** SQLite reads as many rows in a few milliseconds, in which nobody else is answered. */
export const rowsPerStep = 200;

/**
 * A page of those rows that are wanted. `read` gives all rows, a step at a time, each from where the last one ended. Between
 * two steps, other requests are answered. All reads of this kind take turns, so that nobody waits for a step of each of them.
 */
export async function pageInSteps<Row extends { isWanted: number | null }>(
  { scans }: Pick<Database, 'scans'>,
  { limit, offset = 0, after }: Range<unknown>,
  read: (last: Row | undefined, most: number) => Promise<Row[]>,
): Promise<{ found: Row[]; more: boolean }> {
  const found: Row[] = [];
  let left = after ? 0 : offset;
  // As many rows are likely to be enough.
  let most = Math.min(left + limit + 1, rowsPerStep);
  let rows = await read(undefined, most);
  for (;;) {
    for (const row of rows) {
      if (row.isWanted === null) continue;
      if (left > 0) left -= 1;
      else if (found.push(row) > limit) return { found: found.slice(0, limit), more: true };
    }
    if (rows.length < most) return { found, more: false };
    const last = rows.at(-1);
    most = rowsPerStep;
    rows = await scans.run(async () => {
      await nextTurn();
      return read(last, rowsPerStep);
    });
  }
}
