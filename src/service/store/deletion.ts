import type { All, Database } from '../database/database.ts';

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

interface Owner {
  id: string;
}

interface Removal<Refused> {
  find(all: All): Promise<Owner | Refused>;
  endAccess(all: All, owner: Owner): Promise<unknown>;
}

/** Deletes each val in a transaction of its own, so that a running service does not wait for all of them. */
export async function removeOwner<Refused extends string>(
  { all, write, forUpdate }: Database,
  { find, endAccess }: Removal<Refused>,
  withVals: boolean,
): Promise<'removed' | 'has vals' | Refused> {
  // Access ends first, because members who keep adding vals to a space would keep the removal from its end.
  const owner = await write(async (all) => {
    const found = await find(all);
    if (withVals && typeof found !== 'string') await endAccess(all, found);
    return found;
  });
  if (typeof owner === 'string') return owner;

  const removeIfWithoutVals = () =>
    write(async (all) => {
      await all(`SELECT id FROM users WHERE id = ?${forUpdate}`, [owner.id]);
      const [val] = await all('SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 1', [owner.id]);
      if (!val) await all('DELETE FROM users WHERE id = ?', [owner.id]);
      return !val;
    });

  while (!(await removeIfWithoutVals())) {
    if (!withVals) return 'has vals';
    const vals = await all<{ id: string }>('SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 100', [
      owner.id,
    ]);
    for (const { id } of vals) {
      await write(async (all) => {
        await all(`SELECT id FROM vals WHERE id = ?${forUpdate}`, [id]);
        await deleteVal(all, id);
      });
    }
  }
  return 'removed';
}
