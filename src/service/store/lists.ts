import type { Reader, Value } from '../database/database.ts';
import type { Caller, User } from './caller.ts';
import {
  isCurrent,
  joinedWith,
  type ListedRow,
  type ListedVal,
  listedColumns,
  withAuthor,
} from './val-rows.ts';

export interface ListRange {
  limit: number;
  offset?: number;
  /** The position of the last val or version of the previous page. */
  after?: readonly [number];
}

export interface ListPage<Item> {
  items: Item[];
  next: readonly [number] | undefined;
}

export interface SearchRange extends ListRange {
  onlyOwn: boolean;
}

/** `condition` ends with a comparison of the position, whose value is the last one. */
interface ValSelection {
  condition: string;
  order: string;
  values: Value[];
}

/** The vals of an owner. Other people see the public ones. */
export function listVals(
  db: Reader,
  caller: Caller | undefined,
  owner: User,
  range: ListRange,
): Promise<ListPage<ListedVal>> {
  const onlyPublic = caller?.owner.id === owner.id ? '' : "privacy = 'public' AND ";
  // With `owner_id = ?`, PostgreSQL may read the vals of all owners in the order of their positions, until it has found
  // enough vals of this owner.
  return pageOfVals(
    db,
    {
      condition: `${onlyPublic}owner_id >= ? AND (owner_id, position) < (?, ?)`,
      order: 'owner_id DESC, position DESC',
      values: [owner.id, owner.id],
    },
    range,
  );
}

/** Finds vals whose name or current code contains the text. Names are compared without regard to case. */
export function valsWithText(
  db: Reader,
  { owner }: Caller,
  text: string,
  { onlyOwn, ...range }: SearchRange,
): Promise<ListPage<ListedVal>> {
  const isSeen = onlyOwn ? 'owner_id = ?' : "(owner_id = ? OR privacy = 'public')";
  const hasText = `(SELECT CASE WHEN ${db.codeContains} THEN 1 ELSE 0 END FROM versions
    WHERE val_id = vals.id AND versions.version = vals.version) = 1`;
  // PostgreSQL refuses a NUL character in a text, and no name contains a space.
  const escaped = text
    .toLowerCase()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&');
  return pageOfVals(
    db,
    {
      condition: `${isSeen} AND (lower(name) LIKE ? ESCAPE '\\' OR ${hasText}) AND position < ?`,
      order: 'position DESC',
      values: [owner.id, `%${escaped}%`, Buffer.from(text)],
    },
    range,
  );
}

/** Newest first. The position of a val never changes, so writes during the reading of a list do not disturb it. */
async function pageOfVals(
  db: Reader,
  { condition, order, values }: ValSelection,
  { limit, offset = 0, after }: ListRange,
): Promise<ListPage<ListedVal>> {
  const [before] = after ?? [Number.MAX_SAFE_INTEGER];
  // Without the subquery, the database would join all vals before the LIMIT. The LIMIT is no parameter, because PostgreSQL
  // would plan for a large one.
  const chosen = `(SELECT * FROM vals WHERE ${condition} ORDER BY ${order} LIMIT ${limit + 1} ${after ? '' : 'OFFSET ?'})`;
  const rows = await db.query<ListedRow & { position: number }>(
    `SELECT vals.position, ${listedColumns} ${joinedWith(`${chosen} AS vals`)} AND ${isCurrent} ORDER BY vals.position DESC`,
    [...values, before, ...(after ? [] : [offset])],
  );
  const last = rows[limit - 1];
  return {
    items: rows.slice(0, limit).map(({ position: _, ...row }) => withAuthor(row)),
    next: last && rows.length > limit ? [last.position] : undefined,
  };
}
