import { randomInt, randomUUID } from 'node:crypto';
import { blobId } from '../../lib/blob-id.ts';
import { namePattern } from '../../lib/val-limits.ts';
import { DatabaseFailure, type Reader, type Tx, type Value } from '../database/database.ts';
import { type Caller, idPattern, type User } from './caller.ts';
import { Refusal } from './refusal.ts';
import { now } from './timestamps.ts';
import {
  bytesOf,
  checkVal,
  isCurrent,
  isVisible,
  joinedWith,
  type ListedRow,
  type LockedVal,
  listedColumns,
  noVal,
  selectVal,
  textOfBytes,
  type Val,
  type ValContent,
  withAuthor,
} from './val-rows.ts';
import { insertVersion } from './versions.ts';

export const newValDefaults = { readme: null, privacy: 'private', type: 'script' } as const;

export type ValChange = Pick<ValContent, 'code'> & Partial<ValContent>;

/** Decides by the state of the val whether the write may begin. */
export type Precondition = { allows(state: string | undefined): boolean; refusal: string };

const mostValsCreatedAtOnce = 100;

/** Differs for each state of each val. */
export const stateTag = ({ id, revision }: Pick<Val, 'id' | 'revision'>): string => `${id}.${revision}`;

export async function visibleVal(db: Reader, caller: Caller | undefined, id: string): Promise<Val> {
  const val = idPattern.test(id)
    ? await selectVal(db, `vals.id = ? AND ${isVisible} AND ${isCurrent}`, id, caller?.owner.id ?? '')
    : undefined;
  if (!val) throw noVal(id);
  return val;
}

/** The address of a module is that of no space, so a member of a space reads its private vals there. */
export async function importableVal(db: Reader, caller: Caller | undefined, id: string): Promise<Val> {
  const isMembers = 'EXISTS (SELECT role FROM members WHERE space_id = owner_id AND user_id = ?)';
  const member = caller?.token.spaceId === null ? caller.actor.id : '';
  const val = idPattern.test(id)
    ? await selectVal(
        db,
        `vals.id = ? AND (${isVisible} OR ${isMembers}) AND ${isCurrent}`,
        ...[id, caller?.owner.id ?? '', member],
      )
    : undefined;
  if (!val) throw noVal(id);
  return val;
}

/** Does not find unlisted vals of other owners, because only people who know the id may read them. */
export async function valNamed(db: Reader, caller: Caller, owner: User, name: string): Promise<Val> {
  const isNamed = "owner_id = ? AND name = ? AND (privacy = 'public' OR owner_id = ?)";
  const val = namePattern.test(name)
    ? await selectVal(db, `${isNamed} AND ${isCurrent}`, owner.id, name, caller.owner.id)
    : undefined;
  if (val) return val;
  throw new Refusal('not found', `${owner.username} has no val named ${name}.`);
}

/** The row is locked by a statement of its own: what PostgreSQL joins to a locked row may be older than the row. */
async function lockVal(tx: Tx, condition: string, values: Value[]): Promise<LockedVal | undefined> {
  const [locked] = await tx.query<{ id: string }>(
    `SELECT id FROM vals WHERE ${condition}${tx.forUpdate}`,
    values,
  );
  if (!locked) return undefined;
  type Row = ListedRow & { readme: ArrayBuffer | null; lastVersion: number };
  const [row] = await tx.query<Row>(
    `SELECT readme, last_version AS "lastVersion", ${listedColumns}
      ${joinedWith('vals')} WHERE vals.id = ? AND ${isCurrent}`,
    [locked.id],
  );
  return row && { ...withAuthor(row), readme: row.readme && textOfBytes(row.readme) };
}

export async function lockOwnVal(tx: Tx, caller: Caller, id: string): Promise<LockedVal> {
  const val = idPattern.test(id)
    ? await lockVal(tx, 'id = ? AND owner_id = ?', [id, caller.owner.id])
    : undefined;
  if (val) return val;
  await checkVal(tx, caller, id, { isOwn: true });
  throw noVal(id);
}

export function checkState(val: LockedVal | undefined, onlyIf: Precondition | undefined): void {
  if (onlyIf && !onlyIf.allows(val && stateTag(val))) throw new Refusal('changed', onlyIf.refusal);
}

export async function addVal(
  tx: Tx,
  caller: Caller,
  content: Omit<ValContent, 'name'> & { name: string | undefined },
  maxVals: number | undefined,
): Promise<Val> {
  for (const name of content.name === undefined ? generateNames() : [content.name]) {
    const val = await insertVal(tx, caller, { ...content, name }, maxVals);
    if (val) return val;
  }
  throw nameTaken(`${content.name}`);
}

export async function createOrUpdateVal(
  tx: Tx,
  caller: Caller,
  change: ValChange & { name: string },
  { onlyIf, maxVals }: { onlyIf: Precondition | undefined; maxVals: number | undefined },
): Promise<{ val: Val; isNew: boolean }> {
  // Tries again if another process creates the val between `lockVal` and `insertVal`.
  for (;;) {
    const found = await lockVal(tx, 'owner_id = ? AND name = ?', [caller.owner.id, change.name]);
    checkState(found, onlyIf);
    if (found) return { val: (await updateVal(tx, caller, found, change)).val, isNew: false };
    const val = await insertVal(tx, caller, { ...newValDefaults, ...change }, maxVals);
    if (val) return { val, isNew: true };
  }
}

async function insertVal(
  tx: Tx,
  caller: Caller,
  content: ValContent,
  maxVals: number | undefined,
): Promise<Val | undefined> {
  const { name, code, readme, privacy, type } = content;
  const { owner, actor } = caller;
  if (maxVals !== undefined) await checkValCount(tx, owner, maxVals);
  const at = now();
  const [inserted] = await tx.query<{ id: string }>(
    `INSERT INTO vals (id, owner_id, name, readme, privacy, type, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner_id, name) DO NOTHING RETURNING id`,
    [randomUUID(), owner.id, name, bytesOf(readme), privacy, type, at, at],
  );
  if (!inserted) return undefined;
  const { id } = inserted;
  const bytes = Buffer.from(code);
  const codeHash = blobId(bytes);
  await insertVersion(tx, { id, version: 1, bytes, codeHash, at, author: actor });
  return {
    ...{ id, name, code, readme, privacy, type, version: 1, revision: 1, likeCount: 0, referenceCount: 0 },
    ...{ codeHash, createdAt: at, versionCreatedAt: at, updatedAt: at, author: owner, versionAuthor: actor },
  };
}

/** Locks the owner only near the limit, so that requests of one owner rarely wait for each other. */
async function checkValCount(tx: Tx, owner: User, maxVals: number): Promise<void> {
  if ((await countVals(tx, owner)) < maxVals - mostValsCreatedAtOnce) return;
  if (tx.forUpdate) await tx.query('SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE', [owner.id]);
  if ((await countVals(tx, owner)) < maxVals) return;
  throw new Refusal(
    'too many vals',
    `${owner.username} already has ${maxVals} vals, the most that this service allows.`,
  );
}

async function countVals(db: Reader, owner: User): Promise<number> {
  const [counted] = await db.query<{ vals: number }>('SELECT count(*) AS vals FROM vals WHERE owner_id = ?', [
    owner.id,
  ]);
  return counted?.vals ?? 0;
}

export async function updateVal(
  tx: Tx,
  caller: Caller,
  val: LockedVal,
  { code, ...properties }: ValChange,
): Promise<{ val: Val; isNewVersion: boolean }> {
  const at = now();
  const bytes = Buffer.from(code);
  const codeHash = blobId(bytes);
  const isNewVersion = codeHash !== val.codeHash;
  const version = val.lastVersion + 1;
  const author = caller.actor;
  const newVersion = { version, lastVersion: version, codeHash, versionCreatedAt: at, versionAuthor: author };
  const changed = { ...val, ...properties, ...(isNewVersion && newVersion) };
  const { lastVersion: _, ...saved } = await saveVal(tx, val, changed, at);
  if (isNewVersion) await insertVersion(tx, { id: val.id, version, bytes, codeHash, at, author });
  return { val: { ...saved, code }, isNewVersion };
}

export async function saveVal(tx: Tx, before: LockedVal, after: LockedVal, at: string): Promise<LockedVal> {
  const { id, name, readme, privacy, type, version, lastVersion } = after;
  const isSame = (['name', 'readme', 'privacy', 'type', 'version'] as const).every(
    (key) => before[key] === after[key],
  );
  if (isSame) return before;
  const saved = { ...after, updatedAt: at, revision: before.revision + 1 };
  try {
    await tx.query(
      `UPDATE vals SET name = ?, readme = ?, privacy = ?, type = ?, version = ?, last_version = ?, updated_at = ?,
        revision = ? WHERE id = ?`,
      [name, bytesOf(readme), privacy, type, version, lastVersion, at, saved.revision, id],
    );
  } catch (error) {
    throw error instanceof DatabaseFailure && error.kind === 'taken' ? nameTaken(name) : error;
  }
  return saved;
}

const nameTaken = (name: string): Refusal => new Refusal('conflict', `A val named ${name} already exists.`);

const runsPerStatement = 5_000;

/** In several statements of one transaction, because each statement has a time limit in PostgreSQL. */
export async function removeVal(tx: Tx, id: string): Promise<void> {
  for (;;) {
    const runs = await tx.query(
      `DELETE FROM records WHERE position IN (SELECT position FROM records
        WHERE kind = 'runs' AND val_id = ? LIMIT ${runsPerStatement}) RETURNING position`,
      [id],
    );
    if (runs.length < runsPerStatement) break;
  }
  await tx.query('DELETE FROM vals WHERE id = ?', [id]);
}

const adjectives = ['amber', 'brave', 'calm', 'clear', 'eager', 'fond', 'gentle', 'keen', 'lively', 'quiet'];
const nouns = ['Birch', 'Brook', 'Cloud', 'Ember', 'Fern', 'Harbor', 'Lark', 'Meadow', 'River', 'Stone'];

function* generateNames(): Generator<string> {
  for (let range = 100; ; range *= 2) {
    yield `${pick(adjectives)}${pick(nouns)}${randomInt(10, Math.min(range, 1e9))}`;
  }
}

const pick = (words: readonly string[]): string => words[randomInt(words.length)] as string;
