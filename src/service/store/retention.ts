import { type Clock, wait } from '../../lib/clock.ts';
import type { Database } from '../database/database.ts';
import { sortableTime } from './activity.ts';

const runsPerStep = 200;
const betweenStepsMs = 100;
const betweenRoundsMs = 20_000;

export async function deleteOldRuns(
  { all, write, skipLocked }: Database,
  keepMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const deleteOfOwner = async (ownerId: string, before: string) => {
    for (let count = runsPerStep; count === runsPerStep && !signal.aborted; ) {
      const deleted = await write((all) =>
        all(
          `DELETE FROM records WHERE position IN (
            SELECT position FROM records WHERE owner_id = ? AND kind = 'runs' AND at < ?
              ORDER BY at LIMIT ${runsPerStep}${skipLocked}) RETURNING position`,
          [ownerId, before],
        ),
      );
      count = deleted.length;
      if (count > 0) await wait(clock, betweenStepsMs, signal);
    }
  };
  while (!signal.aborted) {
    const before = sortableTime(new Date(clock.now() - keepMs).toISOString()) ?? '';
    try {
      const owners = await all<{ id: string }>('SELECT id FROM users');
      for (const { id } of owners) await deleteOfOwner(id, before);
    } catch {
      // The database may be out of reach. The next round tries again.
    }
    await wait(clock, betweenRoundsMs, signal);
  }
}
