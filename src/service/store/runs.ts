import { randomUUID } from 'node:crypto';
import { type Clock, wait } from '../../lib/clock.ts';
import type { Database, Reader, Tx } from '../database/database.ts';
import { mostLogBytes } from '../limits.ts';
import type { Caller } from './caller.ts';
import { lockOwnVal } from './change-val.ts';
import { findRecord, findRecords, putRecord, type RecordFilter } from './records.ts';
import { Refusal } from './refusal.ts';
import { now, sortableTime } from './timestamps.ts';
import { checkVal } from './val-rows.ts';
import { requireVersion } from './versions.ts';
import { type WriteOptions, writeAs } from './write-as.ts';

export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string | null;
  error: string | null;
  logs: string | null;
}

const runsPerStep = 200;
const betweenStepsMs = 100;
const betweenRoundsMs = 20_000;

export async function findRun(db: Reader, { owner }: Caller, id: string) {
  const run = await findRecord(db, owner, 'runs', id);
  if (run) return run;
  throw new Refusal('not found', `There is no run with the id ${id}.`);
}

export async function runsOfVal(db: Reader, caller: Caller, id: string, filter?: RecordFilter) {
  await checkVal(db, caller, id, { isOwn: true });
  return findRecords(db, 'runs', { valId: id }, filter);
}

export const addRun = (
  db: Database,
  caller: Caller,
  id: string,
  reported: ReportedRun,
  { once }: WriteOptions = {},
) =>
  writeAs(db, caller, { val: id, once }, async (tx) => {
    const { version, logs, ...times } = reported;
    const { name } = await lockOwnVal(tx, caller, id);
    await requireVersion(tx, id, version);
    const run = { id: randomUUID(), val: { id, name, version }, ...times, reporter: caller.actor };
    await putRecord(tx, caller.owner, {
      kind: 'runs',
      key: run.id,
      at: startedBeforeNow(times.runStartAt),
      tag: times.error === null ? 'passed' : 'failed',
      valId: id,
      json: JSON.stringify(run),
      logs: logs ? endOfLogs(logs) : null,
    });
    return run;
  });

/** Keeps the end, where an error is. Bytes that continue a character which was cut are left out. */
function endOfLogs(logs: string): Buffer {
  const end = Buffer.from(logs).subarray(-mostLogBytes);
  return end.subarray(end.findIndex((byte) => (byte & 0xc0) !== 0x80));
}

function startedBeforeNow(runStartAt: string): string {
  const [earliest = ''] = [runStartAt, now()].map((time) => `${sortableTime(time)}`).sort();
  return earliest;
}

export async function deleteOldRuns(
  database: Database,
  keepMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const deleteOfOwner = async (ownerId: string, before: string) => {
    for (let count = runsPerStep; count === runsPerStep && !signal.aborted; ) {
      count = await database.transaction({}, (tx) => deleteSomeRuns(tx, ownerId, before));
      if (count > 0) await wait(clock, betweenStepsMs, signal);
    }
  };
  while (!signal.aborted) {
    const before = sortableTime(new Date(clock.now() - keepMs).toISOString()) ?? '';
    try {
      const owners = await database.query<{ id: string }>('SELECT id FROM users');
      for (const { id } of owners) await deleteOfOwner(id, before);
    } catch {
      // The database may be out of reach. The next round tries again.
    }
    await wait(clock, betweenRoundsMs, signal);
  }
}

/** In two statements: with a subquery, PostgreSQL may read the whole table to delete a few of its rows. */
async function deleteSomeRuns(tx: Tx, ownerId: string, before: string): Promise<number> {
  const found = await tx.query<{ position: number }>(
    `SELECT position FROM records WHERE owner_id = ? AND kind = 'runs' AND at < ?
      LIMIT ${runsPerStep}${tx.skipLocked}`,
    [ownerId, before],
  );
  if (found.length === 0) return 0;
  // Always as many values, so that the databases prepare one statement.
  const positions = Array.from({ length: runsPerStep }, (_, index) => found[index]?.position ?? null);
  await tx.query(`DELETE FROM records WHERE position IN (${positions.map(() => '?').join(', ')})`, positions);
  return found.length;
}
