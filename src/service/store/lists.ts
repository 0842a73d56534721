import type { Database, Reader } from '../database/database.ts';
import { emptySql, raw, type Sql, sql } from '../database/sql.ts';
import { mostOnPage } from '../limits.ts';
import { type Access, mayFind, type User } from './access.ts';
import { pageInSteps, positionsOfRows } from './in-steps.ts';
import type { ChangePosition, ListPart, NumberPosition, Range } from './positions.ts';
import { isCurrent, joinedWith, type ListedRow, type ListedVal, listedColumns, withAuthor } from './vals.ts';

export type ValPage<Position = NumberPosition> = ListPart<ListedVal, Position>;

type ValRow = ListedRow & { position: number };

/** What of the vals, in which order, and where a page of them ends. */
interface ValSelection<Position> {
  condition: Sql;
  order: Sql;
  positionOf(val: ValRow): Position;
}

const positionOf = ({ position }: ValRow) => [position] as const;

/**
 * With `owner_id = ?`, PostgreSQL may read the vals of all owners in the order of their positions, until it has found enough
 * vals of this owner.
 */
const isOfOwner = ({ id }: User, from: number): Sql =>
  sql`owner_id >= ${id} AND (owner_id, position) < (${id}, ${from})`;

const startOf = ({ after }: Range<NumberPosition>): number => after?.[0] ?? Number.MAX_SAFE_INTEGER;

/**
 * The vals of an owner. Other people see the public ones. The position of a val never changes, so writes during the
 * reading of the list do not disturb it.
 */
export function listVals(
  db: Reader,
  access: Access,
  owner: User,
  range: Range<NumberPosition>,
): Promise<ValPage> {
  const onlyPublic = access.owner.id === owner.id ? emptySql : raw("privacy = 'public' AND ");
  return pageOfVals(
    db,
    {
      condition: sql`${onlyPublic}${isOfOwner(owner, startOf(range))}`,
      order: raw('owner_id DESC, position DESC'),
      positionOf,
    },
    range,
  );
}

/** Sorts behind every timestamp. */
const afterAllTimes = 'a';

/** All vals of an owner, newest change first. */
export function changedVals(
  db: Reader,
  { id }: User,
  range: Range<ChangePosition>,
): Promise<ValPage<ChangePosition>> {
  const [updatedAt, position] = range.after ?? [afterAllTimes, Number.MAX_SAFE_INTEGER];
  // See `isOfOwner` for `owner_id >= ?`.
  const isAfter = sql`(owner_id, updated_at, position) < (${id}, ${updatedAt}, ${position})`;
  return pageOfVals(
    db,
    {
      condition: sql`owner_id >= ${id} AND ${isAfter}`,
      order: raw('owner_id DESC, updated_at DESC, position DESC'),
      positionOf: (val) => [val.updatedAt, val.position] as const,
    },
    range,
  );
}

/** Finds vals whose name or current code contains the text. Names are compared without regard to case. */
export async function valsWithText(
  db: Database,
  access: Access,
  text: string,
  range: Range<NumberPosition>,
): Promise<ValPage> {
  const isWanted = sql`CASE WHEN ${mayFind(access)} AND ${containsText(db, text)} THEN 1 END AS "isWanted"`;
  const { found, more } = await pageInSteps<{ position: number; isWanted: number | null }>(
    db,
    range,
    (last, most) =>
      db.query(sql`
        SELECT position, ${isWanted} FROM vals WHERE position < ${last?.position ?? startOf(range)}
          ORDER BY position DESC LIMIT ${raw(most)}`),
  );
  if (found.length === 0) return { items: [], more };
  const condition = sql`position IN ${positionsOfRows(found, mostOnPage)}`;
  const { items } = await pageOfVals(
    db,
    { condition, order: raw('position DESC'), positionOf },
    { limit: mostOnPage },
  );
  return { items, more };
}

function containsText(db: Reader, text: string): Sql {
  // PostgreSQL refuses a NUL character in a text, and no name contains a space.
  const escaped = text
    .toLowerCase()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&');
  const isNamedSo = sql`lower(name) LIKE ${`%${escaped}%`} ESCAPE '\\'`;
  const hasText = sql`(SELECT CASE WHEN ${db.codeContains(Buffer.from(text))} THEN 1 ELSE 0 END FROM versions
    WHERE val_id = vals.id AND versions.version = vals.version) = 1`;
  return sql`(${isNamedSo} OR ${hasText})`;
}

/** Reads one val more than asked for, to know whether there is a next page. */
async function pageOfVals<Position>(
  db: Reader,
  { condition, order, positionOf }: ValSelection<Position>,
  { limit, offset = 0, after }: Range<Position>,
): Promise<ValPage<Position>> {
  const skipped = after ? emptySql : sql`OFFSET ${offset}`;
  // Without the subquery, the database would join all vals before the LIMIT. The LIMIT is no parameter, because PostgreSQL
  // would plan for a large one.
  const chosen = sql`(SELECT * FROM vals WHERE ${condition} ORDER BY ${order} LIMIT ${raw(limit + 1)} ${skipped}) AS vals`;
  const rows = await db.query<ValRow>(sql`
    SELECT vals.position, ${listedColumns} ${joinedWith(chosen)} AND ${isCurrent} ORDER BY ${order}`);
  const items = rows.slice(0, limit).map((row) => ({ item: withAuthor(row), position: positionOf(row) }));
  return { items, more: rows.length > limit };
}
