import type { All, Value } from '../database/database.ts';
import type { RecordKind } from './activity.ts';
import { Refusal } from './refusal.ts';
import type { Principal } from './spaces.ts';
import { idPattern, type User } from './users.ts';

export const privacies = ['public', 'unlisted', 'private'] as const;

type Privacy = (typeof privacies)[number];

export const valTypes = ['script', 'http', 'httpnext', 'email', 'interval', 'express', 'rpc'] as const;

type ValType = (typeof valTypes)[number];

export interface ValContent {
  name: string;
  code: string;
  readme: string | null;
  privacy: Privacy;
  type: ValType;
}

export interface Val extends ValContent {
  id: string;
  version: number;
  createdAt: string;
  versionCreatedAt: string;
  updatedAt: string;
  /** Grows with each change of the val. */
  revision: number;
  likeCount: number;
  referenceCount: number;
  author: User;
  versionAuthor: User | null;
}

export type ListedVal = Omit<Val, 'code' | 'readme'>;

export type ValProperties = Pick<Val, 'id' | 'name' | 'readme' | 'privacy' | 'type' | 'revision' | 'author'>;

export type ValChange = Pick<ValContent, 'code'> & Partial<ValContent>;

interface AuthorRow {
  authorId: string | null;
  authorName: string | null;
}

interface OwnerRow {
  ownerId: string;
  username: string;
}

type ListedRow = Omit<ListedVal, 'author' | 'versionAuthor'> & OwnerRow & AuthorRow;
type ValRow = ListedRow & { code: ArrayBuffer; readme: ArrayBuffer | null };
type PropertiesRow = Omit<ValProperties, 'author' | 'readme'> & OwnerRow & { readme: ArrayBuffer | null };

export interface ListedVersion {
  version: number;
  createdAt: string;
  versionAuthor: User | null;
}

const largestPostgresInteger = 2 ** 31 - 1;

export type Caller = Principal | undefined;

const count = (kind: RecordKind) =>
  `(SELECT count(*) FROM records WHERE kind = '${kind}' AND records.val_id = vals.id)`;

const authorColumns = 'author_id AS "authorId", author_name AS "authorName"';

const ownerColumns = 'owner_id AS "ownerId", username';

const listed = `vals.id, name, privacy, type, vals.created_at AS "createdAt", versions.version, revision,
  versions.created_at AS "versionCreatedAt",
  CASE versions.version WHEN vals.version THEN updated_at ELSE versions.created_at END AS "updatedAt",
  ${count('likes')} AS "likeCount", ${count('references')} AS "referenceCount", ${ownerColumns}, ${authorColumns}`;

const joinedWith = (vals: string) =>
  `FROM ${vals} JOIN users ON users.id = owner_id JOIN versions ON val_id = vals.id`;

const isCurrent = 'versions.version = vals.version';

export const findVal = (all: All, condition: string, ...values: Value[]): Promise<Val | undefined> =>
  findVersion(all, `${condition} AND ${isCurrent}`, ...values);

async function findVersion(all: All, condition: string, ...values: Value[]): Promise<Val | undefined> {
  const [row] = await all<ValRow>(
    `SELECT ${listed}, readme, code ${joinedWith('vals')} WHERE ${condition}`,
    values,
  );
  return row && { ...withAuthor(row), code: text(row.code), readme: row.readme && text(row.readme) };
}

export async function findListedVal(all: All, id: string): Promise<ListedVal | undefined> {
  const [row] = await all<ListedRow>(
    `SELECT ${listed} ${joinedWith('vals')} WHERE vals.id = ? AND ${isCurrent}`,
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

export async function valWithId(all: All, id: string): Promise<Val> {
  const val = idPattern.test(id) ? await findVal(all, 'vals.id = ?', id) : undefined;
  if (!val) throw noVal(id);
  return val;
}

/**
 * Hides private vals of other owners. SQL does the check, because otherwise the reply for a missing val
 * would be measurably faster than the reply for a hidden val.
 */
const isVisible = "(privacy <> 'private' OR owner_id = ?)";

export async function visibleVal(all: All, caller: Caller, id: string): Promise<Val> {
  const val = idPattern.test(id)
    ? await findVal(all, `vals.id = ? AND ${isVisible}`, id, caller?.id ?? '')
    : undefined;
  if (!val) throw noVal(id);
  return val;
}

async function visibleProperties(all: All, caller: Caller, id: string): Promise<ValProperties> {
  const [row] = idPattern.test(id)
    ? await all<PropertiesRow>(
        `SELECT vals.id, name, readme, privacy, type, revision, ${ownerColumns}
          FROM vals JOIN users ON users.id = owner_id WHERE vals.id = ? AND ${isVisible}`,
        [id, caller?.id ?? ''],
      )
    : [];
  if (!row) throw noVal(id);
  const { ownerId, username, readme, ...others } = row;
  return { ...others, readme: readme && text(readme), author: { id: ownerId, username } };
}

export async function ownProperties(all: All, caller: Principal, id: string): Promise<ValProperties> {
  const val = await visibleProperties(all, caller, id);
  if (val.author.id === caller.id) return val;
  const { username } = val.author;
  throw new Refusal(
    'not allowed',
    `The val ${id} belongs to ${username}. Only ${username} may change or delete the val, and read or store its runs.`,
  );
}

export async function visibleVersion(all: All, caller: Caller, id: string, number: number): Promise<Val> {
  await visibleProperties(all, caller, id);
  const found = isStorable(number)
    ? await findVersion(
        all,
        `vals.id = ? AND versions.version = ? AND ${isVisible}`,
        id,
        number,
        caller?.id ?? '',
      )
    : undefined;
  if (!found) throw noVersion(id, number);
  return found;
}

export async function checkVersion(all: All, id: string, number: number): Promise<void> {
  const [found] = isStorable(number)
    ? await all('SELECT version FROM versions WHERE val_id = ? AND version = ?', [id, number])
    : [];
  if (!found) throw noVersion(id, number);
}

const isStorable = (version: number): boolean => version <= largestPostgresInteger;

const noVersion = (id: string, number: number): Refusal =>
  new Refusal('not found', `The val ${id} has no version ${number}.`);

export const noVal = (id: string): Refusal => new Refusal('not found', `There is no val with the id ${id}.`);

function text(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString();
}

export interface ListRange {
  limit: number;
  offset?: number;
  /** The position of the last val or version of the previous page. */
  after?: readonly [number];
}

interface Page<Item> {
  items: Item[];
  next: readonly [number] | undefined;
}

/** `condition` ends with a comparison of the position, whose value is the last one. */
interface ValSelection {
  condition: string;
  order: string;
  values: Value[];
}

/**
 * With `owner_id = ?`, PostgreSQL may read the vals of all owners in the order of their positions, until it has found enough
 * vals of this owner.
 */
export const valsOf = (owner: User, onlyPublic: boolean): ValSelection => ({
  condition: `${onlyPublic ? "privacy = 'public' AND " : ''}owner_id >= ? AND (owner_id, position) < (?, ?)`,
  order: 'owner_id DESC, position DESC',
  values: [owner.id, owner.id],
});

/** Newest first. The position of a val never changes, so writes during the reading of a list do not disturb it. */
export async function listVals(
  all: All,
  { condition, order, values }: ValSelection,
  { limit, offset = 0, after }: ListRange,
): Promise<Page<ListedVal>> {
  const [before] = after ?? [Number.MAX_SAFE_INTEGER];
  // Without the subquery, the database would join all vals before the LIMIT. The LIMIT is no parameter, because PostgreSQL
  // would plan for a large one.
  const chosen = `(SELECT * FROM vals WHERE ${condition} ORDER BY ${order} LIMIT ${limit + 1} ${after ? '' : 'OFFSET ?'})`;
  const rows = await all<ListedRow & { position: number }>(
    `SELECT vals.position, ${listed} ${joinedWith(`${chosen} AS vals`)} AND ${isCurrent} ORDER BY vals.position DESC`,
    [...values, before, ...(after ? [] : [offset])],
  );
  const last = rows[limit - 1];
  return {
    items: rows.slice(0, limit).map(({ position: _, ...row }) => withAuthor(row)),
    next: last && rows.length > limit ? [last.position] : undefined,
  };
}

export async function listVersions(
  all: All,
  caller: Caller,
  id: string,
  { limit, offset = 0, after }: ListRange,
): Promise<Page<ListedVersion>> {
  await visibleProperties(all, caller, id);
  const rows = await all<Omit<ListedVersion, 'versionAuthor'> & AuthorRow>(
    `SELECT version, created_at AS "createdAt", ${authorColumns} FROM versions
      WHERE val_id = ? ${after ? 'AND version < ?' : ''}
      ORDER BY version DESC LIMIT ? ${after ? '' : 'OFFSET ?'}`,
    after ? [id, Math.min(after[0], largestPostgresInteger), limit + 1] : [id, limit + 1, offset],
  );
  const last = rows[limit - 1];
  return {
    items: rows.slice(0, limit).map(withVersionAuthor),
    next: last && rows.length > limit ? [last.version] : undefined,
  };
}
