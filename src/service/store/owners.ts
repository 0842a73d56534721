import type { Database, Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { User } from './caller.ts';
import { deleteSomeRecords } from './clean-up.ts';
import { removeVal } from './remove-val.ts';

export type OwnerKind = 'person' | 'space';

/** People and spaces are in one table, because both own vals, and a name belongs to one of them. */
export async function ownerNamed(db: Reader, username: string, kind: OwnerKind): Promise<User | undefined> {
  const [user] = await db.query<User>('SELECT id, username FROM users WHERE username = ? AND kind = ?', [
    username,
    kind,
  ]);
  return user;
}

interface Removal<Refused> {
  find(tx: Tx): Promise<User | Refused>;
  endAccess(tx: Tx, owner: User): Promise<unknown>;
}

/** Deletes each val in a transaction of its own, so that a running service does not wait for all of them. */
export async function removeOwner<Refused extends string>(
  database: Database,
  { find, endAccess }: Removal<Refused>,
  { withVals }: { withVals: boolean },
): Promise<'removed' | 'has vals' | Refused> {
  // Access ends first, because members who keep adding vals to a space would keep the removal from its end.
  const owner = await database.transaction({}, async (tx) => {
    const found = await find(tx);
    if (withVals && typeof found !== 'string') await endAccess(tx, found);
    return found;
  });
  if (typeof owner === 'string') return owner;

  for (;;) {
    const vals = await database.query<{ id: string }>(
      'SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 100',
      [owner.id],
    );
    if (vals.length > 0 && !withVals) return 'has vals';
    for (const { id } of vals) {
      await database.transaction({}, async (tx) => {
        await tx.query(`SELECT id FROM vals WHERE id = ?${tx.forUpdate}`, [id]);
        await removeVal(tx, { id, ownerId: owner.id });
      });
    }
    if (vals.length > 0) continue;
    await deleteRuns(database, owner);
    if (await database.transaction({}, (tx) => removeIfWithoutVals(tx, owner))) return 'removed';
  }
}

/** In steps, so that the removal of the owner itself is quick. */
async function deleteRuns(database: Database, { id }: User): Promise<void> {
  const isOwnRun = sql`owner_id = ${id} AND kind = 'runs'`;
  while ((await database.transaction({}, (tx) => deleteSomeRecords(tx, isOwnRun))) > 0);
}

async function removeIfWithoutVals(tx: Tx, { id }: User): Promise<boolean> {
  await tx.query(`SELECT id FROM users WHERE id = ?${tx.forUpdate}`, [id]);
  const [val] = await tx.query('SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 1', [id]);
  if (!val) await tx.query('DELETE FROM users WHERE id = ?', [id]);
  return !val;
}
