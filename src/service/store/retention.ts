import { type Clock, wait } from '../../lib/clock.ts';
import type { Database } from '../database/database.ts';
import { sortableTime } from './time.ts';

const runsPerStep = 200;
const betweenStepsMs = 100;
const betweenRoundsMs = 20_000;

export async function deleteOldRuns(
  database: Pick<Database, 'all' | 'write' | 'forUpdate'>,
  keepMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await deleteOnce(database, clock.now() - keepMs, clock, signal).catch(() => {});
    await wait(clock, betweenRoundsMs, signal);
  }
}

async function deleteOnce(
  { all, write, forUpdate }: Pick<Database, 'all' | 'write' | 'forUpdate'>,
  before: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
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
  let last = '';
  for (;;) {
    const owners = await all<{ id: string }>('SELECT id FROM users WHERE id > ? ORDER BY id LIMIT 100', [
      last,
    ]);
    for (const { id } of owners) {
      while (!signal.aborted && (await step(id)).length > 0) await wait(clock, betweenStepsMs, signal);
      last = id;
    }
    if (owners.length === 0 || signal.aborted) return;
  }
}
