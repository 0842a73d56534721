import { randomUUID } from 'node:crypto';
import { LocalError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { namePattern } from '../../lib/val-limits.ts';
import type { Database, StoreLocation } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { otherFileHint } from '../database/store-file.ts';
import { Problem } from '../problem.ts';
import {
  type Caller,
  checkVersion,
  findVal,
  listVals,
  listVersions,
  ownFacts,
  type Val,
  type ValRange,
  type VersionRange,
  valWithId,
  visibleVal,
  visibleVersion,
} from './read-vals.ts';
import {
  countAllRuns,
  countRecords,
  findRecords,
  putRecord,
  type RecordFilter,
  type RecordKind,
  type StoredRecord,
} from './records.ts';
import { deleteOldRuns } from './retention.ts';
import { type SearchRange, searchVals } from './search.ts';
import { asPerson, createSpaces, type Principal } from './spaces.ts';
import { sortableTime } from './time.ts';
import { createUsers, ownerOf, type User } from './users.ts';
import { createValWriter, lockOwnVal, lockVal, writeAs } from './write-vals.ts';

export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string;
  error: string | null;
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
      const [vals] = await all<{ count: number }>('SELECT count(*) AS count FROM vals');
      return { vals: vals?.count ?? 0, runs: await countAllRuns(all) };
    },

    probe: async (): Promise<void> => void (await all('SELECT 1 FROM owner')),

    listVals: (caller: Caller, owner: User, range: ValRange) => listVals(all, caller, owner, range),

    search: (caller: User, text: string, range: SearchRange, takeTurn: () => Promise<void>) =>
      searchVals(database, caller, text, range, takeTurn),

    val: (caller: Caller, id: string): Promise<Val> => visibleVal(all, caller, id),

    /** Does not find unlisted vals of other owners, because only people who know the id may read them. */
    async valNamed(caller: User, owner: User, name: string): Promise<Val> {
      const isNamed = "owner_id = ? AND name = ? AND (privacy = 'public' OR owner_id = ?)";
      const val = namePattern.test(name) ? await findVal(all, isNamed, owner.id, name, caller.id) : undefined;
      if (val) return val;
      throw new Problem(404, `${owner.username} has no val named ${name}.`);
    },

    version: (caller: Caller, id: string, number: number): Promise<Val> =>
      visibleVersion(all, caller, id, number),

    versions: (caller: Caller, id: string, range: VersionRange) => listVersions(all, caller, id, range),

    records: (caller: User, kind: RecordKind, filter?: RecordFilter) =>
      findRecords(all, kind, { ownerId: caller.id }, filter),

    async runs(caller: Principal, id: string, filter?: RecordFilter) {
      await ownFacts(all, caller, id);
      return findRecords(all, 'runs', { valId: id }, filter);
    },

    async countRuns(caller: Principal, id: string, most: number) {
      await ownFacts(all, caller, id);
      return countRecords(all, 'runs', id, most);
    },

    addRun: (caller: Principal, id: string, { version: number, ...times }: ReportedRun) =>
      writeAs(database, caller, id, async (all) => {
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
    const owner = await ownerOf(database.all);
    if (owner || 'database' in place) return owner;
    throw new LocalError(`The store ${place.file} has no owner.`, { hint: otherFileHint });
  } catch (error) {
    await database.close();
    throw database.explain(error);
  }
}
