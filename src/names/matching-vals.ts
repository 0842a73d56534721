import type { Api } from '../api/api.ts';
import { ownerOf, textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { hasStatus } from '../errors.ts';
import type { JsonObject, Page } from '../lib/json.ts';
import { createIsMe, openMyVals } from './my-vals.ts';
import type { SeenVals } from './seen-vals.ts';

export interface Matching {
  pages: AsyncIterable<Page>;
  comparesOnlyNames: boolean;
}

export async function openMatchingVals(
  api: Api,
  seen: SeenVals,
  words: readonly string[],
): Promise<Matching | undefined> {
  const [first, ...others] = words;
  const found = first === undefined ? undefined : await openSearch(api, seen, first);
  if (found === undefined || found.hasOthers) {
    // The list of one's own vals is shorter than all that a search through everybody's vals finds.
    const own = await openMyVals(api, seen, { all: true });
    if (own !== undefined) {
      return { pages: filterRecords(own, (record) => nameHas(record, words)), comparesOnlyNames: true };
    }
    if (found === undefined) return undefined;
  }
  const idsByWord: Set<string | undefined>[] = [];
  for (const word of others) {
    idsByWord.push(await findIds(api, seen, word));
  }
  const isFoundByAll = (record: JsonObject) => idsByWord.every((ids) => ids.has(textAt(record, 'id')));
  return { pages: filterRecords(found.pages, isFoundByAll), comparesOnlyNames: false };
}

async function findIds(api: Api, seen: SeenVals, word: string): Promise<Set<string | undefined>> {
  const ids = new Set<string | undefined>();
  for await (const { records } of (await openSearch(api, seen, word))?.pages ?? []) {
    for (const record of records) {
      const id = textAt(record, 'id');
      if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}

export const nameHas = (record: JsonObject, words: readonly string[]): boolean => {
  const name = textAt(record, 'name')?.toLowerCase() ?? '';
  return words.every((word) => name.includes(word.toLowerCase()));
};

interface Search {
  /** Only the vals that are mine. */
  pages: AsyncIterable<Page>;
  /** The first page has vals of other people. */
  hasOthers: boolean;
}

async function openSearch(api: Api, seen: SeenVals, word: string): Promise<Search | undefined> {
  const isMe = createIsMe({ api, seen });
  const onlyMine = async ({ records }: Page): Promise<Page> => {
    const mine: JsonObject[] = [];
    for (const record of records) {
      const owner = ownerOf(record)?.id;
      if (owner !== undefined && (await isMe(owner))) mine.push(record);
    }
    return { records: mine };
  };
  const found = api.pages(routes.searchVals(word), { all: true });
  try {
    const first = await found.next();
    const firstPage = first.done ? { records: [] } : first.value;
    const mine = await onlyMine(firstPage);
    const pages = (async function* () {
      yield mine;
      for await (const page of found) yield onlyMine(page);
    })();
    return { pages, hasOthers: mine.records.length < firstPage.records.length };
  } catch (error) {
    if (hasStatus(error, 404, 405, 501)) return undefined;
    throw error;
  }
}

export async function* filterRecords(
  pages: AsyncIterable<Page>,
  isKept: (record: JsonObject) => boolean,
): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, records: page.records.filter(isKept) };
}
