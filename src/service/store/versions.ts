import type { Reader, Tx } from '../database/database.ts';
import { emptySql, raw, sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import { type Access, idPattern, mayRead, type VersionAuthor } from './access.ts';
import type { ListPart, NumberPosition, Range } from './positions.ts';
import { saveImports } from './references.ts';
import { now } from './timestamps.ts';
import {
  type AuthorRow,
  authorColumns,
  checkVal,
  type LockedVal,
  type StoredVal,
  selectVal,
  textOfBytes,
  withVersionAuthor,
} from './vals.ts';

export interface VersionRow {
  version: number;
  codeHash: string;
  createdAt: string;
  versionAuthor: VersionAuthor;
}

export type VersionPage = ListPart<VersionRow, NumberPosition>;

interface NewVersion {
  id: string;
  version: number;
  bytes: Buffer;
  codeHash: string;
  at: string;
  author: VersionAuthor;
}

/** An integer of PostgreSQL. */
export const largestVersion = 2 ** 31 - 1;

const isStorable = (version: number): boolean => version <= largestVersion;

const noVersion = (id: string, number: number): HttpProblem =>
  new HttpProblem(404, `The val ${id} has no version ${number}.`);

export async function insertVersion(
  tx: Tx,
  { id, version, bytes, codeHash, at, author }: NewVersion,
): Promise<void> {
  await tx.query(sql`
    INSERT INTO versions (val_id, version, code, code_hash, created_at, author_id, author_name, author_token)
      VALUES (${id}, ${version}, ${bytes}, ${codeHash}, ${at}, ${author.id}, ${author.username},
        ${author.token ?? null})`);
}

export async function visibleVersion(
  db: Reader,
  access: Access | undefined,
  id: string,
  number: number,
): Promise<StoredVal> {
  const isWanted = sql`vals.id = ${id} AND versions.version = ${number} AND ${mayRead(access)}`;
  const found = idPattern.test(id) && isStorable(number) ? await selectVal(db, isWanted) : undefined;
  if (found) return found;
  await checkVal(db, access, id, { isOwn: false });
  throw noVersion(id, number);
}

export async function hasVersion(db: Reader, id: string, number: number): Promise<boolean> {
  if (!isStorable(number)) return false;
  const found = await db.query(
    sql`SELECT version FROM versions WHERE val_id = ${id} AND version = ${number}`,
  );
  return found.length > 0;
}

export async function requireVersion(db: Reader, id: string, number: number): Promise<void> {
  if (!(await hasVersion(db, id, number))) throw noVersion(id, number);
}

export async function pageOfVersions(
  db: Reader,
  access: Access | undefined,
  id: string,
  { limit, offset = 0, after }: Range<NumberPosition>,
): Promise<VersionPage> {
  await checkVal(db, access, id, { isOwn: false });
  const range = after
    ? { isInRange: sql`AND version < ${Math.min(after[0], largestVersion)}`, skipped: emptySql }
    : { isInRange: emptySql, skipped: sql`OFFSET ${offset}` };
  const rows = await db.query<Omit<VersionRow, 'versionAuthor'> & AuthorRow>(sql`
    SELECT version, code_hash AS "codeHash", created_at AS "createdAt", ${authorColumns} FROM versions
      WHERE val_id = ${id} ${range.isInRange} ORDER BY version DESC LIMIT ${limit + 1} ${range.skipped}`);
  const items = rows
    .slice(0, limit)
    .map((row) => ({ item: withVersionAuthor(row), position: [row.version] as const }));
  return { items, more: rows.length > limit };
}

/** If the current version is deleted, the val goes back to the newest one that is left. */
export async function removeVersionRow(
  tx: Tx,
  { id, ...val }: LockedVal,
  number: number,
  origin: string | undefined,
): Promise<void> {
  await requireVersion(tx, id, number);
  await tx.query(sql`DELETE FROM versions WHERE val_id = ${id} AND version = ${number}`);
  const [left] = await tx.query<{ version: number }>(
    sql`SELECT version FROM versions WHERE val_id = ${id} ORDER BY version DESC LIMIT 1`,
  );
  if (!left) {
    throw new HttpProblem(
      409,
      `Version ${number} cannot be deleted, because it is the only version of the val. Delete the val instead.`,
    );
  }
  const updatedAt = left.version === val.version ? val.updatedAt : now();
  await tx.query(sql`
    UPDATE vals SET version = ${left.version}, updated_at = ${updatedAt}, revision = revision + 1 WHERE id = ${id}`);
  if (left.version === val.version) return;
  const [current] = await tx.query<{ code: ArrayBuffer }>(
    sql`SELECT code FROM versions WHERE val_id = ${id} AND version = ${left.version}`,
  );
  if (current) await saveImports(tx, { id, imports: val.imports }, textOfBytes(current.code), origin);
}

/** The numbers of the versions before and after this one. */
export async function versionsAround(
  db: Reader,
  id: string,
  version: number,
): Promise<{ older: number | undefined; newer: number | undefined }> {
  const next = async (comparison: string, order: string) => {
    const [found] = await db.query<{ version: number }>(sql`
      SELECT version FROM versions WHERE val_id = ${id} AND version ${raw(comparison)} ${version}
        ORDER BY version ${raw(order)} LIMIT 1`);
    return found?.version;
  };
  return { older: await next('<', 'DESC'), newer: await next('>', 'ASC') };
}
