import type { All } from '../database/database.ts';

const runsPerStatement = 5_000;

/** In several statements of one transaction, because each statement has a time limit in PostgreSQL. */
export async function deleteVal(all: All, id: string): Promise<void> {
  for (;;) {
    const runs = await all(
      `DELETE FROM records WHERE position IN (SELECT position FROM records
        WHERE kind = 'runs' AND val_id = ? LIMIT ${runsPerStatement}) RETURNING position`,
      [id],
    );
    if (runs.length < runsPerStatement) break;
  }
  await all('DELETE FROM vals WHERE id = ?', [id]);
}
