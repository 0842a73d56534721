import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { namePattern } from '../../lib/val-limits.ts';
import type { Database, StoreLocation } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { mostLogBytes } from '../limits.ts';
import {
  countRecords,
  findRecord,
  findRecords,
  putRecord,
  type RecordFilter,
  type RecordKind,
  type StoredRecord,
  sortableTime,
} from './activity.ts';
import {
  type Caller,
  checkVersion,
  findVal,
  type ListRange,
  listVals,
  listVersions,
  ownProperties,
  type Val,
  valsOf,
  valWithId,
  visibleVal,
  visibleVersion,
} from './read-vals.ts';
import { Refusal } from './refusal.ts';
import { deleteOldRuns } from './retention.ts';
import { type SearchRange, searchVals } from './search.ts';
import { asPerson, createSpaces, type Principal } from './spaces.ts';
import { createUsers, makeOwner, ownerOf, type User } from './users.ts';
import { writeAs } from './write-as.ts';
import { createValWriter, lockOwnVal, lockVal, type WriteOptions } from './write-vals.ts';

export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string;
  error: string | null;
  logs: string | null;
}

/** Keeps the end, where an error is. Bytes that continue a character which was cut are left out. */
function endOfLogs(logs: string): Buffer {
  const end = Buffer.from(logs).subarray(-mostLogBytes);
  return end.subarray(end.findIndex((byte) => (byte & 0xc0) !== 0x80));
}

function startedBeforeNow(runStartAt: string): string {
  const [earliest = ''] = [runStartAt, new Date().toISOString()]
    .map((time) => `${sortableTime(time)}`)
    .sort();
  return earliest;
}

export interface ValFinder {
  named(name: string): Promise<Val | undefined>;
  withId(id: string): Promise<Val | undefined>;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

export async function openStore(place: StoreLocation, { maxVals }: { maxVals?: number } = {}) {
  const database = await openDatabase(place);
  const { all, write } = database;
  const owner = await readOwner(database, place);
  const users = createUsers(database);
  const spaces = createSpaces(database);

  return {
    owner,
    users,
    spaces,
    ...createValWriter(database, maxVals),
    connections: database.connections,
    probe: database.probe,
    explain: database.explain,
    close: database.close,

    async identify(
      token: string,
      space: string | undefined,
    ): Promise<{ actor: User; principal: Principal | undefined } | undefined> {
      if (space !== undefined) return spaces.memberWithToken(token, space);
      const actor = await users.withToken(token);
      return actor && { actor, principal: asPerson(actor) };
    },

    deleteOldRuns: (keepMs: number, clock: Clock, signal: AbortSignal) =>
      deleteOldRuns(database, keepMs, clock, signal),

    async counts(): Promise<{ vals: number; runs: number }> {
      const [counted] = await all<{ vals: number; runs: number }>(
        "SELECT (SELECT count(*) FROM vals) AS vals, (SELECT count(*) FROM records WHERE kind = 'runs') AS runs",
      );
      return counted ?? { vals: 0, runs: 0 };
    },

    listVals: (caller: Caller, owner: User, range: ListRange) =>
      listVals(all, valsOf(owner, caller?.id !== owner.id), range),

    search: (caller: User, text: string, range: SearchRange) => searchVals(database, caller, text, range),

    val: (caller: Caller, id: string): Promise<Val> => visibleVal(all, caller, id),

    /** Does not find unlisted vals of other owners, because only people who know the id may read them. */
    async valNamed(caller: User, owner: User, name: string): Promise<Val> {
      const isNamed = "owner_id = ? AND name = ? AND (privacy = 'public' OR owner_id = ?)";
      const val = namePattern.test(name) ? await findVal(all, isNamed, owner.id, name, caller.id) : undefined;
      if (val) return val;
      throw new Refusal('not found', `${owner.username} has no val named ${name}.`);
    },

    version: (caller: Caller, id: string, number: number): Promise<Val> =>
      visibleVersion(all, caller, id, number),

    versions: (caller: Caller, id: string, range: ListRange) => listVersions(all, caller, id, range),

    records: (caller: User, kind: RecordKind, filter?: RecordFilter) =>
      findRecords(all, kind, { ownerId: caller.id }, filter),

    async runs(caller: Principal, id: string, filter?: RecordFilter) {
      await ownProperties(all, caller, id);
      return findRecords(all, 'runs', { valId: id }, filter);
    },

    async run(caller: Principal, id: string): Promise<{ json: string; logs: string | null }> {
      const run = await findRecord(all, caller, 'runs', id);
      if (run) return run;
      throw new Refusal('not found', `There is no run with the id ${id}.`);
    },

    /** The ids of those vals whose last run failed. */
    async valsThatFailed(vals: readonly { id: string }[]): Promise<Set<string>> {
      if (vals.length === 0) return new Set();
      const lastTag = `(SELECT tag FROM records WHERE kind = 'runs' AND val_id = vals.id
        ORDER BY at DESC, position LIMIT 1)`;
      const rows = await all<{ id: string }>(
        `SELECT id FROM vals WHERE id IN (${vals.map(() => '?').join(', ')}) AND ${lastTag} = 'failed'`,
        vals.map(({ id }) => id),
      );
      return new Set(rows.map(({ id }) => id));
    },

    async countRuns(caller: Principal, id: string, most: number) {
      await ownProperties(all, caller, id);
      return countRecords(all, 'runs', id, most);
    },

    addRun: (
      caller: Principal,
      id: string,
      { version: number, logs, ...times }: ReportedRun,
      { once }: WriteOptions = {},
    ) =>
      writeAs(database, caller, { val: id, once }, async (all) => {
        const { name } = await lockOwnVal(database, all, caller, id);
        await checkVersion(all, id, number);
        const run = {
          id: randomUUID(),
          val: { id, name, version: number },
          ...times,
          reporter: caller.actor,
        };
        await putRecord(all, caller, {
          kind: 'runs',
          key: run.id,
          at: startedBeforeNow(times.runStartAt),
          tag: times.error === null ? 'passed' : 'failed',
          valId: id,
          valName: name,
          json: JSON.stringify(run),
          logs: logs ? endOfLogs(logs) : null,
        });
        return run;
      }),

    addRecords: (owner: User, make: (vals: ValFinder) => AsyncIterable<StoredRecord>): Promise<void> =>
      write(async (all) => {
        const vals: ValFinder = {
          async named(name) {
            const id = await lockVal(database, all, 'owner_id = ? AND name = ?', owner.id, name);
            return id === undefined ? undefined : valWithId(all, id);
          },
          withId: (id) => findVal(all, 'vals.id = ? AND owner_id = ?', id, owner.id),
        };
        for await (const record of make(vals)) await putRecord(all, owner, record);
      }),
  };
}

async function readOwner(database: Database, place: StoreLocation) {
  try {
    return (await ownerOf(database.all)) ?? ('file' in place ? await makeOwner(database) : undefined);
  } catch (error) {
    await database.close();
    throw database.explain(error);
  }
}
