// Reads vals and their versions, as far as the caller may see them.
import type { All, Value } from './database/database.ts';
import { isWord, positionsOf } from './positions.ts';
import { Problem } from './problem.ts';
import type { RecordKind } from './records.ts';
import type { Principal } from './spaces.ts';
import type { User } from './users.ts';

export type Privacy = 'public' | 'unlisted' | 'private';

export interface ValContent {
  name: string;
  code: string;
  readme: string | null;
  privacy: Privacy;
  /** What it is for: `script`, `http`, `email`... */
  type: string;
}

export interface Val extends ValContent {
  id: string;
  version: number;
  createdAt: string;
  /** Of the code. */
  versionCreatedAt: string;
  /** Of anything in it. */
  updatedAt: string;
  likeCount: number;
  referenceCount: number;
  /** Its owner. */
  author: User;
  /** Null for a version of a time when that was not kept. */
  versionAuthor: User | null;
}

/** In a list a val has no texts: a hundred of them could be too much for one answer. */
export type ListedVal = Omit<Val, 'code' | 'readme'>;

/** What a new version may change beside the code, where it is given. */
export type ValChange = Pick<ValContent, 'code'> & Partial<ValContent>;

/** Who made a version. */
interface AuthorRow {
  authorId: string | null;
  authorName: string | null;
}

export type ListedRow = Omit<ListedVal, 'author' | 'versionAuthor'> & {
  ownerId: string;
  username: string;
} & AuthorRow;
type ValRow = ListedRow & { code: ArrayBuffer; readme: ArrayBuffer | null };

/** A version in a list. */
export interface Version {
  version: number;
  createdAt: string;
  versionAuthor: User | null;
}

/** As far as PostgreSQL counts in a column of this type. */
const highestVersion = 2 ** 31 - 1;

/** Undefined for one who showed no token. */
export type Caller = Principal | undefined;

const count = (kind: RecordKind) =>
  `(SELECT count(*) FROM records WHERE kind = '${kind}' AND records.val_id = vals.id)`;

const newestVersion = '(SELECT max(version) FROM versions WHERE val_id = vals.id)';

const authorColumns = 'author_id AS "authorId", author_name AS "authorName"';

export const listed = `vals.id, name, privacy, type, vals.created_at AS "createdAt", version,
  versions.created_at AS "versionCreatedAt",
  CASE version WHEN ${newestVersion} THEN updated_at ELSE versions.created_at END AS "updatedAt",
  ${count('likes')} AS "likeCount", ${count('references')} AS "referenceCount", owner_id AS "ownerId", username,
  ${authorColumns}`;

export const joinedWith = (vals: string) =>
  `FROM ${vals} JOIN users ON users.id = owner_id JOIN versions ON val_id = vals.id`;

/** Of a val, or of a person. What has another form is not looked for: no database has it, and one of them takes no NUL. */
export const idForm = /^[\w-]{1,64}$/;

/** A val as it was at the newest of its versions that meet the condition; at its newest it is as it is. */
export async function find(all: All, condition: string, ...values: Value[]): Promise<Val | undefined> {
  const [row] = await all<ValRow>(
    `SELECT ${listed}, readme, code ${joinedWith('vals')} WHERE ${condition} ORDER BY version DESC LIMIT 1`,
    values,
  );
  return row && { ...withAuthor(row), code: text(row.code), readme: row.readme && text(row.readme) };
}

export function withAuthor<Row extends ListedRow>({ ownerId: id, username, ...val }: Row) {
  return { ...withVersionAuthor(val), author: { id, username } };
}

function withVersionAuthor<Row extends AuthorRow>({ authorId: id, authorName: username, ...version }: Row) {
  return { ...version, versionAuthor: id !== null && username !== null ? { id, username } : null };
}

export async function identified(all: All, id: string): Promise<Val> {
  const val = idForm.test(id) ? await find(all, 'vals.id = ?', id) : undefined;
  if (!val) throw noVal(id);
  return val;
}

/** To others a private val is as good as absent. */
export async function visibleVal(all: All, caller: Caller, id: string): Promise<Val> {
  const val = await identified(all, id);
  if (val.privacy === 'private' && val.author.id !== caller?.id) throw noVal(id);
  return val;
}

export async function ownVal(all: All, caller: Principal, id: string): Promise<Val> {
  const val = await visibleVal(all, caller, id);
  if (val.author.id === caller.id) return val;
  throw new Problem(403, `The val ${id} belongs to ${val.author.username}.`);
}

export async function visibleVersion(all: All, caller: Caller, id: string, number: number): Promise<Val> {
  await visibleVal(all, caller, id);
  const found =
    number <= highestVersion ? await find(all, 'vals.id = ? AND version = ?', id, number) : undefined;
  if (!found) throw new Problem(404, `The val ${id} has no version ${number}.`);
  return found;
}

export function noVal(id: string): Problem {
  return new Problem(404, `There is no val with the id ${id}.`);
}

function text(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString();
}

export interface ValRange {
  limit: number;
  offset?: number;
  after?: ValPosition;
}

/**
 * A val that changes while a list is read moves to its head, where the reader has been. So the position has the time at
 * which the list was begun. Behind the oldest val, the list goes on with those that changed since, oldest change first.
 */
export type ValPosition = readonly [pass: 'all' | 'changed', updatedAt: string, name: string, begun: string];

export const valPositions = positionsOf<ValPosition>(
  'vals',
  ([pass, ...texts]) => (pass === 'all' || pass === 'changed') && texts.length === 3 && texts.every(isWord),
);

const passes = {
  all: {
    order: 'updated_at DESC, name',
    // Vals that changed at the same moment are told apart by the second condition; the first one is for the index.
    behind: 'updated_at <= ? AND (updated_at < ? OR name > ?)',
  },
  changed: {
    order: 'updated_at, name DESC',
    behind: 'updated_at >= ? AND (updated_at > ? OR name < ?)',
  },
};

const behindEveryName = '~';

export async function listVals(
  all: All,
  caller: Caller,
  owner: User,
  { limit, offset = 0, after }: ValRange,
): Promise<{ vals: ListedVal[]; next: ValPosition | undefined }> {
  const [pass, , , begun] = after ?? (['all', '', '', new Date().toISOString()] as const);
  const { order, behind } = passes[pass];
  const shown = caller?.id === owner.id ? '' : "AND privacy = 'public'";
  // Chosen before anything is joined to them: no database knows that each has one newest version.
  const chosen = `(SELECT * FROM vals WHERE owner_id = ? ${shown} ${after ? `AND ${behind}` : ''}
    ORDER BY ${order} LIMIT ? ${after ? '' : 'OFFSET ?'})`;
  const rows = await all<ListedRow>(
    `SELECT ${listed} ${joinedWith(`${chosen} AS vals`)} AND version = ${newestVersion} ORDER BY ${order}`,
    after ? [owner.id, after[1], after[1], after[2], limit + 1] : [owner.id, limit + 1, offset],
  );
  const vals = rows.slice(0, limit).map(withAuthor);
  const last = vals.at(-1);
  if (last && rows.length > limit) return { vals, next: [pass, last.updatedAt, last.name, begun] };
  if (!after || pass === 'changed') return { vals, next: undefined };
  const [changed] = await all(
    `SELECT id FROM vals WHERE owner_id = ? ${shown} AND updated_at >= ? ORDER BY updated_at LIMIT 1`,
    [owner.id, begun],
  );
  return { vals, next: changed ? ['changed', begun, behindEveryName, begun] : undefined };
}

export interface VersionRange {
  limit: number;
  offset?: number;
  after?: VersionPosition;
}

export type VersionPosition = readonly [version: number];

export const versionPositions = positionsOf<VersionPosition>(
  'versions',
  ([version, ...rest]) =>
    Number.isSafeInteger(version) && Number(version) <= highestVersion && rest.length === 0,
);

/** Newest first. */
export async function listVersions(
  all: All,
  caller: Caller,
  id: string,
  { limit, offset = 0, after }: VersionRange,
): Promise<{ versions: Version[]; more: boolean }> {
  await visibleVal(all, caller, id);
  const rows = await all<Omit<Version, 'versionAuthor'> & AuthorRow>(
    `SELECT version, created_at AS "createdAt", ${authorColumns} FROM versions
      WHERE val_id = ? ${after ? 'AND version < ?' : ''}
      ORDER BY version DESC LIMIT ? ${after ? '' : 'OFFSET ?'}`,
    after ? [id, ...after, limit + 1] : [id, limit + 1, offset],
  );
  return { versions: rows.slice(0, limit).map(withVersionAuthor), more: rows.length > limit };
}
