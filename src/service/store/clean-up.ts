import { type Clock, wait } from '../../core/lib/waiting.ts';
import type { Database, Tx } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import { removeRunsBefore, removeSomeRuns, removeSomeVersions } from './in-steps.ts';

const betweenStepsMs = 100;
const betweenRoundsMs = 20_000;

interface CleanUpOptions {
  /** Older runs are deleted. Without it, all runs are kept. */
  keepRunsMs: number | undefined;
  clock: Clock;
  signal: AbortSignal;
}

/** Deletes what is left of deleted vals, and old runs, in small steps while the service answers. */
export async function cleanUp(db: Database, options: CleanUpOptions): Promise<void> {
  const { clock, signal } = options;
  while (!signal.aborted) {
    // The database may be out of reach. The next round tries again.
    await cleanUpOnce(db, options).catch(() => {});
    await wait(clock, betweenRoundsMs, signal);
  }
}

async function cleanUpOnce(db: Database, { keepRunsMs, clock, signal }: CleanUpOptions): Promise<void> {
  const remove = async (step: (tx: Tx) => Promise<{ isEnd: boolean }>) => {
    for (let isEnd = false; !isEnd && !signal.aborted; ) {
      ({ isEnd } = await db.transaction(step));
      if (!isEnd) await wait(clock, betweenStepsMs, signal);
    }
  };
  const removed = await db.query<{ val: number; id: string }>(
    sql`SELECT val, val_id AS id FROM removed_vals`,
  );
  for (const { val, id } of removed) {
    await remove((tx) => removeSomeRuns(tx, raw('val'), val));
    await remove((tx) => removeSomeVersions(tx, id));
    // Another process may be deleting some of them, or this one may be ending.
    await db.transaction((tx) =>
      tx.query(sql`
        DELETE FROM removed_vals WHERE val = ${val} AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.val = ${val})
          AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.val_id = ${id})`),
    );
  }
  if (keepRunsMs !== undefined) await remove((tx) => removeRunsBefore(tx, clock.now() - keepRunsMs));
}
