import { randomUUID } from 'node:crypto';
import { endOfLogs } from '../../core/lib/val-limits.ts';
import type { Database, Tx } from '../database/database.ts';
import { nothing, sql } from '../database/sql.ts';
import type { Access, User } from './access.ts';
import { lockOwnVal } from './change-val.ts';
import { findSameRun, type Run } from './runs.ts';
import { requireVersion } from './versions.ts';
import { writeAs } from './write-as.ts';

export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string | null;
  error: string | null;
  logs: string | null;
}

/** A run without an end was reported when it began, and gets its end by a second report. */
const fillInEnd = sql`
  ON CONFLICT (val, started, version) DO UPDATE
    SET ended = excluded.ended, error = excluded.error, logs = excluded.logs
    WHERE runs.ended IS NULL AND excluded.ended IS NOT NULL`;

export const addRun = (
  db: Database,
  access: Access,
  valId: string,
  reported: ReportedRun,
): Promise<{ run: Run; isNew: boolean }> =>
  writeAs(db, access, { val: valId }, async (tx) => {
    await lockOwnVal(tx, access, valId);
    await requireVersion(tx, valId, reported.version);
    const id = randomUUID();
    await insertRun(tx, valId, { ...reported, id, reporter: access.actor }, fillInEnd);
    const run = await findSameRun(tx, valId, reported);
    if (!run) throw new Error('a run that was stored is not there');
    return { run, isNew: run.id === id };
  });

interface RunToInsert extends ReportedRun {
  id: string;
  reporter: User | undefined;
}

export async function insertRun(
  tx: Tx,
  valId: string,
  run: RunToInsert,
  onConflict = nothing,
): Promise<void> {
  const { id, version, runStartAt, runEndAt, error, logs, reporter } = run;
  await tx.query(sql`
    INSERT INTO runs (id, owner_id, val, version, started, ended, reporter_id, reporter_name, error, logs)
      SELECT ${id}, owner_id, position, ${version}, ${Date.parse(runStartAt)},
        ${runEndAt === null ? null : Date.parse(runEndAt)}, ${reporter?.id ?? null}, ${reporter?.username ?? null},
        ${error === null ? null : Buffer.from(error)}, ${logs ? endOfLogs(Buffer.from(logs)) : null}
        FROM vals WHERE id = ${valId} ${onConflict}`);
}
