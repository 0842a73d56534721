// The service's list of the caller's vals, for a command about many vals: read at most once, and only if it is needed.
import { changedAtOf, ownerOf, textAt, versionOf } from '../api/records.ts';
import { BadResponseError, RefusedError, ValsError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { ListTooLong, type Lookup, listForLookup } from './my-vals.ts';

export interface ListedVal {
  id: string;
  name: string | undefined;
  version: JsonValue | undefined;
  changedAt: string | undefined;
  /** The id of its owner, if the list says it. */
  owner: string | undefined;
}

export interface ListedVals {
  /** Undefined if the list does not tell, or if the command is about few vals, which are read one by one. */
  withId(id: string): Promise<ListedVal | undefined>;
  /** The ids of the caller's vals that may have the name; undefined if nobody can tell. */
  idsWithName(name: string): Promise<string[] | undefined>;
  /** The whole list, for a command about all of them; undefined if the service has none. */
  all(): Promise<ListedVal[] | undefined>;
}

/** Reading fewer vals one by one takes no longer than reading the list. */
const fewest = 100;

/** For a command about so many vals. A command about all of them waits for the list as long as it takes. */
export function createListedVals(lookup: Lookup, count: number | 'all'): ListedVals {
  const byId = new Map<string, ListedVal>();
  const idsByName = new Map<string, string[]>();
  const isForAll = count === 'all';
  const open = once(() => listForLookup(lookup, isForAll ? 'to get all vals' : 'to find a name'));
  // A list that is much longer than the command needs is not read to its end for ids alone.
  const readBeginning = once(() => readUntil(isForAll ? Number.POSITIVE_INFINITY : 2 * count));
  const readAll = once(async () => {
    await readBeginning();
    return readUntil(Number.POSITIVE_INFINITY);
  });

  /** False if there is no list. */
  async function readUntil(size: number): Promise<boolean> {
    const pages = await open();
    if (pages === undefined) return false;
    while (byId.size < size) {
      const page = await pages.next();
      if (page.done) break;
      for (const record of page.value) add(record);
    }
    return true;
  }

  function add(record: JsonObject): void {
    const [id, name] = [textAt(record, 'id'), textAt(record, 'name')];
    if (id === undefined) return;
    const facts = { version: versionOf(record), changedAt: changedAtOf(record), owner: ownerOf(record)?.id };
    byId.set(id, { id, name, ...facts });
    if (name !== undefined) idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
  }

  const readSeen = once(async () => (await lookup.seen.recall()).mine);

  return {
    async withId(id) {
      if (!isForAll && count < fewest) return undefined;
      // A problem with the list is no reason to stop; a problem with the service shows at each val.
      await readBeginning().catch(falseIf(ValsError));
      return byId.get(id);
    },
    async idsWithName(name) {
      // A list that makes no sense, is refused or does not end tells as little as none.
      if (await readAll().catch(falseIf(BadResponseError, RefusedError, ListTooLong)))
        return idsByName.get(name) ?? [];
      const seen = (await readSeen()).filter((val) => val.name === name);
      return seen.length === 0 ? undefined : seen.map(({ id }) => id);
    },
    all: async () => ((await readAll()) ? [...byId.values()] : undefined),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const falseIf =
  (...kinds: (abstract new (...args: never[]) => Error)[]) =>
  (error: unknown): false => {
    if (kinds.some((kind) => error instanceof kind)) return false;
    throw error;
  };
