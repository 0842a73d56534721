import { randomUUID } from 'node:crypto';
import { openStore, type StoreLocation } from '../../../src/service/start-service.ts';
import { homeOf } from '../../../src/service/store/access.ts';
import { addVal } from '../../../src/service/store/change-val.ts';
import { insertRun } from '../../../src/service/store/runs.ts';
import { identify } from '../../../src/service/store/tokens.ts';
import { valNamed } from '../../../src/service/store/vals.ts';

export interface SeedRun {
  id?: string;
  val?: { name: string; version: number };
  runStartAt?: string;
  runEndAt?: string | null;
  error?: string | null;
}

const at = Date.parse('2026-01-31T09:30:00.000Z');

/** Stores runs for the owner of the token, with a val for each name that a run has. */
export async function seedRuns(
  place: StoreLocation,
  runs: readonly SeedRun[],
  token?: string,
): Promise<void> {
  const store = await openStore(place);
  try {
    const owner = await identify(store, 'token', token ?? store.owner?.token ?? '');
    if (!owner) throw new Error('nobody owns the runs');
    const ids = new Map<string, string>();
    for (const name of new Set(runs.map(({ val }) => val?.name ?? 'seeded'))) {
      const access = homeOf(owner);
      const { id } = await valNamed(store.db, access, access.owner.username, name).catch(
        async () => (await addVal(store.db, access, { name, code: 'c' })).val,
      );
      ids.set(name, id);
    }
    await store.db.transaction(async (tx) => {
      for (const [index, { val = { name: 'seeded', version: 1 }, ...run }] of runs.entries()) {
        // Two runs of a version begin at different times.
        const runStartAt = run.runStartAt ?? new Date(at - index).toISOString();
        const times = { runStartAt, runEndAt: run.runEndAt === undefined ? runStartAt : run.runEndAt };
        const { id = randomUUID(), error = null } = run;
        const stored = { id, version: val.version, ...times, error, logs: null, reporter: owner.actor };
        await insertRun(tx, ids.get(val.name) ?? '', stored);
      }
    });
  } finally {
    await store.close();
  }
}
