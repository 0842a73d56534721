import { changedAtOf, ownerOf, textAt, versionOf } from '../api/record-fields.ts';
import { BadResponseError, NotFoundError, RefusedError, undefinedIf, ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { once } from '../lib/once.ts';
import { type Lookup, listForLookup } from './my-vals.ts';

export interface ValInList {
  id: string;
  name: string | undefined;
  version: number | undefined;
  changedAt: string | undefined;
  owner: string | undefined;
}

export interface ListedVals {
  withId(id: string): Promise<ValInList | undefined>;
  /** If the service has no list, `ids` has only vals that this machine has seen. */
  idsWithName(name: string): Promise<{ ids: string[]; isWholeList: boolean }>;
  all(): Promise<ValInList[] | undefined>;
}

const fewestForList = 100;

export function createListedVals(
  lookup: Lookup,
  valCount: number | 'all',
  options: { mostSeconds?: number } = {},
): ListedVals {
  const index = createIndex();
  const isForAll = valCount === 'all';
  const open = once(() => listForLookup(lookup, options));
  const readBeginning = once(() => readUntil(isForAll ? Number.POSITIVE_INFINITY : 2 * valCount));
  const readAll = once(async () => {
    await readBeginning();
    return readUntil(Number.POSITIVE_INFINITY);
  });

  let hasBegun = false;

  async function readUntil(size: number): Promise<boolean> {
    const pages = await open();
    if (pages === undefined) return false;
    hasBegun = true;
    while (index.byId.size < size) {
      const page = await pages.next();
      if (page.done) break;
      for (const record of page.value) index.add(record);
    }
    return true;
  }

  const readSeen = once(async () => (await lookup.seen.recall()).mine);

  return {
    async withId(id) {
      if (!isForAll && valCount < fewestForList) return undefined;
      // Ignores an error of the list, because the caller can still read the val by its id.
      await readBeginning().catch(undefinedIf(ValsError));
      return index.byId.get(id);
    },
    async idsWithName(name) {
      const isWholeList = await readAll().catch((error) => {
        // A name that is on a later page would look free.
        if (hasBegun) throw error;
        // The service has a list, but not one that can be read. So the vals that this machine has seen have to do.
        return undefinedIf(BadResponseError, RefusedError, NotFoundError)(error);
      });
      if (isWholeList) return { ids: index.idsByName.get(name) ?? [], isWholeList };
      const seen = (await readSeen()).filter((val) => val.name === name);
      return { ids: seen.map(({ id }) => id), isWholeList: false };
    },
    all: async () => ((await readAll()) ? [...index.byId.values()] : undefined),
  };
}

function createIndex() {
  const byId = new Map<string, ValInList>();
  const idsByName = new Map<string, string[]>();
  return {
    byId,
    idsByName,
    add(record: JsonObject): void {
      const id = textAt(record, 'id');
      if (id === undefined) return;
      const name = textAt(record, 'name');
      const owner = ownerOf(record)?.id;
      byId.set(id, { id, name, version: versionOf(record), changedAt: changedAtOf(record), owner });
      if (name === undefined) return;
      const sameName = idsByName.get(name);
      if (sameName === undefined) idsByName.set(name, [id]);
      else sameName.push(id);
    },
  };
}
