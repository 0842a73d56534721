import { randomUUID } from 'node:crypto';
import { endOfLogs } from '../../core/lib/val-limits.ts';
import type { Database, Reader } from '../database/database.ts';
import { HttpProblem } from '../problem.ts';
import type { Access } from './access.ts';
import { lockOwnVal } from './change-val.ts';
import { findRecord, findRecords, putRecord, type RecordFilter } from './records.ts';
import { now, sortableTime } from './timestamps.ts';
import { checkVal } from './val-rows.ts';
import { requireVersion } from './versions.ts';
import { writeAs } from './write-as.ts';

export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string | null;
  error: string | null;
  logs: string | null;
}

export async function findRun(db: Reader, { owner }: Access, id: string) {
  const run = await findRecord(db, owner, 'runs', id);
  if (run) return run;
  throw new HttpProblem(404, `There is no run with the id ${id}.`);
}

export async function runsOfVal(db: Reader, access: Access, id: string, filter?: RecordFilter) {
  await checkVal(db, access, id, { isOwn: true });
  return findRecords(db, 'runs', { valId: id }, filter);
}

export const addRun = (db: Database, access: Access, id: string, reported: ReportedRun) =>
  writeAs(db, access, { val: id }, async (tx) => {
    const { version, logs, ...times } = reported;
    const { name } = await lockOwnVal(tx, access, id);
    await requireVersion(tx, id, version);
    const run = { id: randomUUID(), val: { id, name, version }, ...times, reporter: access.actor };
    await putRecord(tx, access.owner, {
      kind: 'runs',
      key: run.id,
      at: startedBeforeNow(times.runStartAt),
      tag: times.error === null ? 'passed' : 'failed',
      valId: id,
      json: JSON.stringify(run),
      logs: logs ? endOfLogs(Buffer.from(logs)) : null,
    });
    return run;
  });

function startedBeforeNow(runStartAt: string): string {
  const [earliest = ''] = [runStartAt, now()].map((time) => `${sortableTime(time)}`).sort();
  return earliest;
}
