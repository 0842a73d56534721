import { isObject } from '../../../src/core/lib/json.ts';
import {
  openStore,
  parseSeed,
  type SeedData,
  type StoreLocation,
} from '../../../src/service/start-service.ts';
import { homeOf } from '../../../src/service/store/access.ts';
import { addVal } from '../../../src/service/store/change-val.ts';
import { type RecordKind, recordKinds } from '../../../src/service/store/likes-and-comments.ts';
import { loadSeed } from '../../../src/service/store/seed.ts';
import { identify } from '../../../src/service/store/tokens.ts';

type Parts = { [Kind in keyof SeedData]?: Record<string, unknown>[] };

const at = '2026-01-31T09:30:00.000Z';
const ada = { id: 'ada-id', username: 'ada' };

/** What a record of each kind has beside the fields that a test is about. */
const defaults: Record<RecordKind, (given: Record<string, unknown>, index: number) => object> = {
  // Two runs of a version begin at different times.
  runs: ({ val, runStartAt }, index) => {
    const start = runStartAt ?? new Date(Date.parse(at) - index).toISOString();
    const named = isObject(val) ? {} : { val: { name: 'seeded', version: 1 } };
    return { runStartAt: start, runEndAt: start, error: null, ...named };
  },
  likes: () => ({ name: 'liked', createdAt: at, author: ada }),
  comments: () => ({ comment: 'c', createdAt: at, author: ada, val: { id: 'v', name: 'v' } }),
};

/** Whole records, from the fields that a test is about. */
export function seedOf(parts: Parts): SeedData {
  const whole = recordKinds.map((kind) => [
    kind,
    (parts[kind] ?? []).map((given, index) => ({
      id: `${kind} ${index}`,
      ...defaults[kind](given, index),
      ...given,
    })),
  ]);
  return parseSeed(JSON.stringify(Object.fromEntries(whole)));
}

/** One record of each kind. */
export const seedOfEachKind = (parts: Parts = {}): SeedData =>
  seedOf({ ...Object.fromEntries(recordKinds.map((kind) => [kind, [{}]])), ...parts });

/** Loads a seed for the owner of the token, with a val for each name that a run has. */
export async function seedStore(place: StoreLocation, seed: SeedData, token?: string): Promise<void> {
  const store = await openStore(place);
  try {
    const owner = await identify(store, 'token', token ?? store.owner?.token ?? '');
    if (!owner) throw new Error('nobody owns the seed');
    const access = homeOf(owner);
    const names = (seed.runs ?? []).flatMap(({ val }) => (isObject(val) && !val.id ? `${val.name}` : []));
    for (const name of new Set(names)) {
      await addVal(store.db, access, { name, code: 'c' }).catch(() => {});
    }
    await loadSeed(store.db, access.owner, seed);
  } finally {
    await store.close();
  }
}
