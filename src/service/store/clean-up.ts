import { type Clock, wait } from '../../core/lib/waiting.ts';
import type { Database, Tx } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import { type Removed, removeRunsBefore, removeSomeRuns, removeSomeVersions } from './in-steps.ts';

const betweenStepsMs = 100;
const betweenRoundsMs = 20_000;
const betweenOldRunsMs = 3_600_000;

interface CleanUpOptions {
  /** Runs that started longer ago are deleted, at once and every hour. Without it, all runs are kept. */
  keepRunsMs: number | undefined;
  clock: Clock;
  signal: AbortSignal;
  onRunsDeleted?(count: number): void;
}

/** Deletes what is left of deleted vals, and old runs, in small steps while the service answers. */
export async function cleanUp(db: Database, options: CleanUpOptions): Promise<void> {
  const { clock, signal, keepRunsMs, onRunsDeleted } = options;
  let nextOldRuns = 0;
  const round = async () => {
    await removeLeftovers(db, options);
    const start = clock.now();
    if (keepRunsMs === undefined || start < nextOldRuns) return;
    const count = await inSteps(db, options, (tx) => removeRunsBefore(tx, start - keepRunsMs));
    nextOldRuns = start + betweenOldRunsMs;
    if (count > 0) onRunsDeleted?.(count);
  };
  while (!signal.aborted) {
    // The database may be out of reach. The next round tries again.
    await round().catch(() => {});
    await wait(clock, betweenRoundsMs, signal);
  }
}

/** Returns how many rows were deleted. */
async function inSteps(
  db: Database,
  { clock, signal }: CleanUpOptions,
  step: (tx: Tx) => Promise<Removed>,
): Promise<number> {
  let count = 0;
  for (let isEnd = false; !isEnd && !signal.aborted; ) {
    const removed = await db.transaction(step);
    isEnd = removed.isEnd;
    count += removed.count;
    if (!isEnd) await wait(clock, betweenStepsMs, signal);
  }
  return count;
}

async function removeLeftovers(db: Database, options: CleanUpOptions): Promise<void> {
  const removed = await db.query<{ val: number; id: string }>(
    sql`SELECT val, val_id AS id FROM removed_vals`,
  );
  for (const { val, id } of removed) {
    await inSteps(db, options, (tx) => removeSomeRuns(tx, raw('val'), val));
    await inSteps(db, options, (tx) => removeSomeVersions(tx, id));
    // Another process may be deleting some of them, or this one may be ending.
    await db.transaction((tx) =>
      tx.query(sql`
        DELETE FROM removed_vals WHERE val = ${val} AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.val = ${val})
          AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.val_id = ${id})`),
    );
  }
}
