import type { ValsError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database, StoreLocation, Tx } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { reportOutages } from '../database/outages.ts';
import { currentSchema } from '../database/schema.ts';
import type { Caller, User } from './caller.ts';
import type { Once } from './idempotency.ts';
import { type ListRange, listVals, type SearchRange, valsWithText } from './lists.ts';
import { createPageReads } from './page-reads.ts';
import { createPeople, makeStoreOwner, storeOwner } from './people.ts';
import { findRecords, type RecordFilter, type RecordKind } from './records.ts';
import { addRun, deleteOldRuns, findRun, type ReportedRun } from './runs.ts';
import { createSpaces } from './spaces.ts';
import { now } from './timestamps.ts';
import {
  addToken,
  createLastUseWriter,
  createLinks,
  type Identified,
  identifiedBy,
  removeToken,
  tokenBy,
  tokensOf,
  type WantedToken,
} from './tokens.ts';
import { checkVal, type LockedVal, type ValContent } from './val-rows.ts';
import {
  addVal,
  checkState,
  createOrUpdateVal,
  importableVal,
  lockOwnVal,
  type Precondition,
  removeVal,
  saveVal,
  updateVal,
  type ValChange,
  valNamed,
  visibleVal,
} from './vals.ts';
import { pageOfVersions, removeVersion, visibleVersion } from './versions.ts';
import { writeAs } from './write-as.ts';

export interface WriteOptions {
  onlyIf?: Precondition | undefined;
  once?: Once | undefined;
}

export interface StoreOptions {
  maxVals?: number;
  /** Makes an owner for a copy of a store, which has people, but no owner. */
  needsOwner?: boolean;
  /** Whether to note when tokens were last used. */
  notesUse?: boolean;
  onStoreFailure?(error: ValsError): void;
  onStoreRecovery?(): void;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

export async function openStore(place: StoreLocation, options: StoreOptions = {}) {
  const { maxVals, needsOwner = false, notesUse = true } = options;
  const opened = await openDatabase(place);
  const database = reportOutages(opened, {
    onFailure: (error) => options.onStoreFailure?.(opened.explain(error)),
    onRecovery: () => options.onStoreRecovery?.(),
  });
  const owner = await readOwner(database, place, needsOwner);
  const lastUse = createLastUseWriter(database);

  return {
    owner,
    people: createPeople(database),
    spaces: createSpaces(database),
    links: createLinks(database),
    pages: createPageReads(database),
    ...tokenMethods(database, lastUse, { notesUse }),
    ...reads(database),
    ...valWrites(database, maxVals),
    upgrade: describeUpgrade(database.upgradedFrom),
    connections: database.connections,
    probe: database.probe,
    explain: database.explain,
    async close() {
      await lastUse.written();
      await database.close();
    },

    deleteOldRuns: (keepMs: number, clock: Clock, signal: AbortSignal) =>
      deleteOldRuns(database, keepMs, clock, signal),

    /** For seeds, in one transaction. */
    write: (work: (tx: Tx) => Promise<void>): Promise<void> => database.transaction({}, work),
  };
}

function describeUpgrade(from: number | undefined): string | undefined {
  if (from === undefined) return undefined;
  const schemas = `from schema ${from} to schema ${currentSchema}`;
  return `Brought the store up to date, ${schemas}. Older versions of vals can no longer open it.`;
}

function tokenMethods(
  database: Database,
  lastUse: ReturnType<typeof createLastUseWriter>,
  { notesUse }: { notesUse: boolean },
) {
  return {
    async identify(by: Parameters<typeof tokenBy>[1], space?: string): Promise<Identified | undefined> {
      const row = await tokenBy(database, by, space);
      if (row && notesUse) lastUse.note(row);
      return row && identifiedBy(row, space);
    },

    async tokens(caller: Caller) {
      await lastUse.written();
      return tokensOf(database, caller);
    },
    addToken: (caller: Caller, token: WantedToken, { once }: WriteOptions = {}) =>
      writeAs(database, caller, { once: once && { ...once, hasSecretReply: true } }, (tx) =>
        addToken(tx, caller, token),
      ),
    removeToken: (caller: Caller, id: string) =>
      writeAs(database, caller, {}, (tx) => removeToken(tx, caller, id)),
  };
}

function reads(database: Database) {
  return {
    val: (caller: Caller | undefined, id: string) => visibleVal(database, caller, id),
    module: (caller: Caller | undefined, id: string) => importableVal(database, caller, id),
    valNamed: (caller: Caller, owner: User, name: string) => valNamed(database, caller, owner, name),
    listVals: (caller: Caller | undefined, owner: User, range: ListRange) =>
      listVals(database, caller, owner, range),
    search: (caller: Caller, text: string, range: SearchRange) => valsWithText(database, caller, text, range),
    version: (caller: Caller | undefined, id: string, number: number) =>
      visibleVersion(database, caller, id, number),
    versions: (caller: Caller | undefined, id: string, range: ListRange) =>
      pageOfVersions(database, caller, id, range),

    records: ({ owner }: Caller, kind: RecordKind, filter?: RecordFilter) =>
      findRecords(database, kind, { ownerId: owner.id }, filter),
    async runs(caller: Caller, id: string, filter?: RecordFilter) {
      await checkVal(database, caller, id, { isOwn: true });
      return findRecords(database, 'runs', { valId: id }, filter);
    },
    run: (caller: Caller, id: string) => findRun(database, caller, id),

    async counts(): Promise<{ vals: number; runs: number }> {
      const [counted] = await database.query<{ vals: number; runs: number }>(
        "SELECT (SELECT count(*) FROM vals) AS vals, (SELECT count(*) FROM records WHERE kind = 'runs') AS runs",
      );
      return counted ?? { vals: 0, runs: 0 };
    },
  };
}

/** What callers change: each in a transaction of its own, after other writes to the same val. */
function valWrites(database: Database, maxVals: number | undefined) {
  const changeVal = <Result>(
    caller: Caller,
    id: string,
    { onlyIf, once }: WriteOptions,
    work: (tx: Tx, val: LockedVal) => Promise<Result>,
  ): Promise<Result> =>
    writeAs(database, caller, { val: id, once }, async (tx) => {
      const val = await lockOwnVal(tx, caller, id);
      checkState(val, onlyIf);
      return work(tx, val);
    });

  return {
    create: (caller: Caller, content: Parameters<typeof addVal>[2], { once }: WriteOptions = {}) =>
      writeAs(database, caller, { once }, (tx) => addVal(tx, caller, content, maxVals)),

    createOrUpdate: (caller: Caller, change: ValChange & { name: string }, { onlyIf }: WriteOptions = {}) =>
      writeAs(database, caller, { val: change.name }, (tx) =>
        createOrUpdateVal(tx, caller, change, { onlyIf, maxVals }),
      ),

    changeProperties: (
      caller: Caller,
      id: string,
      change: Partial<Omit<ValContent, 'code'>>,
      options: WriteOptions = {},
    ) => changeVal(caller, id, options, (tx, val) => saveVal(tx, val, { ...val, ...change }, now())),

    delete: (caller: Caller, id: string, options: WriteOptions = {}): Promise<void> =>
      changeVal(caller, id, options, (tx) => removeVal(tx, id)),

    createVersion: (caller: Caller, id: string, change: ValChange, options: WriteOptions = {}) =>
      changeVal(caller, id, options, (tx, val) => updateVal(tx, caller, val, change)),

    deleteVersion: (caller: Caller, id: string, number: number, options: WriteOptions = {}): Promise<void> =>
      changeVal(caller, id, options, (tx, val) => removeVersion(tx, val, number)),

    addRun: (caller: Caller, id: string, run: ReportedRun, { once }: WriteOptions = {}) =>
      writeAs(database, caller, { val: id, once }, (tx) => addRun(tx, caller, id, run)),
  };
}

async function readOwner(database: Database, place: StoreLocation, needsOwner: boolean) {
  try {
    const owner = await storeOwner(database);
    return (
      owner ?? ('file' in place ? await makeStoreOwner(database, { evenIfOthers: needsOwner }) : undefined)
    );
  } catch (error) {
    await database.close();
    throw database.explain(error);
  }
}
