import type { All, Database } from '../database/database.ts';
import { inSteps } from './steps.ts';

const runsPerStep = 100;
const versionsPerStep = 20;
const mostMsPerStep = 20;

/** Keeps the newest version until the last step, because a val without versions cannot be found. */
export async function deletePartOfVal(all: All, id: string): Promise<'deleted' | undefined> {
  const runs = await all(
    `DELETE FROM records WHERE position IN (
      SELECT position FROM records WHERE kind = 'runs' AND val_id = ? LIMIT ${runsPerStep}) RETURNING position`,
    [id],
  );
  if (runs.length === runsPerStep) return undefined;
  const oldest = await all<{ version: number }>(
    `SELECT version FROM versions WHERE val_id = ? ORDER BY version LIMIT ${versionsPerStep + 1}`,
    [id],
  );
  const firstLeft = oldest[versionsPerStep];
  if (firstLeft) {
    await all('DELETE FROM versions WHERE val_id = ? AND version < ?', [id, firstLeft.version]);
    return undefined;
  }
  await all('DELETE FROM vals WHERE id = ?', [id]);
  return 'deleted';
}

interface Owner {
  id: string;
}

interface Removal<Refusal> {
  find(all: All): Promise<Owner | Refusal>;
  endAccess(all: All, owner: Owner): Promise<unknown>;
}

export async function removeOwner<Refusal extends string>(
  { write, forUpdate }: Database,
  { find, endAccess }: Removal<Refusal>,
  withVals: boolean,
): Promise<'removed' | 'has vals' | Refusal> {
  // Access ends first and without a lock, because members who keep adding vals to a space would keep the lock from the
  // removal.
  const owner = await write(async (all) => {
    const found = await find(all);
    if (withVals && typeof found !== 'string') await endAccess(all, found);
    return found;
  });
  if (typeof owner === 'string') return owner;
  const { id } = owner;
  const findVals = (all: All) =>
    all<{ id: string }>('SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 100', [id]);

  const removeIfWithoutVals = () =>
    write(async (all) => {
      await all(`SELECT id FROM users WHERE id = ?${forUpdate}`, [id]);
      if ((await findVals(all)).length > 0) return false;
      await all('DELETE FROM users WHERE id = ?', [id]);
      return true;
    });

  // Locks no owner, because other writes lock their val before its owner. In another order, these writes and the
  // removal would wait for each other.
  const deleteSomeVals = () =>
    write(async (all) => {
      const end = performance.now() + mostMsPerStep;
      for (const val of await findVals(all)) {
        await all(`SELECT id FROM vals WHERE id = ?${forUpdate}`, [val.id]);
        if (!(await deletePartOfVal(all, val.id)) || performance.now() > end) break;
      }
    });

  return inSteps(async () => {
    if (await removeIfWithoutVals()) return 'removed';
    if (!withVals) return 'has vals';
    await deleteSomeVals();
    return undefined;
  });
}
