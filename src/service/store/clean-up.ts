import { type Clock, wait } from '../../lib/clock.ts';
import type { Database, Tx } from '../database/database.ts';
import { listOf, raw, type Sql, sql } from '../database/sql.ts';
import { sortableTime } from './timestamps.ts';

const recordsPerStep = 200;
const betweenStepsMs = 100;
const betweenRoundsMs = 20_000;

interface CleanUpOptions {
  /** Older runs are deleted. Without it, all runs are kept. */
  keepRunsMs: number | undefined;
  clock: Clock;
  signal: AbortSignal;
}

/** Deletes the runs of deleted vals, and old runs, in small steps while the service answers. */
export async function cleanUp(db: Database, { keepRunsMs, clock, signal }: CleanUpOptions): Promise<void> {
  const deleteRuns = async (condition: Sql) => {
    for (let count = recordsPerStep; count === recordsPerStep && !signal.aborted; ) {
      count = await db.transaction({}, (tx) => deleteSomeRecords(tx, sql`kind = 'runs' AND ${condition}`));
      if (count > 0) await wait(clock, betweenStepsMs, signal);
    }
  };
  while (!signal.aborted) {
    try {
      await deleteRunsOfRemovedVals(db, deleteRuns);
      if (keepRunsMs !== undefined) await deleteOldRuns(db, clock.now() - keepRunsMs, deleteRuns);
    } catch {
      // The database may be out of reach. The next round tries again.
    }
    await wait(clock, betweenRoundsMs, signal);
  }
}

type DeleteRuns = (condition: Sql) => Promise<void>;

async function deleteRunsOfRemovedVals(db: Database, deleteRuns: DeleteRuns): Promise<void> {
  const removed = await db.query<{ id: string }>(sql`SELECT val_id AS id FROM removed_vals`);
  for (const { id } of removed) {
    await deleteRuns(sql`val_id = ${id}`);
    // Another process may be deleting some of the runs, or this one may be ending.
    await db.transaction({}, (tx) =>
      tx.query(sql`
        DELETE FROM removed_vals WHERE val_id = ${id}
          AND NOT EXISTS (SELECT 1 FROM records WHERE kind = 'runs' AND val_id = ${id})`),
    );
  }
}

async function deleteOldRuns(db: Database, beforeMs: number, deleteRuns: DeleteRuns): Promise<void> {
  const before = sortableTime(new Date(beforeMs).toISOString()) ?? '';
  const owners = await db.query<{ id: string }>(sql`SELECT id FROM users`);
  for (const { id } of owners) await deleteRuns(sql`owner_id = ${id} AND at < ${before}`);
}

/** In two statements: with a subquery, PostgreSQL may read the whole table to delete a few of its rows. */
export async function deleteSomeRecords(tx: Tx, condition: Sql): Promise<number> {
  const found = await tx.query<{ position: number }>(sql`
    SELECT position FROM records WHERE ${condition} LIMIT ${raw(recordsPerStep)} ${tx.skipLocked}`);
  if (found.length === 0) return 0;
  // Always as many values, so that the databases prepare one statement.
  const positions = Array.from({ length: recordsPerStep }, (_, index) => found[index]?.position ?? null);
  await tx.query(sql`DELETE FROM records WHERE position IN ${listOf(positions)}`);
  return found.length;
}
