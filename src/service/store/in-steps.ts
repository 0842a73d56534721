import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../database/database.ts';

/** SQLite reads as many rows in a few milliseconds, in which nobody else is answered. */
export const rowsPerStep = 200;

interface Steps {
  /** As many rows are likely to be enough, so that the first step reads them at once. */
  first?: number;
}

/**
 * Reads rows a step at a time, each from where the last one ended. Between two steps, other requests are answered. All reads
 * of this kind take turns, so that nobody waits for a step of each of them.
 */
export async function* inSteps<Row>(
  { scans }: Pick<Database, 'scans'>,
  { first = 0 }: Steps,
  read: (last: Row | undefined, most: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  const most = Math.min(first, rowsPerStep);
  const begun = most > 0 ? await read(undefined, most) : [];
  yield* begun;
  if (begun.length < most) return;
  let last = begun.at(-1);
  for (;;) {
    const rows = await scans.run(async () => {
      await nextTurn();
      return read(last, rowsPerStep);
    });
    yield* rows;
    last = rows.at(-1);
    if (rows.length < rowsPerStep) return;
  }
}
