import { randomUUID } from 'node:crypto';
import { blobId } from '../../core/lib/vals.ts';
import { type Database, DatabaseFailure, type Tx } from '../database/database.ts';
import { raw, type Sql, sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import { type Access, authorOf, idPattern } from './access.ts';
import { removeValRow } from './in-steps.ts';
import { saveImports, storedImports } from './references.ts';
import { now } from './timestamps.ts';
import {
  bytesOf,
  checkVal,
  etagOf,
  isCurrent,
  joinedWith,
  type ListedRow,
  type LockedVal,
  listedColumns,
  noVal,
  type StoredVal,
  textOfBytes,
  type ValContent,
  withAuthor,
} from './vals.ts';
import { insertVersion, removeVersionRow } from './versions.ts';
import { accessEnded, checkAccess, guardOf, requireFull, type WriteOptions, writeAs } from './write-as.ts';

type ValProperties = Omit<ValContent, 'code'>;

/** A val after a write, and which of its properties the write changed. */
interface Written<Val = StoredVal> {
  val: Val;
  changed: readonly (keyof ValProperties)[];
}

const propertyNames = ['name', 'readme', 'privacy', 'type'] as const;

const changesOf = (before: ValProperties, after: ValProperties): Written['changed'] =>
  propertyNames.filter((name) => before[name] !== after[name]);

export type ValChange = Pick<ValContent, 'code'> & Partial<ValContent>;

/** Makes a write to one val: each is a transaction of its own, after other writes to the same val. */
const writeToVal = <Result>(
  db: Database,
  access: Access,
  { id, ifMatch }: WriteOptions & { id: string },
  work: (tx: Tx, val: LockedVal) => Promise<Result>,
): Promise<Result> =>
  writeAs(db, access, { val: id }, async (tx) => {
    const val = await lockOwnVal(tx, access, id);
    checkState(val, ifMatch);
    return work(tx, val);
  });

export const changeProperties = (
  db: Database,
  access: Access,
  id: string,
  options: WriteOptions,
  change: Partial<ValProperties>,
): Promise<Written<LockedVal>> =>
  writeToVal(db, access, { id, ...options }, async (tx, before) => {
    const val = await saveVal(tx, access, before, { ...before, ...change }, now());
    return { val, changed: changesOf(before, val) };
  });

export const addVersion = (
  db: Database,
  access: Access,
  id: string,
  options: WriteOptions,
  change: ValChange,
): Promise<Written & { isNewVersion: boolean }> =>
  writeToVal(db, access, { id, ...options }, (tx, val) => updateVal(tx, access, val, change, options.origin));

export const removeVersion = (
  db: Database,
  access: Access,
  id: string,
  options: WriteOptions,
  version: number,
): Promise<Pick<StoredVal, 'id' | 'revision'>> =>
  writeToVal(db, access, { id, ...options }, async (tx, val) => {
    requireFull(access);
    await removeVersionRow(tx, val, version, options.origin);
    return { id, revision: val.revision + 1 };
  });

export const removeVal = (db: Database, access: Access, id: string, options: WriteOptions): Promise<void> =>
  writeToVal(db, access, { id, ...options }, (tx) => {
    requireFull(access);
    return removeValRow(tx, id);
  });

/**
 * The row is locked by a statement of its own: what PostgreSQL joins to a locked row may be older than the row. The second
 * one refuses the write if the access ended while the first one waited.
 */
async function lockVal(tx: Tx, access: Access, condition: Sql): Promise<LockedVal | undefined> {
  const [locked] = await tx.query<{ id: string }>(
    sql`SELECT id FROM vals WHERE ${condition} ${tx.forUpdate}`,
  );
  if (!locked) return undefined;
  const guard = guardOf(tx, access);
  const [row] = await tx.query<
    ListedRow & Pick<LockedVal, 'lastVersion' | 'imports'> & { readme: ArrayBuffer | null }
  >(sql`
    SELECT readme, last_version AS "lastVersion", ${storedImports}, ${listedColumns} ${joinedWith(raw('vals'))}
      ${guard.join} WHERE vals.id = ${locked.id} AND ${isCurrent} ${guard.lock}`);
  if (!row) throw await accessEnded(tx, access);
  return { ...withAuthor(row), readme: row.readme && textOfBytes(row.readme) };
}

export async function lockOwnVal(tx: Tx, access: Access, id: string): Promise<LockedVal> {
  const val = idPattern.test(id)
    ? await lockVal(tx, access, sql`id = ${id} AND owner_id = ${access.owner.id}`)
    : undefined;
  if (val) return val;
  await checkVal(tx, access, id, { isOwn: true });
  throw noVal(id);
}

/** A weak tag never matches (RFC 9110, 13.1.1). */
function checkState(val: LockedVal | undefined, ifMatch: readonly string[] | undefined): void {
  if (!ifMatch || (val && (ifMatch.includes('*') || ifMatch.includes(etagOf(val))))) return;
  throw new HttpProblem(412, 'The val has changed since you read it. Read it again before you change it.');
}

async function updateVal(
  tx: Tx,
  access: Access,
  val: LockedVal,
  { code, ...properties }: ValChange,
  origin: string | undefined,
): Promise<Written & { isNewVersion: boolean }> {
  const at = now();
  const bytes = Buffer.from(code);
  const codeHash = blobId(bytes);
  const isNewVersion = codeHash !== val.codeHash;
  const version = val.lastVersion + 1;
  const author = authorOf(access);
  const newVersion = { version, lastVersion: version, codeHash, versionCreatedAt: at, versionAuthor: author };
  const changed = { ...val, ...properties, ...(isNewVersion && newVersion) };
  const { lastVersion: _, imports: __, ...saved } = await saveVal(tx, access, val, changed, at);
  if (isNewVersion) {
    await insertVersion(tx, { id: val.id, version, bytes, codeHash, at, author });
    await saveImports(tx, val, code, origin);
  }
  return { val: { ...saved, code }, changed: changesOf(val, saved), isNewVersion };
}

async function saveVal(
  tx: Tx,
  access: Access,
  before: LockedVal,
  after: LockedVal,
  at: string,
): Promise<LockedVal> {
  const { id, name, readme, privacy, type, version, lastVersion } = after;
  if (changesOf(before, after).length > 0) requireFull(access);
  else if (before.version === version) return before;
  const saved = { ...after, updatedAt: at, revision: before.revision + 1 };
  try {
    await tx.query(sql`
      UPDATE vals SET name = ${name}, readme = ${bytesOf(readme)}, privacy = ${privacy}, type = ${type},
        version = ${version}, last_version = ${lastVersion}, updated_at = ${at}, revision = ${saved.revision} WHERE id = ${id}`);
  } catch (error) {
    throw error instanceof DatabaseFailure && error.kind === 'taken' ? nameTaken(name) : error;
  }
  return saved;
}

const nameTaken = (name: string): HttpProblem => new HttpProblem(409, `A val named ${name} already exists.`);

const newValDefaults = { readme: null, privacy: 'private', type: 'script' } as const;

const changesOfNew = (val: StoredVal) => changesOf({ ...newValDefaults, name: val.name }, val);

/** Some clients of the API create vals without a name. */
export const addVal = (
  db: Database,
  access: Access,
  { name = `val_${randomUUID().slice(-12)}`, ...change }: ValChange,
  { origin }: WriteOptions = {},
): Promise<Written> =>
  writeAs(db, access, {}, async (tx) => {
    const val = await insertVal(tx, access, { ...newValDefaults, ...change, name }, origin);
    if (!val) throw nameTaken(name);
    return { val, changed: changesOfNew(val) };
  });

export const createOrUpdateVal = (
  db: Database,
  access: Access,
  change: ValChange & { name: string },
  { ifMatch, origin }: WriteOptions = {},
): Promise<Written & { isNew: boolean }> =>
  writeAs(db, access, { val: change.name }, async (tx) => {
    // Tries again if another process creates the val between `lockVal` and `insertVal`.
    for (;;) {
      const found = await lockVal(tx, access, sql`owner_id = ${access.owner.id} AND name = ${change.name}`);
      checkState(found, ifMatch);
      if (found) return { ...(await updateVal(tx, access, found, change, origin)), isNew: false };
      const val = await insertVal(tx, access, { ...newValDefaults, ...change }, origin);
      if (val) return { val, changed: changesOfNew(val), isNew: true };
    }
  });

async function insertVal(
  tx: Tx,
  access: Access,
  content: ValContent,
  origin: string | undefined,
): Promise<StoredVal | undefined> {
  const { name, code, readme, privacy, type } = content;
  const { owner } = access;
  if (privacy !== 'private') requireFull(access);
  const versionAuthor = authorOf(access);
  const at = now();
  const [inserted] = await tx.query<{ id: string }>(sql`
    INSERT INTO vals (id, owner_id, name, readme, privacy, type, created_at, updated_at)
      VALUES (${randomUUID()}, ${owner.id}, ${name}, ${bytesOf(readme)}, ${privacy}, ${type},
        ${at}, ${at}) ON CONFLICT (owner_id, name) DO NOTHING RETURNING id`);
  if (!inserted) return undefined;
  await checkAccess(tx, access);
  const { id } = inserted;
  const bytes = Buffer.from(code);
  const codeHash = blobId(bytes);
  await insertVersion(tx, { id, version: 1, bytes, codeHash, at, author: versionAuthor });
  await saveImports(tx, { id, imports: null }, code, origin);
  return {
    ...content,
    id,
    version: 1,
    revision: 1,
    codeHash,
    createdAt: at,
    versionCreatedAt: at,
    updatedAt: at,
    author: owner,
    versionAuthor,
  };
}
