// The store: people and spaces, vals with their versions and runs, and records that only a seed can add.
import { randomUUID } from 'node:crypto';
import { LocalError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { namePattern } from '../lib/val-limits.ts';
import { type All, type Database, DatabaseFailure, type Place, type Value } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import { otherFileHint } from './database/store-file.ts';
import { Problem } from './problem.ts';
import {
  type Caller,
  find,
  identified,
  idForm,
  joinedWith,
  type ListedRow,
  type ListedVal,
  listed,
  listVals,
  listVersions,
  noVal,
  ownVal,
  type Val,
  type ValChange,
  type ValContent,
  type ValRange,
  type VersionRange,
  visibleVal,
  visibleVersion,
  withAuthor,
} from './read-vals.ts';
import {
  claimRecords,
  countRecords,
  deleteRuns,
  findRecords,
  putRecord,
  type RecordFilter,
  type RecordKind,
  type StoredRecord,
} from './records.ts';
import { deleteOldRuns } from './retention.ts';
import { type Position, type SearchRange, searchVals } from './search.ts';
import { asPerson, createSpaces, type Principal } from './spaces.ts';
import { sortableTime } from './time.ts';
import { createUsers, ownerOf, type User } from './users.ts';
import { newNames } from './val-names.ts';

export type { Caller, ListedVal, Privacy, Val, ValChange, ValContent } from './read-vals.ts';

/** A run on a client's machine, as the client reports it. */
export interface ReportedRun {
  version: number;
  runStartAt: string;
  runEndAt: string;
  error: string | null;
}

/** The defaults of a new val. */
export const newValFacts = { readme: null, privacy: 'private', type: 'script' } as const;

export type Store = Awaited<ReturnType<typeof openStore>>;

export interface StoreLimits {
  /** For each owner. Default: no limit. */
  maxVals?: number;
}

/** More vals than all processes together can be creating at one moment. */
const mostAtOnce = 100;

export async function openStore(place: Place, { maxVals }: StoreLimits = {}) {
  const database = await openDatabase(place);
  const { all, write, forUpdate } = database;
  const owner = await readOwner(database, place);
  const users = createUsers(database);
  const spaces = createSpaces(database);

  /** Within a transaction: finds a val, and locks it until the transaction ends. */
  async function lock(all: All, condition: string, ...values: Value[]): Promise<string | undefined> {
    const [found] = await all<{ id: string }>(`SELECT id FROM vals WHERE ${condition}${forUpdate}`, values);
    return found?.id;
  }

  /** Locks a val of the caller's, and returns it. */
  async function lockOwn(all: All, caller: Principal, id: string): Promise<Val> {
    if (idForm.test(id)) await lock(all, 'id = ? AND owner_id = ?', id, caller.id);
    return ownVal(all, caller, id);
  }

  /** Only near the limit do the owner's requests lock and wait for each other. */
  async function checkRoom(all: All, owner: Principal): Promise<void> {
    if (maxVals === undefined) return;
    const countVals = async () => {
      const counted = await all<{ vals: number }>('SELECT count(*) AS vals FROM vals WHERE owner_id = ?', [
        owner.id,
      ]);
      return counted[0]?.vals ?? 0;
    };
    if ((await countVals()) < maxVals - mostAtOnce) return;
    // NO KEY: others may still insert rows that refer to this user.
    if (forUpdate) await all('SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE', [owner.id]);
    if ((await countVals()) < maxVals) return;
    throw new Problem(
      403,
      `${owner.username} already has ${maxVals} vals, and this service keeps no more for one owner.`,
    );
  }

  /** Undefined if the owner has a val of this name, even one that another request has just created. */
  async function insertVal(all: All, owner: Principal, content: ValContent): Promise<Val | undefined> {
    const { name, code, readme, privacy, type } = content;
    await checkRoom(all, owner);
    const at = now();
    const [inserted] = await all<{ id: string }>(
      `INSERT INTO vals (id, owner_id, name, readme, privacy, type, created_at, updated_at, last_version)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (owner_id, name) DO NOTHING RETURNING id`,
      [randomUUID(), owner.id, name, bytes(readme), privacy, type, at, at],
    );
    if (!inserted) return undefined;
    const { likes, references } = await claimRecords(all, owner, { id: inserted.id, name });
    await insertVersion(all, inserted.id, 1, code, at, owner.actor);
    return {
      ...{ id: inserted.id, name, code, readme, privacy, type, version: 1 },
      ...{ author: { id: owner.id, username: owner.username }, versionAuthor: owner.actor },
      ...{ createdAt: at, versionCreatedAt: at, updatedAt: at, likeCount: likes, referenceCount: references },
    };
  }

  const insertVersion = (all: All, id: string, version: number, code: string, at: string, author: User) =>
    all(
      `INSERT INTO versions (val_id, version, code, created_at, author_id, author_name)
        VALUES (?, ?, ?, ?, ?, ?)`,
      [id, version, Buffer.from(code), at, author.id, author.username],
    );

  /** The same code again makes no new version, so that a repeated request is harmless. */
  async function update(all: All, current: Val, code: string, author: User): Promise<Val> {
    if (current.code === code) return current;
    const at = now();
    const [counted] = await all<{ version: number }>(
      'UPDATE vals SET last_version = last_version + 1, updated_at = ? WHERE id = ? RETURNING last_version AS version',
      [at, current.id],
    );
    if (!counted) throw noVal(current.id);
    await insertVersion(all, current.id, counted.version, code, at, author);
    return {
      ...{ ...current, code, version: counted.version, versionAuthor: author },
      ...{ versionCreatedAt: at, updatedAt: at },
    };
  }

  /** Name, readme, privacy and type belong to the val, not to a version. */
  async function updateFacts(all: All, current: Val, change: Partial<ValContent>): Promise<Val> {
    const { name, readme, privacy, type } = { ...current, ...change };
    const isSame = name === current.name && readme === current.readme && privacy === current.privacy;
    if (isSame && type === current.type) return current;
    try {
      await all('UPDATE vals SET name = ?, readme = ?, privacy = ?, type = ?, updated_at = ? WHERE id = ?', [
        ...[name, bytes(readme), privacy, type, now(), current.id],
      ]);
    } catch (error) {
      throw error instanceof DatabaseFailure && error.kind === 'taken' ? nameTaken(name) : error;
    }
    if (name !== current.name) await claimRecords(all, current.author, { id: current.id, name });
    return identified(all, current.id);
  }

  return {
    owner,
    users,
    spaces,
    explain: database.explain,
    close: database.close,

    /** The person with this token, and who they act as: themselves, or a space they are a member of. */
    async identify(
      token: string,
      space: string | undefined,
    ): Promise<{ actor: User; principal: Principal | undefined } | undefined> {
      if (space !== undefined) return spaces.memberWithToken(token, space);
      const actor = await users.withToken(token);
      return actor && { actor, principal: asPerson(actor) };
    },

    userWithToken: users.withToken,

    userWithId: async (id: string): Promise<User | undefined> =>
      idForm.test(id) ? users.withId(id) : undefined,

    userWithDigest: async (id: string) => (idForm.test(id) ? users.withDigest(id) : undefined),

    userNamed: async (username: string): Promise<User | undefined> =>
      idForm.test(username) ? users.named(username) : undefined,

    connections: database.connections,

    /** Keeps deleting runs that are older than `keepMs`, until the signal is aborted. */
    deleteOldRuns: (keepMs: number, clock: Clock, signal: AbortSignal) =>
      deleteOldRuns(database, keepMs, clock, signal),

    /** For all owners together. */
    async counts(): Promise<{ vals: number; runs: number }> {
      const [vals] = await all<{ count: number }>('SELECT count(*) AS count FROM vals');
      const [runs] = await all<{ count: number }>(
        "SELECT count(*) AS count FROM records WHERE kind = 'runs'",
      );
      return { vals: vals?.count ?? 0, runs: runs?.count ?? 0 };
    },

    /** Throws if the store cannot be read. */
    probe: async (): Promise<void> => void (await all('SELECT 1 FROM owner')),

    /** A person's vals, the last changed first. Of another person's vals, only the public ones. */
    newest: (caller: Caller, owner: User, range: ValRange) => listVals(all, caller, owner, range),

    /** Leaves out vals that are deleted during the search. */
    async search(
      caller: User,
      text: string,
      range: SearchRange,
    ): Promise<{ vals: ListedVal[]; next?: Position }> {
      const { ids, next } = await searchVals(database, caller, text, range);
      const vals: ListedVal[] = [];
      for (const id of ids) {
        const [row] = await all<ListedRow>(
          `SELECT ${listed} ${joinedWith('vals')} WHERE vals.id = ? ORDER BY version DESC LIMIT 1`,
          [id],
        );
        if (row) vals.push(withAuthor(row));
      }
      return { vals, ...(next && { next }) };
    },

    val: (caller: Caller, id: string): Promise<Val> => visibleVal(all, caller, id),
    /** Another person's val is found by name only if it is public; if it is unlisted, only by id. */
    async valNamed(caller: User, owner: User, name: string): Promise<Val> {
      const val = namePattern.test(name)
        ? await find(all, 'owner_id = ? AND name = ?', owner.id, name)
        : undefined;
      if (val && (val.privacy === 'public' || owner.id === caller.id)) return val;
      throw new Problem(404, `${owner.username} has no val with this name.`);
    },
    ownVal: (caller: Principal, id: string): Promise<Val> => ownVal(all, caller, id),
    version: (caller: Caller, id: string, number: number): Promise<Val> =>
      visibleVersion(all, caller, id, number),

    /** A val without a name gets a generated one. */
    create: (
      caller: Principal,
      content: Omit<ValContent, 'name'> & { name: string | undefined },
    ): Promise<Val> =>
      write(async (all) => {
        for (const name of content.name === undefined ? newNames() : [content.name]) {
          const val = await insertVal(all, caller, { ...content, name });
          if (val) return val;
        }
        throw nameTaken(`${content.name}`);
      }),

    createOrUpdate: (
      caller: Principal,
      { name, code, ...facts }: ValChange & { name: string },
    ): Promise<{ val: Val; isNew: boolean }> =>
      write(async (all) => {
        // Tries again if another process creates or deletes the val between two statements.
        for (;;) {
          const id = await lock(all, 'owner_id = ? AND name = ?', caller.id, name);
          if (id !== undefined) {
            const current = await updateFacts(all, await identified(all, id), facts);
            return { val: await update(all, current, code, caller.actor), isNew: false };
          }
          const val = await insertVal(all, caller, { ...newValFacts, ...facts, name, code });
          if (val) return { val, isNew: true };
        }
      }, `${caller.id} ${name}`),

    /** Changes all but the code. */
    change: (caller: Principal, id: string, facts: Partial<ValContent>): Promise<Val> =>
      write(async (all) => updateFacts(all, await lockOwn(all, caller, id), facts), id),

    delete: (caller: Principal, id: string): Promise<void> =>
      write(async (all) => {
        await lockOwn(all, caller, id);
        await deleteRuns(all, id);
        await all('DELETE FROM vals WHERE id = ?', [id]);
      }, id),

    versions: (caller: Caller, id: string, range: VersionRange) => listVersions(all, caller, id, range),

    createVersion: (
      caller: Principal,
      id: string,
      { code, ...facts }: ValChange,
    ): Promise<{ val: Val; isNew: boolean }> =>
      write(async (all) => {
        const current = await updateFacts(all, await lockOwn(all, caller, id), facts);
        const updated = await update(all, current, code, caller.actor);
        return { val: updated, isNew: updated !== current };
      }, id),

    deleteVersion: (caller: Principal, id: string, number: number): Promise<void> =>
      write(async (all) => {
        await lockOwn(all, caller, id);
        await visibleVersion(all, caller, id, number);
        await all('DELETE FROM versions WHERE val_id = ? AND version = ?', [id, number]);
        const left = await find(all, 'vals.id = ?', id);
        if (!left) throw new Problem(409, `Version ${number} is the only version. Delete the val instead.`);
        await all('UPDATE vals SET updated_at = ? WHERE id = ?', [left.versionCreatedAt, id]);
      }, id),

    /** All records of one kind that a person has. */
    records: (caller: User, kind: RecordKind, filter?: RecordFilter) =>
      findRecords(all, kind, { ownerId: caller.id }, filter),

    /** Only the owner of a val may see its runs. */
    async runs(caller: Principal, id: string, filter?: RecordFilter) {
      await ownVal(all, caller, id);
      return findRecords(all, 'runs', { valId: id }, filter);
    },

    /** Stops counting at `most`. */
    async countRuns(caller: Principal, id: string, most: number) {
      await ownVal(all, caller, id);
      return countRecords(all, 'runs', id, most);
    },

    addRun: (caller: Principal, id: string, { version: number, ...times }: ReportedRun) =>
      write(async (all) => {
        // Locked, so that no run is added to a val that is being deleted.
        const { name } = await lockOwn(all, caller, id);
        await visibleVersion(all, caller, id, number);
        const run = {
          id: randomUUID(),
          val: { id, name, version: number },
          ...times,
          reporter: caller.actor,
        };
        await putRecord(all, caller, {
          kind: 'runs',
          key: run.id,
          at: sortableTime(times.runStartAt) ?? '',
          tag: times.error === null ? 'passed' : 'failed',
          valId: id,
          valName: name,
          json: JSON.stringify(run),
        });
        return run;
      }, id),

    /** Stores a person's records, all or none. `make` can look up the person's vals. */
    addRecords: (owner: User, make: (vals: ValFinder) => AsyncIterable<StoredRecord>): Promise<void> =>
      write(async (all) => {
        const vals: ValFinder = {
          async named(name) {
            const id = await lock(all, 'owner_id = ? AND name = ?', owner.id, name);
            return id === undefined ? undefined : identified(all, id);
          },
          identified: (id) => find(all, 'vals.id = ? AND owner_id = ?', id, owner.id),
        };
        for await (const record of make(vals)) await putRecord(all, owner, record);
      }),
  };
}

/** A SQLite file must have an owner. A database that a team shares needs none. */
async function readOwner(database: Database, place: Place) {
  try {
    const owner = await ownerOf(database.all);
    if (owner || 'database' in place) return owner;
    throw new LocalError(`The store ${place.file} has no owner.`, { hint: otherFileHint });
  } catch (error) {
    await database.close();
    throw database.explain(error);
  }
}

/** Looks up a person's vals for a seed. */
export interface ValFinder {
  named(name: string): Promise<Val | undefined>;
  identified(id: string): Promise<Val | undefined>;
}

function nameTaken(name: string): Problem {
  return new Problem(409, `A val named ${name} already exists.`);
}

function now(): string {
  return new Date().toISOString();
}

function bytes(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text);
}
