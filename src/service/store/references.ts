import type { Database, Tx } from '../database/database.ts';
import { allOf, raw, type Sql, sql, sqlList } from '../database/sql.ts';
import { importedIds } from '../scan-code.ts';
import { type Access, mayFind } from './access.ts';
import { pageInSteps } from './in-steps.ts';
import type { ListPart, Range, TimePosition } from './positions.ts';

// A row of `imports` says that the current code of a val imports another one. A row may outlive the imported val, so
// whoever reads it joins that val.

/** The ids that `saveImports` has stored for a val, separated by commas. */
export const storedImports = raw(
  "(SELECT string_agg(imported_id, ',') FROM imports WHERE imports.val_id = vals.id) AS imports",
);

/** Stores what the new code of a val imports. Most versions import what the version before them did. */
export async function saveImports(
  tx: Tx,
  { id, imports }: { id: string; imports: string | null },
  code: string,
  origin: string | undefined,
): Promise<void> {
  const before = imports?.split(',') ?? [];
  const after = importedIds(code, origin).filter((imported) => imported !== id);
  const [had, has] = [new Set(before), new Set(after)];
  const removed = before.filter((imported) => !has.has(imported));
  const added = after.filter((imported) => !had.has(imported));
  if (removed.length > 0) {
    await tx.query(sql`DELETE FROM imports WHERE val_id = ${id} AND imported_id IN ${sqlList(removed)}`);
  }
  if (added.length === 0) return;
  await tx.query(sql`
    INSERT INTO imports (val_id, imported_id, imported_owner_id, at)
      SELECT ${id}, id, owner_id, ${Date.now()} FROM vals WHERE id IN ${sqlList(added)}
      ON CONFLICT (val_id, imported_id) DO NOTHING`);
}

export interface Reference {
  at: number;
  position: number;
  /** The val that imports. */
  id: string;
  name: string;
  ownerId: string;
  username: string;
  importedId: string;
  importedName: string;
  /** Null if the caller may not find the val that imports, or the imported one was deleted. */
  isWanted: number | null;
}

/** What imports the vals of the caller, newest import first. Vals that the caller may not find are left out. */
export async function findReferences(
  db: Database,
  access: Access,
  {
    since,
    until,
    ...range
  }: Range<TimePosition> & { since?: string | undefined; until?: string | undefined },
): Promise<ListPart<Reference, TimePosition>> {
  const conditions: Sql[] = [
    sql`imported_owner_id = ${access.owner.id}`,
    ...(since === undefined ? [] : [sql`at > ${Date.parse(since)}`]),
    ...(until === undefined ? [] : [sql`at <= ${Date.parse(until)}`]),
  ];
  const { found, more } = await pageInSteps<Reference>(db, range, (last, most) => {
    const [at, position] = last ? [last.at, last.position] : (range.after ?? []);
    const isAfter = at === undefined ? [] : [sql`(at, imports.position) < (${at}, ${position ?? null})`];
    return db.query(sql`
      SELECT at, imports.position, vals.id, name, owner_id AS "ownerId", username, imported_id AS "importedId",
        imported_name AS "importedName", CASE WHEN found_id IS NOT NULL AND ${mayFind(access)} THEN 1 END AS "isWanted"
        FROM imports JOIN vals ON vals.id = val_id JOIN users ON users.id = owner_id
        LEFT JOIN (SELECT id AS found_id, name AS imported_name FROM vals) AS imported ON found_id = imported_id
        WHERE ${allOf([...conditions, ...isAfter])} ORDER BY at DESC, imports.position DESC LIMIT ${raw(most)}`);
  });
  return { items: found.map((item) => ({ item, position: [item.at, item.position] as const })), more };
}
