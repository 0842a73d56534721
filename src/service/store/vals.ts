import { namePattern } from '../../core/lib/vals.ts';
import type { Reader } from '../database/database.ts';
import { raw, type Sql, sql, sqlList } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import { type Access, idPattern, mayFind, mayRead, type User, type VersionAuthor } from './access.ts';

export const privacies = ['public', 'unlisted', 'private'] as const;

export const valTypes = ['script', 'http', 'httpnext', 'email', 'interval', 'express', 'rpc'] as const;

export interface ValContent {
  name: string;
  code: string;
  readme: string | null;
  privacy: (typeof privacies)[number];
  type: (typeof valTypes)[number];
}

export interface StoredVal extends ValContent {
  id: string;
  version: number;
  /** The id that git gives the code. */
  codeHash: string;
  createdAt: string;
  versionCreatedAt: string;
  updatedAt: string;
  /** Grows with each change of the val. */
  revision: number;
  author: User;
  versionAuthor: VersionAuthor;
}

export type ListedVal = Omit<StoredVal, 'code' | 'readme'>;

/** A val as it is after other writes to it have ended. It cannot change before the end of the transaction. */
export type LockedVal = ListedVal & {
  readme: string | null;
  lastVersion: number;
  /** The ids of the vals that its code imports. */
  imports: string | null;
};

export interface AuthorRow {
  authorId: string;
  authorName: string;
  authorToken: string | null;
}

export type ListedRow = Omit<ListedVal, 'author' | 'versionAuthor'> &
  AuthorRow & { ownerId: string; username: string };

export const authorColumns = raw(
  'author_id AS "authorId", author_name AS "authorName", author_token AS "authorToken"',
);

export const listedColumns = sql`vals.id, vals.name, privacy, type, vals.created_at AS "createdAt", versions.version, revision,
  code_hash AS "codeHash", versions.created_at AS "versionCreatedAt",
  CASE versions.version WHEN vals.version THEN updated_at ELSE versions.created_at END AS "updatedAt",
  owner_id AS "ownerId", username,
  ${authorColumns}`;

export const joinedWith = (vals: Sql): Sql =>
  sql`FROM ${vals} JOIN users ON users.id = owner_id JOIN versions ON val_id = vals.id`;

export const isCurrent = raw('versions.version = vals.version');

export async function selectVal(db: Reader, condition: Sql): Promise<StoredVal | undefined> {
  const [row] = await db.query<ListedRow & { code: ArrayBuffer; readme: ArrayBuffer | null }>(
    sql`SELECT ${listedColumns}, readme, code ${joinedWith(raw('vals'))} WHERE ${condition}`,
  );
  return (
    row && { ...withAuthor(row), code: textOfBytes(row.code), readme: row.readme && textOfBytes(row.readme) }
  );
}

export const noVal = (id: string): HttpProblem => new HttpProblem(404, `There is no val with the id ${id}.`);

/** Refuses vals that the caller does not see, and, for what only the owner may do, vals of other owners. */
export async function checkVal(
  db: Reader,
  access: Access | undefined,
  id: string,
  { isOwn }: { isOwn: boolean },
): Promise<void> {
  const [found] = idPattern.test(id)
    ? await db.query<{ ownerId: string; username: string }>(sql`
      SELECT owner_id AS "ownerId", username FROM vals JOIN users ON users.id = owner_id
        WHERE vals.id = ${id} AND ${mayRead(access)}`)
    : [];
  if (!found) throw noVal(id);
  if (!isOwn || found.ownerId === access?.owner.id) return;
  const { username } = found;
  throw new HttpProblem(
    403,
    `The val ${id} belongs to ${username}. Only ${username} may change or delete the val, and read or store its runs.`,
  );
}

export function withAuthor<Row extends ListedRow>({ ownerId: id, username, ...val }: Row) {
  return { ...withVersionAuthor(val), author: { id, username } };
}

export function withVersionAuthor<Row extends AuthorRow>(row: Row) {
  const { authorId: id, authorName: username, authorToken: token, ...version } = row;
  return { ...version, versionAuthor: { id, username, ...(token !== null && { token }) } };
}

export const textOfBytes = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString();

export const bytesOf = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));

/** Differs for each state of each val. */
export const etagOf = ({ id, revision }: Pick<StoredVal, 'id' | 'revision'>): string => `"${id}.${revision}"`;

export async function visibleVal(db: Reader, access: Access | undefined, id: string): Promise<StoredVal> {
  const isReadable = sql`vals.id = ${id} AND ${mayRead(access)} AND ${isCurrent}`;
  const val = idPattern.test(id) ? await selectVal(db, isReadable) : undefined;
  if (!val) throw noVal(id);
  return val;
}

/** Of a person or a space. The refusal does not tell whether there is such an owner, because a space is hidden from others. */
export async function valNamed(db: Reader, access: Access, owner: string, name: string): Promise<StoredVal> {
  const isNamed = sql`username = ${owner} AND vals.name = ${name} AND ${mayFind(access)}`;
  const isName = idPattern.test(owner) && namePattern.test(name);
  const val = isName ? await selectVal(db, sql`${isNamed} AND ${isCurrent}`) : undefined;
  if (val) return val;
  throw new HttpProblem(404, `There is no val named ${owner}/${name}.`);
}

/** Those of the ids whose vals the caller may read. */
export async function readableIds(
  db: Reader,
  access: Access | undefined,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    sql`SELECT id FROM vals WHERE id IN ${sqlList(ids)} AND ${mayRead(access)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Runs have the position of their val: a number, so that their rows and indexes are small. */
export const positionOfVal = (id: string): Sql => sql`(SELECT position FROM vals WHERE id = ${id})`;
