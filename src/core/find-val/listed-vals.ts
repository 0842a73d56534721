import { UnavailableError } from '../errors.ts';
import { changedAtOf, ownerOf, textAt, versionOf } from '../http/record-fields.ts';
import type { JsonObject } from '../lib/json.ts';
import { once } from '../lib/once.ts';
import { type Lookup, openMyVals } from './my-vals.ts';

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

/** Without a limit, the list is read to its end. */
export function createListedVals(
  { api, seen, clock }: Lookup,
  { mostSeconds = Number.POSITIVE_INFINITY }: { mostSeconds?: number } = {},
): ListedVals {
  const began = clock.now();
  const byId = new Map<string, ValInList>();
  const byName = new Map<string, ValInList[]>();
  const open = once(() => openMyVals(api, seen, { all: true }));

  function add(record: JsonObject): void {
    const val = valInList(record);
    if (val === undefined || byId.has(val.id)) return;
    byId.set(val.id, val);
    if (val.name !== undefined) byName.set(val.name, [...(byName.get(val.name) ?? []), val]);
  }

  async function readOn(size: number): Promise<boolean> {
    const pages = await open();
    if (pages === undefined) return false;
    while (byId.size < size) {
      const page = await pages.next();
      if (page.done) break;
      for (const record of page.value.records) add(record);
      if (clock.now() - began > mostSeconds * 1_000) throw tooSlow(mostSeconds);
    }
    return true;
  }

  let reading: Promise<unknown> = Promise.resolve();
  /** One read at a time, because they share the pages. */
  function readUntil(size: number): Promise<boolean> {
    const read = reading.then(() => readOn(size));
    reading = read.catch(() => {});
    return read;
  }

  return {
    withId: (id) => byId.get(id),
    readUntil,
    named: (name) => byName.get(name) ?? [],
    all: async () => ((await readUntil(Number.POSITIVE_INFINITY)) ? [...byId.values()] : undefined),
  };
}

const tooSlow = (seconds: number): UnavailableError =>
  new UnavailableError(`The service's list of vals did not end within ${seconds} s.`);

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
