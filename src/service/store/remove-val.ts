import type { Database, Tx } from '../database/database.ts';
import type { Caller } from './caller.ts';
import { changeVal } from './change-val.ts';
import type { WriteOptions } from './write-as.ts';

const runsPerStatement = 5_000;

export const deleteVal = (
  db: Database,
  caller: Caller,
  id: string,
  options: WriteOptions = {},
): Promise<void> => changeVal(db, caller, id, options, (tx) => removeVal(tx, id));

/** In several statements of one transaction, because each statement has a time limit in PostgreSQL. */
export async function removeVal(tx: Tx, id: string): Promise<void> {
  for (;;) {
    const runs = await tx.query(
      `DELETE FROM records WHERE position IN (SELECT position FROM records
        WHERE kind = 'runs' AND val_id = ? LIMIT ${runsPerStatement}) RETURNING position`,
      [id],
    );
    if (runs.length < runsPerStatement) break;
  }
  await tx.query('DELETE FROM vals WHERE id = ?', [id]);
}
