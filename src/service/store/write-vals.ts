import { randomInt, randomUUID } from 'node:crypto';
import { type All, type Database, DatabaseFailure, type Value } from '../database/database.ts';
import { Problem } from '../problem.ts';
import { deletePartOfVal } from './deletion.ts';
import {
  checkVersion,
  findListedVal,
  noVal,
  ownFacts,
  type Val,
  type ValChange,
  type ValContent,
  type ValFacts,
} from './read-vals.ts';
import { claimRecords } from './records.ts';
import type { Principal } from './spaces.ts';
import { inSteps } from './steps.ts';
import { idPattern, type User } from './users.ts';

export const newValDefaults = { readme: null, privacy: 'private', type: 'script' } as const;

const mostValsCreatedAtOnce = 100;

export async function lockVal(
  { forUpdate }: Database,
  all: All,
  condition: string,
  ...values: Value[]
): Promise<string | undefined> {
  const [found] = await all<{ id: string }>(`SELECT id FROM vals WHERE ${condition}${forUpdate}`, values);
  return found?.id;
}

export async function lockOwnVal(
  database: Database,
  all: All,
  caller: Principal,
  id: string,
): Promise<ValFacts> {
  if (idPattern.test(id)) await lockVal(database, all, 'id = ? AND owner_id = ?', id, caller.id);
  return ownFacts(all, caller, id);
}

export function writeAs<Result>(
  { write }: Database,
  caller: Principal,
  idOrName: string | undefined,
  work: (all: All) => Promise<Result>,
): Promise<Result> {
  const { id, actor } = caller;
  const workAndCheck = async (all: All) => {
    const result = await work(all);
    // The write may have waited for other writes, and the membership may have ended meanwhile.
    if (actor.id !== id) await checkMembership(all, caller);
    return result;
  };
  // The row contains the id of the caller, because anybody can try to write to a val of another owner.
  return write(workAndCheck, {
    person: actor.id,
    row: idOrName === undefined ? undefined : `${id} ${idOrName}`,
  });
}

async function checkMembership(all: All, { id, actor }: Principal): Promise<void> {
  const [member] = await all(
    "SELECT role FROM members WHERE user_id = ? AND space_id = ? AND role = 'write'",
    [actor.id, id],
  );
  if (!member) throw new DatabaseFailure('orphaned', new Error('the membership has ended'));
}

export function createValWriter(database: Database, maxVals: number | undefined) {
  const { forUpdate } = database;

  /** Locks the owner only near the limit, so that requests of one owner rarely wait for each other. */
  async function checkValCount(all: All, owner: Principal): Promise<void> {
    if (maxVals === undefined) return;
    if ((await countVals(all, owner)) < maxVals - mostValsCreatedAtOnce) return;
    if (forUpdate) await all('SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE', [owner.id]);
    if ((await countVals(all, owner)) < maxVals) return;
    const detail = `${owner.username} already has ${maxVals} vals, which is the limit of this service. Delete a val first.`;
    throw new Problem(403, detail);
  }

  async function insertVal(all: All, owner: Principal, content: ValContent): Promise<Val | undefined> {
    const { name, code, readme, privacy, type } = content;
    await checkValCount(all, owner);
    const at = now();
    const [inserted] = await all<{ id: string }>(
      `INSERT INTO vals (id, owner_id, name, readme, privacy, type, created_at, updated_at, last_version)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (owner_id, name) DO NOTHING RETURNING id`,
      [randomUUID(), owner.id, name, bytes(readme), privacy, type, at, at],
    );
    if (!inserted) return undefined;
    const { id } = inserted;
    await insertVersion(all, id, 1, code, at, owner.actor);
    await claimRecords(all, owner, { id, name });
    return completeVal(all, id, { code, readme });
  }

  return {
    create: (
      caller: Principal,
      content: Omit<ValContent, 'name'> & { name: string | undefined },
    ): Promise<Val> =>
      writeAs(database, caller, undefined, async (all) => {
        for (const name of content.name === undefined ? generateNames() : [content.name]) {
          const val = await insertVal(all, caller, { ...content, name });
          if (val) return val;
        }
        throw nameTaken(`${content.name}`);
      }),

    createOrUpdate: (
      caller: Principal,
      { name, code, ...facts }: ValChange & { name: string },
    ): Promise<{ val: Val; isNew: boolean }> =>
      writeAs(database, caller, name, async (all) => {
        // Tries again if another process creates the val between `lockVal` and `insertVal`.
        for (;;) {
          const id = await lockVal(database, all, 'owner_id = ? AND name = ?', caller.id, name);
          if (id !== undefined) {
            const { readme } = await updateFacts(all, await ownFacts(all, caller, id), facts);
            await updateCode(all, id, code, caller.actor);
            return { val: await completeVal(all, id, { code, readme }), isNew: false };
          }
          const val = await insertVal(all, caller, { ...newValDefaults, ...facts, name, code });
          if (val) return { val, isNew: true };
        }
      }),

    changeFacts: (caller: Principal, id: string, facts: Partial<ValContent>): Promise<void> =>
      writeAs(database, caller, id, async (all) => {
        await updateFacts(all, await lockOwnVal(database, all, caller, id), facts);
      }),

    async delete(caller: Principal, id: string): Promise<void> {
      let isBegun = false;
      await inSteps(async (onBegin) => {
        const result = await writeAs(database, caller, id, async (all) => {
          await lockOwnVal(database, all, caller, id);
          onBegin();
          return deletePartOfVal(all, id);
        }).catch((error) => {
          // Earlier steps have already deleted a part of the val, so `maybeCommitted` must be true.
          throw isBegun && error instanceof DatabaseFailure
            ? new DatabaseFailure(error.kind, error.cause, true)
            : error;
        });
        isBegun = true;
        return result;
      });
    },

    createVersion: (
      caller: Principal,
      id: string,
      { code, ...facts }: ValChange,
    ): Promise<{ val: Val; isNew: boolean }> =>
      writeAs(database, caller, id, async (all) => {
        const { readme } = await updateFacts(all, await lockOwnVal(database, all, caller, id), facts);
        const isNew = await updateCode(all, id, code, caller.actor);
        return { val: await completeVal(all, id, { code, readme }), isNew };
      }),

    deleteVersion: (caller: Principal, id: string, number: number): Promise<void> =>
      writeAs(database, caller, id, async (all) => {
        await lockOwnVal(database, all, caller, id);
        await checkVersion(all, id, number);
        await all('DELETE FROM versions WHERE val_id = ? AND version = ?', [id, number]);
        const [left] = await all<{ createdAt: string }>(
          'SELECT created_at AS "createdAt" FROM versions WHERE val_id = ? ORDER BY version DESC LIMIT 1',
          [id],
        );
        if (!left)
          throw new Problem(
            409,
            `Version ${number} cannot be deleted, because it is the only version of the val. Delete the val instead.`,
          );
        await all('UPDATE vals SET updated_at = ? WHERE id = ?', [left.createdAt, id]);
      }),
  };
}

async function countVals(all: All, owner: User): Promise<number> {
  const [counted] = await all<{ vals: number }>('SELECT count(*) AS vals FROM vals WHERE owner_id = ?', [
    owner.id,
  ]);
  return counted?.vals ?? 0;
}

async function insertVersion(
  all: All,
  id: string,
  version: number,
  code: string,
  at: string,
  author: User,
): Promise<void> {
  await all(
    `INSERT INTO versions (val_id, version, code, created_at, author_id, author_name)
      VALUES (?, ?, ?, ?, ?, ?)`,
    [id, version, Buffer.from(code), at, author.id, author.username],
  );
}

async function completeVal(all: All, id: string, texts: Pick<Val, 'code' | 'readme'>): Promise<Val> {
  const listed = await findListedVal(all, id);
  if (!listed) throw noVal(id);
  return { ...listed, ...texts };
}

async function updateCode(all: All, id: string, code: string, author: User): Promise<boolean> {
  const [newest] = await all<{ isSame: number }>(
    `SELECT CASE WHEN code = ? THEN 1 ELSE 0 END AS "isSame" FROM versions WHERE val_id = ?
      ORDER BY version DESC LIMIT 1`,
    [Buffer.from(code), id],
  );
  if (newest?.isSame === 1) return false;
  const at = now();
  const [counted] = await all<{ version: number }>(
    'UPDATE vals SET last_version = last_version + 1, updated_at = ? WHERE id = ? RETURNING last_version AS version',
    [at, id],
  );
  if (!counted) throw noVal(id);
  await insertVersion(all, id, counted.version, code, at, author);
  return true;
}

async function updateFacts(all: All, current: ValFacts, change: Partial<ValContent>): Promise<ValFacts> {
  const changed = { ...current, ...change };
  const { id, name, readme, privacy, type } = changed;
  const isSame = name === current.name && readme === current.readme && privacy === current.privacy;
  if (isSame && type === current.type) return current;
  try {
    await all('UPDATE vals SET name = ?, readme = ?, privacy = ?, type = ?, updated_at = ? WHERE id = ?', [
      name,
      bytes(readme),
      privacy,
      type,
      now(),
      id,
    ]);
  } catch (error) {
    throw error instanceof DatabaseFailure && error.kind === 'taken' ? nameTaken(name) : error;
  }
  if (name !== current.name) await claimRecords(all, current.author, { id, name });
  return changed;
}

const nameTaken = (name: string): Problem => new Problem(409, `A val named ${name} already exists.`);

const now = (): string => new Date().toISOString();

const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));

const adjectives = ['amber', 'brave', 'calm', 'clear', 'eager', 'fond', 'gentle', 'keen', 'lively', 'quiet'];
const nouns = ['Birch', 'Brook', 'Cloud', 'Ember', 'Fern', 'Harbor', 'Lark', 'Meadow', 'River', 'Stone'];

function* generateNames(): Generator<string> {
  for (let range = 100; ; range *= 2) {
    yield `${pick(adjectives)}${pick(nouns)}${randomInt(10, Math.min(range, 1e9))}`;
  }
}

const pick = (words: readonly string[]): string => words[randomInt(words.length)] as string;
