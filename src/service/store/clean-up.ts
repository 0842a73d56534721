import { type Clock, wait } from '../../core/lib/clock.ts';
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
export async function cleanUp(db: Database, options: CleanUpOptions): Promise<void> {
  const { clock, signal } = options;
  while (!signal.aborted) {
    // The database may be out of reach. The next round tries again.
    await cleanUpOnce(db, options).catch(() => {});
    await wait(clock, betweenRoundsMs, signal);
  }
}

async function cleanUpOnce(db: Database, { keepRunsMs, clock, signal }: CleanUpOptions): Promise<void> {
  const deleteRuns = async (condition: Sql) => {
    for (let count = recordsPerStep; count === recordsPerStep && !signal.aborted; ) {
      count = await db.transaction({}, (tx) => deleteSomeRecords(tx, sql`kind = 'runs' AND ${condition}`));
      if (count > 0) await wait(clock, betweenStepsMs, signal);
    }
  };
  for (const { id } of await db.query<{ id: string }>(sql`SELECT val_id AS id FROM removed_vals`)) {
    await deleteRuns(sql`val_id = ${id}`);
    // Another process may be deleting some of the runs, or this one may be ending.
    await db.transaction({}, (tx) =>
      tx.query(sql`
        DELETE FROM removed_vals WHERE val_id = ${id}
          AND NOT EXISTS (SELECT 1 FROM records WHERE kind = 'runs' AND val_id = ${id})`),
    );
  }
  if (keepRunsMs === undefined) return;
  const before = sortableTime(new Date(clock.now() - keepRunsMs).toISOString()) ?? '';
  for (const { id } of await db.query<{ id: string }>(sql`SELECT id FROM users`)) {
    await deleteRuns(sql`owner_id = ${id} AND at < ${before}`);
  }
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
