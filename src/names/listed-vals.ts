import { changedAtOf, ownerOf, textAt, versionOf } from '../api/record-fields.ts';
import { BadResponseError, NotFoundError, RefusedError, undefinedIf } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { once } from '../lib/once.ts';
import { type Lookup, listForLookup } from './my-vals.ts';

export interface ValInList {
  id: string;
  name: string | undefined;
  version: number | undefined;
  changedAt: string | undefined;
  /** The id that git gives the code as a blob. Not every service sends it. */
  codeHash: string | undefined;
  owner: string | undefined;
  madeAt: string | undefined;
  madeBy: string | undefined;
}

/** The list of the caller's vals. It is read once, and only as far as it is needed. */
export interface ListedVals {
  /** Looks only into the part of the list that was read. */
  withId(id: string): ValInList | undefined;
  /** Reads on until `size` vals are known. Returns false if the service has no list. */
  readUntil(size: number): Promise<boolean>;
  /** Vals of a name, in what was read. */
  named(name: string): readonly ValInList[];
  /** Undefined if the service has no list. */
  all(): Promise<readonly ValInList[] | undefined>;
}

export function createListedVals(lookup: Lookup, options: { mostSeconds?: number } = {}): ListedVals {
  const byId = new Map<string, ValInList>();
  const byName = new Map<string, ValInList[]>();
  let hasBegun = false;
  const open = once(() => listForLookup(lookup, options));

  function add(record: JsonObject): void {
    const val = valInList(record);
    if (val === undefined || byId.has(val.id)) return;
    byId.set(val.id, val);
    if (val.name !== undefined) byName.set(val.name, [...(byName.get(val.name) ?? []), val]);
  }

  async function readOn(size: number): Promise<boolean> {
    const pages = await open();
    if (pages === undefined) return false;
    hasBegun = true;
    while (byId.size < size) {
      const page = await pages.next();
      if (page.done) break;
      for (const record of page.value) add(record);
    }
    return true;
  }

  let reading: Promise<unknown> = Promise.resolve();
  /** One read at a time, because they share the pages. */
  function readUntil(size: number): Promise<boolean> {
    const read = reading.then(() => readOn(size)).catch(ifUnusable);
    reading = read.catch(() => {});
    return read;
  }

  /** If the service has a list that cannot be read, the vals that this machine has seen have to do. */
  function ifUnusable(error: unknown): false {
    // A name that is on a later page would look free.
    if (hasBegun) throw error;
    undefinedIf(BadResponseError, RefusedError, NotFoundError)(error);
    return false;
  }

  return {
    withId: (id) => byId.get(id),
    readUntil,
    named: (name) => byName.get(name) ?? [],
    all: async () => ((await readUntil(Number.POSITIVE_INFINITY)) ? [...byId.values()] : undefined),
  };
}

function valInList(record: JsonObject): ValInList | undefined {
  const id = textAt(record, 'id');
  if (id === undefined) return undefined;
  return {
    id,
    name: textAt(record, 'name'),
    version: versionOf(record),
    changedAt: changedAtOf(record),
    codeHash: textAt(record, 'codeHash'),
    owner: ownerOf(record)?.id,
    ...newestVersionOf(record),
  };
}

/** When the current version was made, and by whom. */
export const newestVersionOf = (record: JsonObject): Pick<ValInList, 'madeAt' | 'madeBy'> => ({
  madeAt: textAt(record, 'versionCreatedAt') ?? textAt(record, 'updatedAt'),
  madeBy: textAt(record, 'versionAuthor.username') ?? textAt(record, 'author.username'),
});
