import type { Api } from '../http/api.ts';
import { ifRouteExists } from '../http/if-present.ts';
import { ownerOf, textAt } from '../http/record-fields.ts';
import type { JsonObject, Page } from '../lib/json.ts';
import * as routes from '../routes.ts';
import { createIsMe, openMyVals } from './my-vals.ts';
import type { SeenVals } from './seen-vals.ts';

export interface Matching {
  pages: AsyncIterable<Page>;
  comparesOnlyNames: boolean;
}

/** Returns undefined if the service has neither a search nor a list of vals. */
export async function openMatchingVals(
  api: Api,
  seen: SeenVals,
  words: readonly string[],
): Promise<Matching | undefined> {
  const [first, ...others] = words;
  const search = first === undefined ? undefined : await openSearch(api, seen, first);
  if (!search?.findsOnlyMine) {
    const pages = await openMyVals(api, seen, { all: true });
    if (pages !== undefined) {
      const named = filterRecords(pages, (record) => nameHas(record, words));
      return { pages: named, comparesOnlyNames: true };
    }
  }
  if (search === undefined) return undefined;
  const idsByWord: Set<string | undefined>[] = [];
  for (const word of others) {
    idsByWord.push(await findIds(api, seen, word));
  }
  const isFoundByAll = (record: JsonObject) => idsByWord.every((ids) => ids.has(textAt(record, 'id')));
  return { pages: filterRecords(search.mine, isFoundByAll), comparesOnlyNames: false };
}

async function findIds(api: Api, seen: SeenVals, word: string): Promise<Set<string | undefined>> {
  const ids = new Set<string | undefined>();
  for await (const { records } of (await openSearch(api, seen, word))?.mine ?? []) {
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
  mine: AsyncIterable<Page>;
  /** False if the first page has vals of other people. A search of all vals of a service could be endless. */
  findsOnlyMine: boolean;
}

/** Returns undefined if the service has no search. */
const openSearch = (api: Api, seen: SeenVals, word: string): Promise<Search | undefined> =>
  ifRouteExists(() => search(api, seen, word));

async function search(api: Api, seen: SeenVals, word: string): Promise<Search> {
  const isMe = createIsMe({ api, seen });
  const pages = api.pages(routes.searchVals(word), { all: true });
  const onlyMine = async (page: Page): Promise<Page> => {
    const mine: JsonObject[] = [];
    for (const record of page.records) {
      const owner = ownerOf(record)?.id;
      if (owner !== undefined && (await isMe(owner))) mine.push(record);
    }
    return { ...page, records: mine };
  };
  const first = await pages.next();
  if (first.done) return { mine: pages, findsOnlyMine: true };
  const firstOfMine = await onlyMine(first.value);
  const mine = (async function* () {
    yield firstOfMine;
    for await (const page of pages) yield await onlyMine(page);
  })();
  return { mine, findsOnlyMine: firstOfMine.records.length === first.value.records.length };
}

export async function* filterRecords(
  pages: AsyncIterable<Page>,
  isKept: (record: JsonObject) => boolean,
): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, records: page.records.filter(isKept) };
}
