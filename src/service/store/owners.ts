import { randomUUID } from 'node:crypto';
import type { Database, Reader, Tx } from '../database/database.ts';
import { emptySql, raw, type Sql, sql } from '../database/sql.ts';
import { type Access, idPattern, isReached, type User } from './access.ts';
import { removeSomeRuns, removeValRow } from './in-steps.ts';
import { now } from './timestamps.ts';
import { endTokens } from './tokens.ts';

// People and spaces are in one table, because both own vals, and a name belongs to one of them.

type OwnerKind = 'person' | 'space';

export interface ListedOwner extends User {
  createdAt: string;
  vals: number;
}

const listed = (kind: OwnerKind, condition: Sql): Sql => sql`
  SELECT users.id, username, created_at AS "createdAt",
    (SELECT count(*) FROM vals WHERE owner_id = users.id) AS vals
    FROM users WHERE kind = ${kind} ${condition} ORDER BY username`;

export const listOwners = (db: Reader, kind: OwnerKind): Promise<ListedOwner[]> =>
  db.query(listed(kind, emptySql));

export async function ownerNamed(
  db: Reader,
  username: string,
  kind: OwnerKind,
): Promise<ListedOwner | undefined> {
  if (!idPattern.test(username)) return undefined;
  const [owner] = await db.query<ListedOwner>(listed(kind, sql`AND username = ${username}`));
  return owner;
}

export async function valNamesOf(db: Reader, ownerId: string): Promise<string[]> {
  const vals = await db.query<{ name: string }>(
    sql`SELECT name FROM vals WHERE owner_id = ${ownerId} ORDER BY name`,
  );
  return vals.map(({ name }) => name);
}

/** A person, or a space that the token reaches or that has public vals. Nobody else learns that the space is there. */
export async function visibleOwner(
  db: Reader,
  access: Access,
  column: 'id' | 'username',
  value: string,
): Promise<User | undefined> {
  if (!idPattern.test(value)) return undefined;
  // See `isOfOwner` in lists.ts for `owner_id >= ?`.
  const publicVal = sql`SELECT id FROM vals WHERE privacy = 'public' AND owner_id >= users.id
    AND (owner_id, position) < (users.id, ${Number.MAX_SAFE_INTEGER}) ORDER BY owner_id DESC, position DESC LIMIT 1`;
  const [user] = await db.query<User>(sql`
    SELECT id, username FROM users WHERE ${raw(column)} = ${value}
      AND (kind = 'person' OR ${isReached('id', access)} OR (${publicVal}) IS NOT NULL)`);
  return user;
}

/** Undefined if the name is taken. */
export async function insertOwner(tx: Tx, username: string, kind: OwnerKind): Promise<User | undefined> {
  const [user] = await tx.query<User>(sql`
    INSERT INTO users (id, username, kind, created_at) VALUES (${randomUUID()}, ${username}, ${kind}, ${now()})
      ON CONFLICT (username) DO NOTHING RETURNING id, username`);
  return user;
}

/** Deletes each val in a transaction of its own, so that a running service does not wait for all of them. */
export async function removeOwner(
  database: Database,
  username: string,
  kind: OwnerKind,
  { withVals }: { withVals: boolean },
): Promise<'removed' | 'absent' | 'has vals'> {
  const owner = await database.transaction(async (tx) => {
    const found = await ownerNamed(tx, username, kind);
    // Access ends first, because members who keep adding vals to a space would keep the removal from its end.
    if (found && withVals) await endAccess(tx, found);
    return found;
  });
  if (!owner) return 'absent';

  for (;;) {
    const vals = await database.query<{ id: string }>(
      sql`SELECT id FROM vals WHERE owner_id = ${owner.id} ORDER BY name LIMIT 100`,
    );
    if (vals.length > 0 && !withVals) return 'has vals';
    for (const { id } of vals) {
      await database.transaction(async (tx) => {
        await tx.query(sql`SELECT id FROM vals WHERE id = ${id} ${tx.forUpdate}`);
        await removeValRow(tx, id);
      });
    }
    if (vals.length > 0) continue;
    await deleteRuns(database, owner);
    if (await database.transaction((tx) => removeIfWithoutVals(tx, owner))) return 'removed';
  }
}

/** Of a person by tokens, and of the members of a space. */
async function endAccess(tx: Tx, owner: User): Promise<void> {
  await endTokens(tx, owner);
  await tx.query(sql`DELETE FROM members WHERE space_id = ${owner.id}`);
}

/** In steps, so that the removal of the owner itself is quick. */
async function deleteRuns(database: Database, { id }: User): Promise<void> {
  for (let isEnd = false; !isEnd; ) {
    ({ isEnd } = await database.transaction((tx) => removeSomeRuns(tx, raw('owner_id'), id)));
  }
}

async function removeIfWithoutVals(tx: Tx, { id }: User): Promise<boolean> {
  await tx.query(sql`SELECT id FROM users WHERE id = ${id} ${tx.forUpdate}`);
  const [val] = await tx.query(sql`SELECT id FROM vals WHERE owner_id = ${id} ORDER BY name LIMIT 1`);
  if (!val) await tx.query(sql`DELETE FROM users WHERE id = ${id}`);
  return !val;
}
