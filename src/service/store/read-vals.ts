import type { All, Value } from '../database/database.ts';
import { Problem } from '../problem.ts';
import { checkOffset, isTimeNameOrId, positionsOf } from './positions.ts';
import type { RecordKind } from './records.ts';
import type { Principal } from './spaces.ts';
import { idPattern, type User } from './users.ts';

export type Privacy = 'public' | 'unlisted' | 'private';

export interface ValContent {
  name: string;
  code: string;
  readme: string | null;
  privacy: Privacy;
  type: string;
}

export interface Val extends ValContent {
  id: string;
  version: number;
  createdAt: string;
  versionCreatedAt: string;
  updatedAt: string;
  likeCount: number;
  referenceCount: number;
  author: User;
  versionAuthor: User | null;
}

export type ListedVal = Omit<Val, 'code' | 'readme'>;

export type ValFacts = Pick<Val, 'id' | 'name' | 'readme' | 'privacy' | 'type' | 'author'>;

export type ValChange = Pick<ValContent, 'code'> & Partial<ValContent>;

interface AuthorRow {
  authorId: string | null;
  authorName: string | null;
}

type ListedRow = Omit<ListedVal, 'author' | 'versionAuthor'> & {
  ownerId: string;
  username: string;
} & AuthorRow;
type ValRow = ListedRow & { code: ArrayBuffer; readme: ArrayBuffer | null };
type FactsRow = Omit<ValFacts, 'author' | 'readme'> & {
  ownerId: string;
  username: string;
  readme: ArrayBuffer | null;
};

export interface ListedVersion {
  version: number;
  createdAt: string;
  versionAuthor: User | null;
}

const largestPostgresInteger = 2 ** 31 - 1;

export type Caller = Principal | undefined;

const count = (kind: RecordKind) =>
  `(SELECT count(*) FROM records WHERE kind = '${kind}' AND records.val_id = vals.id)`;

const newestVersion = '(SELECT max(version) FROM versions WHERE val_id = vals.id)';

const authorColumns = 'author_id AS "authorId", author_name AS "authorName"';

const listed = `vals.id, name, privacy, type, vals.created_at AS "createdAt", version,
  versions.created_at AS "versionCreatedAt",
  CASE version WHEN ${newestVersion} THEN updated_at ELSE versions.created_at END AS "updatedAt",
  ${count('likes')} AS "likeCount", ${count('references')} AS "referenceCount", owner_id AS "ownerId", username,
  ${authorColumns}`;

const joinedWith = (vals: string) =>
  `FROM ${vals} JOIN users ON users.id = owner_id JOIN versions ON val_id = vals.id`;

/** With ORDER BY and LIMIT 1 instead of `newestVersion`, PostgreSQL would sort all versions of the val. */
export const findVal = (all: All, condition: string, ...values: Value[]): Promise<Val | undefined> =>
  findVersion(all, `${condition} AND version = ${newestVersion}`, ...values);

async function findVersion(all: All, condition: string, ...values: Value[]): Promise<Val | undefined> {
  const [row] = await all<ValRow>(
    `SELECT ${listed}, readme, code ${joinedWith('vals')} WHERE ${condition}`,
    values,
  );
  return row && { ...withAuthor(row), code: text(row.code), readme: row.readme && text(row.readme) };
}

export async function findListedVal(all: All, id: string): Promise<ListedVal | undefined> {
  const [row] = await all<ListedRow>(
    `SELECT ${listed} ${joinedWith('vals')} WHERE vals.id = ? ORDER BY version DESC LIMIT 1`,
    [id],
  );
  return row && withAuthor(row);
}

function withAuthor<Row extends ListedRow>({ ownerId: id, username, ...val }: Row) {
  return { ...withVersionAuthor(val), author: { id, username } };
}

function withVersionAuthor<Row extends AuthorRow>({ authorId: id, authorName: username, ...version }: Row) {
  return { ...version, versionAuthor: id !== null && username !== null ? { id, username } : null };
}

async function findFacts(all: All, condition: string, ...values: Value[]): Promise<ValFacts | undefined> {
  const [row] = await all<FactsRow>(
    `SELECT vals.id, name, readme, privacy, type, owner_id AS "ownerId", username
      FROM vals JOIN users ON users.id = owner_id WHERE ${condition}`,
    values,
  );
  if (!row) return undefined;
  const { ownerId: id, username, readme, ...facts } = row;
  return { ...facts, readme: readme && text(readme), author: { id, username } };
}

export async function valWithId(all: All, id: string): Promise<Val> {
  const val = idPattern.test(id) ? await findVal(all, 'vals.id = ?', id) : undefined;
  if (!val) throw noVal(id);
  return val;
}

/**
 * Hides private vals of other owners. SQL does the check, because otherwise the answer for a missing val
 * would be measurably faster than the answer for a hidden val.
 */
const isVisible = "(privacy <> 'private' OR owner_id = ?)";

export async function visibleVal(all: All, caller: Caller, id: string): Promise<Val> {
  const val = idPattern.test(id)
    ? await findVal(all, `vals.id = ? AND ${isVisible}`, id, caller?.id ?? '')
    : undefined;
  if (!val) throw noVal(id);
  return val;
}

/** Reads no code, so that a small request cannot make the service read 768,000 bytes. */
async function visibleFacts(all: All, caller: Caller, id: string): Promise<ValFacts> {
  const facts = idPattern.test(id)
    ? await findFacts(all, `vals.id = ? AND ${isVisible}`, id, caller?.id ?? '')
    : undefined;
  if (!facts) throw noVal(id);
  return facts;
}

export async function ownFacts(all: All, caller: Principal, id: string): Promise<ValFacts> {
  const facts = await visibleFacts(all, caller, id);
  if (facts.author.id === caller.id) return facts;
  const { username } = facts.author;
  throw new Problem(
    403,
    `The val ${id} belongs to ${username}. Only ${username} may change or delete the val, and read or store its runs.`,
  );
}

export async function visibleVersion(all: All, caller: Caller, id: string, number: number): Promise<Val> {
  await visibleFacts(all, caller, id);
  const found = isStorable(number)
    ? await findVersion(all, 'vals.id = ? AND version = ?', id, number)
    : undefined;
  if (!found) throw noVersion(id, number);
  // The version may have made the val private after `visibleFacts` read the privacy.
  if (found.privacy === 'private' && found.author.id !== caller?.id) throw noVal(id);
  return found;
}

export async function checkVersion(all: All, id: string, number: number): Promise<void> {
  const [found] = isStorable(number)
    ? await all('SELECT version FROM versions WHERE val_id = ? AND version = ?', [id, number])
    : [];
  if (!found) throw noVersion(id, number);
}

const isStorable = (version: number): boolean => version <= largestPostgresInteger;

const noVersion = (id: string, number: number): Problem =>
  new Problem(404, `The val ${id} has no version ${number}.`);

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
 * A val that changes moves to the first page, so a client on a later page would miss it. The list therefore has two
 * passes: all vals, then the vals that changed meanwhile.
 */
export type ValPosition = readonly [
  pass: 'all' | 'changed',
  updatedAt: string,
  name: string,
  begunAt: string,
];

export const valPositions = positionsOf<ValPosition>(
  'vals',
  (parts): parts is ValPosition =>
    parts.length === 4 && (parts[0] === 'all' || parts[0] === 'changed') && parts.every(isTimeNameOrId),
);

const passes = {
  all: {
    order: 'updated_at DESC, name',
    // The first condition is redundant, but the database needs it to use its index.
    after: 'updated_at <= ? AND (updated_at < ? OR name > ?)',
  },
  changed: {
    order: 'updated_at, name DESC',
    after: 'updated_at >= ? AND (updated_at > ? OR name < ?)',
  },
};

const afterEveryName = '~';

export async function listVals(
  all: All,
  caller: Caller,
  owner: User,
  { limit, offset = 0, after }: ValRange,
): Promise<{ vals: ListedVal[]; next: ValPosition | undefined }> {
  const [pass, , , begunAt] = after ?? (['all', '', '', new Date().toISOString()] as const);
  const { order, after: afterPosition } = passes[pass];
  const onlyVisible = caller?.id === owner.id ? '' : "AND privacy = 'public'";
  // Without the subquery, the database would join all vals before the LIMIT.
  const chosen = `(SELECT * FROM vals WHERE owner_id = ? ${onlyVisible} ${after ? `AND ${afterPosition}` : ''}
    ORDER BY ${order} LIMIT ? ${after ? '' : 'OFFSET ?'})`;
  const rows = await all<ListedRow>(
    `SELECT ${listed} ${joinedWith(`${chosen} AS vals`)} AND version = ${newestVersion} ORDER BY ${order}`,
    after ? [owner.id, after[1], after[1], after[2], limit + 1] : [owner.id, limit + 1, offset],
  );
  const vals = rows.slice(0, limit).map(withAuthor);
  const last = vals.at(-1);
  if (last && rows.length > limit) return { vals, next: [pass, last.updatedAt, last.name, begunAt] };
  if (!after || pass === 'changed') return { vals, next: undefined };
  const [changed] = await all(
    `SELECT id FROM vals WHERE owner_id = ? ${onlyVisible} AND updated_at >= ? ORDER BY updated_at LIMIT 1`,
    [owner.id, begunAt],
  );
  return { vals, next: changed ? ['changed', begunAt, afterEveryName, begunAt] : undefined };
}

export interface VersionRange {
  limit: number;
  offset?: number;
  after?: VersionPosition;
}

export type VersionPosition = readonly [version: number];

export const versionPositions = positionsOf<VersionPosition>(
  'versions',
  (parts): parts is VersionPosition =>
    parts.length === 1 &&
    Number.isSafeInteger(parts[0]) &&
    Math.abs(Number(parts[0])) <= largestPostgresInteger,
);

export async function listVersions(
  all: All,
  caller: Caller,
  id: string,
  { limit, offset = 0, after }: VersionRange,
): Promise<{ versions: ListedVersion[]; more: boolean }> {
  await visibleFacts(all, caller, id);
  await checkOffset(offset, (from) =>
    all('SELECT version FROM versions WHERE val_id = ? ORDER BY version DESC LIMIT 1 OFFSET ?', [id, from]),
  );
  const rows = await all<Omit<ListedVersion, 'versionAuthor'> & AuthorRow>(
    `SELECT version, created_at AS "createdAt", ${authorColumns} FROM versions
      WHERE val_id = ? ${after ? 'AND version < ?' : ''}
      ORDER BY version DESC LIMIT ? ${after ? '' : 'OFFSET ?'}`,
    after ? [id, ...after, limit + 1] : [id, limit + 1, offset],
  );
  return { versions: rows.slice(0, limit).map(withVersionAuthor), more: rows.length > limit };
}
