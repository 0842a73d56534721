import { randomUUID } from 'node:crypto';
import { endOfLogs } from '../../core/lib/vals.ts';
import type { Database, Reader, Tx } from '../database/database.ts';
import { emptySql, raw, type Sql, sql, sqlList, type Value } from '../database/sql.ts';
import { mostOnPage } from '../limits.ts';
import { HttpProblem } from '../problem.ts';
import type { Access, User } from './access.ts';
import { lockOwnVal } from './change-val.ts';
import { pageInSteps, positionsOfRows } from './in-steps.ts';
import type { ListPart, Range, TimePosition } from './positions.ts';
import { checkVal, positionOfVal } from './vals.ts';
import { largestVersion, requireVersion } from './versions.ts';
import { requireFull, writeAs } from './write-as.ts';

export interface StoredRun {
  id: string;
  val: { id: string; name: string; version: number };
  runStartAt: string;
  runEndAt: string | null;
  error: string | null;
  reporter: User;
}

export interface RunSelection extends Range<TimePosition> {
  /** `true` for the failed ones, `false` for the others. */
  error?: boolean | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

export type RunPage = ListPart<StoredRun, TimePosition>;

interface RunRow {
  position: number;
  id: string;
  /** Null if the val was deleted. */
  valId: string | null;
  name: string;
  version: number;
  started: number;
  ended: number | null;
  reporterId: string;
  reporterName: string;
  error: ArrayBuffer | null;
}

interface RunKey {
  position: number;
  started: number;
  /** Runs that started at once are in the order of this number. */
  tie: number;
  /** Null if the run ended otherwise, or its val was deleted, so that the run will be. */
  isWanted: number | null;
}

/** Of a date in JavaScript. */
const maxTime = 8_640_000_000_000_000;

/** Whose runs, in the order of an index of three columns. */
interface RunList {
  column: Sql;
  value: Value | Sql;
  /** Decides the order of runs that started at once. */
  tie: Sql;
  mostTie: number;
}

export const listRuns = (db: Database, { owner }: Access, filter: RunSelection) =>
  findRuns(
    db,
    { column: raw('owner_id'), value: owner.id, tie: raw('position'), mostTie: Number.MAX_SAFE_INTEGER },
    filter,
  );

export async function runsOfVal(db: Database, access: Access, id: string, filter: RunSelection) {
  await checkVal(db, access, id, { isOwn: true });
  const list = { column: raw('val'), value: positionOfVal(id), tie: raw('version'), mostTie: largestVersion };
  return findRuns(db, list, filter);
}

async function findRuns(
  db: Database,
  list: RunList,
  { error: failed, since, until, limit, offset, after }: RunSelection,
): Promise<RunPage> {
  const { column, value, tie, mostTie } = list;
  const newest = until === undefined ? maxTime : Date.parse(until);
  const begin: TimePosition = after && after[0] <= newest ? after : [newest + 1, 0];
  // All of the range is in comparisons of rows, so that both databases read no more of the index than that.
  const isSince = sql`(${column}, started) > (${value}, ${since === undefined ? -maxTime : Date.parse(since)})`;
  const isThere = raw('(SELECT 1 FROM vals WHERE vals.position = val)');
  const isWanted = failed === false ? sql`CASE WHEN error IS NULL THEN ${isThere} END` : isThere;
  const { found, more } = await pageInSteps<RunKey>(db, { limit, offset, after }, (last, most) => {
    const [started, tied] = last ? [last.started, last.tie] : begin;
    return db.query(sql`
      SELECT position, started, ${tie} AS tie, ${isWanted} AS "isWanted" FROM runs
        WHERE ${isSince} AND (${column}, started, ${tie}) < (${value}, ${started}, ${Math.min(tied, mostTie)})
          ${failed === true ? raw('AND error IS NOT NULL') : emptySql}
        ORDER BY ${column} DESC, started DESC, ${tie} DESC LIMIT ${raw(most)}`);
  });
  return { items: await readRuns(db, found), more };
}

const runColumns = sql`
  SELECT position, id, (SELECT id FROM vals WHERE vals.position = val) AS "valId",
    (SELECT name FROM vals WHERE vals.position = val) AS name, version, started, ended,
    reporter_id AS "reporterId", reporter_name AS "reporterName", error`;

async function readRuns(db: Reader, keys: readonly RunKey[]): Promise<RunPage['items']> {
  if (keys.length === 0) return [];
  const rows = await db.query<RunRow>(
    sql`${runColumns} FROM runs WHERE position IN ${positionsOfRows(keys, mostOnPage)}`,
  );
  const byPosition = new Map(rows.map((row) => [row.position, runOf(row)] as const));
  return keys.flatMap(({ position, started, tie }) => {
    const run = byPosition.get(position);
    return run ? [{ item: run, position: [started, tie] as const }] : [];
  });
}

function runOf({ id, valId, name, version, ...row }: RunRow): StoredRun | undefined {
  if (valId === null) return undefined;
  const { started, ended, reporterId, reporterName, error } = row;
  return {
    id,
    val: { id: valId, name, version },
    runStartAt: new Date(started).toISOString(),
    runEndAt: ended === null ? null : new Date(ended).toISOString(),
    error: error && Buffer.from(error).toString(),
    reporter: { id: reporterId, username: reporterName },
  };
}

export async function findRun(
  db: Reader,
  { owner }: Access,
  id: string,
): Promise<StoredRun & { logs: string | null }> {
  const [found] = await db.query<RunRow & { logs: ArrayBuffer | null }>(sql`
    ${runColumns}, logs FROM runs WHERE id = ${id} AND owner_id = ${owner.id}`);
  const run = found && runOf(found);
  if (!run) throw new HttpProblem(404, `There is no run with the id ${id}.`);
  return { ...run, logs: found.logs && Buffer.from(found.logs).toString() };
}

/** The run of this val, with this start and version. There is one at most. */
async function findSameRun(
  db: Reader,
  valId: string,
  { runStartAt, version }: { runStartAt: string; version: number },
): Promise<StoredRun | undefined> {
  const [row] = await db.query<RunRow>(sql`
    ${runColumns} FROM runs
      WHERE val = ${positionOfVal(valId)} AND started = ${Date.parse(runStartAt)} AND version = ${version}`);
  return row && runOf(row);
}

export type RunResult = 'ok' | 'failed' | 'running';

/** How the last run of each val ended. A val that never ran is not in the map. */
export async function lastResults(
  db: Reader,
  vals: readonly { id: string }[],
): Promise<Map<string, RunResult>> {
  if (vals.length === 0) return new Map();
  const rows = await db.query<{ id: string; result: RunResult | null }>(sql`
    SELECT id, (SELECT CASE WHEN error IS NOT NULL THEN 'failed' WHEN ended IS NULL THEN 'running' ELSE 'ok' END
      FROM runs WHERE val = vals.position ORDER BY started DESC, version DESC LIMIT 1) AS result
      FROM vals WHERE id IN ${sqlList(vals.map(({ id }) => id))}`);
  return new Map(rows.flatMap(({ id, result }) => (result === null ? [] : [[id, result]])));
}

export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string | null;
  error: string | null;
  logs: string | null;
}

export const addRun = (
  db: Database,
  access: Access,
  valId: string,
  reported: ReportedRun,
): Promise<{ run: StoredRun; isNew: boolean }> =>
  writeAs(db, access, { val: valId }, async (tx) => {
    requireFull(access);
    await lockOwnVal(tx, access, valId);
    await requireVersion(tx, valId, reported.version);
    const id = randomUUID();
    await insertRun(tx, valId, { ...reported, id, reporter: access.actor });
    const run = await findSameRun(tx, valId, reported);
    if (!run) throw new Error('a run that was stored is not there');
    return { run, isNew: run.id === id };
  });

/** A run without an end was reported when it began, and gets its end by a second report. */
export async function insertRun(
  tx: Tx,
  valId: string,
  run: ReportedRun & Pick<StoredRun, 'id' | 'reporter'>,
): Promise<void> {
  const { id, version, runStartAt, runEndAt, error, logs, reporter } = run;
  await tx.query(sql`
    INSERT INTO runs (id, owner_id, val, version, started, ended, reporter_id, reporter_name, error, logs)
      SELECT ${id}, owner_id, position, ${version}, ${Date.parse(runStartAt)},
        ${runEndAt === null ? null : Date.parse(runEndAt)}, ${reporter.id}, ${reporter.username},
        ${error === null ? null : Buffer.from(error)}, ${logs ? endOfLogs(Buffer.from(logs)) : null}
        FROM vals WHERE id = ${valId}
      ON CONFLICT (val, started, version) DO UPDATE
        SET ended = excluded.ended, error = excluded.error, logs = excluded.logs
        WHERE runs.ended IS NULL AND excluded.ended IS NOT NULL`);
}
