import { randomInt, randomUUID } from 'node:crypto';
import { type All, type Database, DatabaseFailure, type Value } from '../database/database.ts';
import { claimRecords } from './activity.ts';
import { deleteVal } from './deletion.ts';
import {
  checkVersion,
  findListedVal,
  noVal,
  ownProperties,
  type Val,
  type ValChange,
  type ValContent,
  type ValProperties,
} from './read-vals.ts';
import { Refusal } from './refusal.ts';
import type { Principal } from './spaces.ts';
import { idPattern, type User } from './users.ts';
import { type Once, writeAs } from './write-as.ts';

export const newValDefaults = { readme: null, privacy: 'private', type: 'script' } as const;

const mostValsCreatedAtOnce = 100;

export interface WriteOptions {
  /** Decides by the state of the val whether the write may begin. */
  onlyIf?: ((state: string | undefined) => boolean) | undefined;
  once?: Once | undefined;
}

/** Differs for each state of each val. */
export const stateOf = ({ id, revision }: Pick<Val, 'id' | 'revision'>): string => `${id}.${revision}`;

function checkState(val: ValProperties | undefined, onlyIf: WriteOptions['onlyIf']): void {
  if (!onlyIf || onlyIf(val && stateOf(val))) return;
  throw new Refusal('changed', 'The val has changed since you read it. Read it again before you change it.');
}

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
): Promise<ValProperties> {
  if (idPattern.test(id)) await lockVal(database, all, 'id = ? AND owner_id = ?', id, caller.id);
  return ownProperties(all, caller, id);
}

export function createValWriter(database: Database, maxVals: number | undefined) {
  const { forUpdate } = database;

  /** Locks the owner only near the limit, so that requests of one owner rarely wait for each other. */
  async function checkValCount(all: All, owner: Principal): Promise<void> {
    if (maxVals === undefined) return;
    if ((await countVals(all, owner)) < maxVals - mostValsCreatedAtOnce) return;
    if (forUpdate) await all('SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE', [owner.id]);
    if ((await countVals(all, owner)) < maxVals) return;
    const limit = `${owner.username} already has ${maxVals} vals, which is the limit of this service.`;
    throw new Refusal('not allowed', `${limit} Delete a val first.`);
  }

  async function insertVal(all: All, owner: Principal, content: ValContent): Promise<Val | undefined> {
    const { name, code, readme, privacy, type } = content;
    await checkValCount(all, owner);
    const at = now();
    const [inserted] = await all<{ id: string }>(
      `INSERT INTO vals (id, owner_id, name, readme, privacy, type, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner_id, name) DO NOTHING RETURNING id`,
      [randomUUID(), owner.id, name, bytes(readme), privacy, type, at, at],
    );
    if (!inserted) return undefined;
    const { id } = inserted;
    await insertVersion(all, id, 1, code, at, owner.actor);
    await claimRecords(all, owner, { id, name });
    return completeVal(all, id, { code, readme });
  }

  /** `work` gets the val as it is, after other writes to it have ended. */
  const changeVal = <Result>(
    caller: Principal,
    id: string,
    { onlyIf, once }: WriteOptions,
    work: (all: All, val: ValProperties) => Promise<Result>,
  ): Promise<Result> =>
    writeAs(database, caller, { val: id, once }, async (all) => {
      const val = await lockOwnVal(database, all, caller, id);
      checkState(val, onlyIf);
      return work(all, val);
    });

  async function update(all: All, caller: Principal, val: ValProperties, { code, ...properties }: ValChange) {
    const { id, readme } = await updateProperties(all, val, properties);
    const isNew = await updateCode(all, id, code, caller.actor);
    return { val: await completeVal(all, id, { code, readme }), isNew };
  }

  return {
    create: (
      caller: Principal,
      content: Omit<ValContent, 'name'> & { name: string | undefined },
      { once }: WriteOptions = {},
    ): Promise<Val> =>
      writeAs(database, caller, { once }, async (all) => {
        for (const name of content.name === undefined ? generateNames() : [content.name]) {
          const val = await insertVal(all, caller, { ...content, name });
          if (val) return val;
        }
        throw nameTaken(`${content.name}`);
      }),

    createOrUpdate: (
      caller: Principal,
      change: ValChange & { name: string },
      { onlyIf }: WriteOptions = {},
    ): Promise<{ val: Val; isNew: boolean }> =>
      writeAs(database, caller, { val: change.name }, async (all) => {
        // Tries again if another process creates the val between `lockVal` and `insertVal`.
        for (;;) {
          const id = await lockVal(database, all, 'owner_id = ? AND name = ?', caller.id, change.name);
          const found = id === undefined ? undefined : await ownProperties(all, caller, id);
          checkState(found, onlyIf);
          if (found) return { ...(await update(all, caller, found, change)), isNew: false };
          const val = await insertVal(all, caller, { ...newValDefaults, ...change });
          if (val) return { val, isNew: true };
        }
      }),

    changeProperties: (
      caller: Principal,
      id: string,
      change: Partial<ValContent>,
      options: WriteOptions = {},
    ): Promise<ValProperties> =>
      changeVal(caller, id, options, (all, val) => updateProperties(all, val, change)),

    delete: (caller: Principal, id: string, options: WriteOptions = {}): Promise<void> =>
      changeVal(caller, id, options, (all) => deleteVal(all, id)),

    createVersion: (
      caller: Principal,
      id: string,
      change: ValChange,
      options: WriteOptions = {},
    ): Promise<{ val: Val; isNew: boolean }> =>
      changeVal(caller, id, options, (all, val) => update(all, caller, val, change)),

    deleteVersion: (
      caller: Principal,
      id: string,
      number: number,
      options: WriteOptions = {},
    ): Promise<void> =>
      changeVal(caller, id, options, async (all) => {
        await checkVersion(all, id, number);
        await all('DELETE FROM versions WHERE val_id = ? AND version = ?', [id, number]);
        const [left] = await all<{ version: number; createdAt: string }>(
          'SELECT version, created_at AS "createdAt" FROM versions WHERE val_id = ? ORDER BY version DESC LIMIT 1',
          [id],
        );
        if (!left)
          throw new Refusal(
            'conflict',
            `Version ${number} cannot be deleted, because it is the only version of the val. Delete the val instead.`,
          );
        await all('UPDATE vals SET version = ?, updated_at = ?, revision = revision + 1 WHERE id = ?', [
          left.version,
          left.createdAt,
          id,
        ]);
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
  const [current] = await all<{ isSame: number }>(
    `SELECT CASE WHEN code = ? THEN 1 ELSE 0 END AS "isSame" FROM versions
      JOIN vals ON vals.id = val_id AND vals.version = versions.version WHERE val_id = ?`,
    [Buffer.from(code), id],
  );
  if (current?.isSame === 1) return false;
  const at = now();
  const [counted] = await all<{ version: number }>(
    `UPDATE vals SET version = last_version + 1, last_version = last_version + 1, updated_at = ?, revision = revision + 1
      WHERE id = ? RETURNING version`,
    [at, id],
  );
  if (!counted) throw noVal(id);
  await insertVersion(all, id, counted.version, code, at, author);
  return true;
}

async function updateProperties(
  all: All,
  current: ValProperties,
  change: Partial<ValContent>,
): Promise<ValProperties> {
  const changed = { ...current, ...change, revision: current.revision + 1 };
  const { id, name, readme, privacy, type, revision } = changed;
  const isSame = name === current.name && readme === current.readme && privacy === current.privacy;
  if (isSame && type === current.type) return current;
  try {
    await all(
      `UPDATE vals SET name = ?, readme = ?, privacy = ?, type = ?, updated_at = ?, revision = ? WHERE id = ?`,
      [name, bytes(readme), privacy, type, now(), revision, id],
    );
  } catch (error) {
    throw error instanceof DatabaseFailure && error.kind === 'taken' ? nameTaken(name) : error;
  }
  if (name !== current.name) await claimRecords(all, current.author, { id, name });
  return changed;
}

const nameTaken = (name: string): Refusal => new Refusal('conflict', `A val named ${name} already exists.`);

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
