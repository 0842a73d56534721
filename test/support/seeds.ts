import { isObject } from '../../src/lib/json.ts';
import { openStore, parseSeed, type SeedData, type StoreLocation } from '../../src/service/index.ts';
import { createVal, newValDefaults } from '../../src/service/store/create-val.ts';
import { loadSeed } from '../../src/service/store/seed.ts';
import { identify } from '../../src/service/store/tokens.ts';

type Parts = { [Kind in keyof SeedData]?: Record<string, unknown>[] };

const at = '2026-01-31T09:30:00.000Z';
const ada = { id: 'ada-id', username: 'ada' };
const side = { id: 'side', name: 'side', author_id: ada.id, username: ada.username };

/** Whole records, from the fields that a test is about. */
export function seedOf({ runs = [], likes = [], comments = [], references = [] }: Parts): SeedData {
  const whole = {
    runs: runs.map((run, index) => ({
      ...{ id: `run ${index}`, runStartAt: at, runEndAt: run.runStartAt ?? at, error: null },
      ...run,
      val: isObject(run.val) ? run.val : { name: 'seeded', version: 1 },
    })),
    likes: likes.map((like, index) => ({
      ...{ id: `like ${index}`, name: 'liked', createdAt: at, author: ada },
      ...like,
    })),
    comments: comments.map((comment, index) => ({
      ...{ id: `comment ${index}`, comment: 'c', createdAt: at, author: ada, val: { id: 'v', name: 'v' } },
      ...comment,
    })),
    references: references.map((reference, index) => ({
      ...{ id: `reference ${index}`, reference: side, dependsOn: side, referencedAt: at },
      ...reference,
    })),
  };
  return parseSeed(JSON.stringify(whole));
}

/** Loads a seed for the owner of the token, with a val for each name that a run has. */
export async function seedStore(place: StoreLocation, seed: SeedData, token?: string): Promise<void> {
  const store = await openStore(place);
  try {
    const { caller } = (await identify(store, { secret: token ?? store.owner?.token ?? '' })) ?? {};
    if (!caller) throw new Error('nobody owns the seed');
    const names = (seed.runs ?? []).flatMap(({ val }) => (isObject(val) && !val.id ? `${val.name}` : []));
    for (const name of new Set(names)) {
      await createVal(store.db, caller, { ...newValDefaults, name, code: 'c' }).catch(() => {});
    }
    await loadSeed(store.db, caller.owner, seed);
  } finally {
    await store.close();
  }
}
