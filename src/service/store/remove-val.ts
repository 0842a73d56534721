import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Access } from './access.ts';
import { writeToVal } from './change-val.ts';
import { deleteSomeRecords } from './clean-up.ts';
import type { WriteOptions } from './write-as.ts';

export const deleteVal = (db: Database, access: Access, id: string, options: WriteOptions): Promise<void> =>
  writeToVal(db, access, { id, ...options }, (tx) => removeVal(tx, { id, ownerId: access.owner.id }));

/**
 * A val may have so many runs that nobody should wait for their deletion. All are gone for callers at once, and
 * `clean-up.ts` deletes those that are left here.
 */
export async function removeVal(tx: Tx, { id, ownerId }: { id: string; ownerId: string }): Promise<void> {
  await deleteSomeRecords(tx, sql`kind = 'runs' AND val_id = ${id}`);
  await tx.query(sql`
    INSERT INTO removed_vals (val_id, owner_id)
      SELECT ${id}, ${ownerId} WHERE EXISTS (SELECT 1 FROM records WHERE kind = 'runs' AND val_id = ${id})`);
  await tx.query(sql`DELETE FROM vals WHERE id = ${id}`);
}
