import type { Database, Tx } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import type { Access } from './access.ts';
import { writeToVal } from './change-val.ts';
import { removeSomeRuns, removeSomeVersions } from './remove-in-steps.ts';
import { positionOfVal } from './runs.ts';
import type { WriteOptions } from './write-as.ts';

export const deleteVal = (db: Database, access: Access, id: string, options: WriteOptions): Promise<void> =>
  writeToVal(db, access, { id, ...options }, (tx) => removeVal(tx, id));

/**
 * A val may have so many versions and runs that nobody should wait for their deletion. All are gone for callers at once, and
 * `clean-up.ts` deletes those that are left here.
 */
export async function removeVal(tx: Tx, id: string): Promise<void> {
  const runs = await removeSomeRuns(tx, raw('val'), positionOfVal(id));
  const versions = await removeSomeVersions(tx, id);
  if (!runs.isEnd || !versions.isEnd) {
    await tx.query(
      sql`INSERT INTO removed_vals (val, val_id) SELECT position, id FROM vals WHERE id = ${id}`,
    );
  }
  await tx.query(sql`DELETE FROM vals WHERE id = ${id}`);
}
