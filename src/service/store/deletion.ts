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
  find(all: All, lock: string): Promise<Owner | Refusal>;
  endAccess(all: All, owner: Owner): Promise<unknown>;
}

export async function removeOwner<Refusal extends string>(
  { write, forUpdate }: Database,
  { find, endAccess }: Removal<Refusal>,
  withVals: boolean,
): Promise<'removed' | 'has vals' | Refusal> {
  let removedId: string | undefined;
  const endAccessAndFindVals = () =>
    write(async (all) => {
      const owner = await find(all, forUpdate);
      const foundId = typeof owner === 'string' ? undefined : owner.id;
      // Another removal may have ended first, and then the name may belong to a new person or space.
      if (removedId !== undefined && foundId !== removedId) return 'removed';
      if (typeof owner === 'string') return owner;
      const vals = await all<{ id: string }>(
        'SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 100',
        [owner.id],
      );
      if (vals.length === 0) {
        await all('DELETE FROM users WHERE id = ?', [owner.id]);
        return 'removed';
      }
      if (!withVals) return 'has vals';
      await endAccess(all, owner);
      return vals;
    });
  if (withVals) {
    // This write does not lock the owner first, because members who keep adding vals to a space would keep the lock
    // from the removal.
    const owner = await write(async (all) => {
      const found = await find(all, '');
      if (typeof found !== 'string') await endAccess(all, found);
      return found;
    });
    if (typeof owner === 'string') return owner;
    removedId = owner.id;
  }
  return inSteps(async () => {
    const vals = await endAccessAndFindVals();
    if (typeof vals === 'string') return vals;
    // This is a write of its own and locks each val first, because other writes lock their val before its owner. In
    // another order, these writes and the removal would wait for each other.
    await write(async (all) => {
      const end = performance.now() + mostMsPerStep;
      for (const { id } of vals) {
        await all(`SELECT id FROM vals WHERE id = ?${forUpdate}`, [id]);
        if (!(await deletePartOfVal(all, id)) || performance.now() > end) break;
      }
    });
    return undefined;
  });
}
