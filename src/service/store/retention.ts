import { type Clock, wait } from '../../lib/clock.ts';
import type { Database } from '../database/database.ts';
import { sortableTime } from './time.ts';

const runsPerStep = 200;
const stepsPerOwner = 20;
const betweenStepsMs = 100;
const betweenRoundsMs = 20_000;

export async function deleteOldRuns(
  database: Pick<Database, 'all' | 'write' | 'forUpdate'>,
  keepMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const isDone = await deleteOnce(database, clock.now() - keepMs, clock, signal).catch(() => true);
    if (isDone) await wait(clock, betweenRoundsMs, signal);
  }
}

/** Limits the steps of each owner, because an owner who adds old runs all the time would keep others waiting. */
async function deleteOnce(
  { all, write, forUpdate }: Pick<Database, 'all' | 'write' | 'forUpdate'>,
  before: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const time = sortableTime(new Date(before).toISOString()) ?? '';
  const lock = forUpdate === '' ? '' : `${forUpdate} SKIP LOCKED`;
  const step = (ownerId: string) =>
    write((all) =>
      all(
        `DELETE FROM records WHERE position IN (
          SELECT position FROM records WHERE owner_id = ? AND kind = 'runs' AND at < ?
            ORDER BY at LIMIT ${runsPerStep}${lock}) RETURNING position`,
        [ownerId, time],
      ),
    );
  const deleteOf = async (ownerId: string): Promise<boolean> => {
    for (let steps = 0; steps < stepsPerOwner && !signal.aborted; steps++) {
      const { length } = await step(ownerId);
      if (length > 0) await wait(clock, betweenStepsMs, signal);
      if (length < runsPerStep) return true;
    }
    return false;
  };
  let isDone = true;
  let last = '';
  for (;;) {
    const owners = await all<{ id: string }>('SELECT id FROM users WHERE id > ? ORDER BY id LIMIT 100', [
      last,
    ]);
    for (const { id } of owners) {
      isDone = (await deleteOf(id)) && isDone;
      last = id;
    }
    if (owners.length === 0 || signal.aborted) return isDone;
  }
}
