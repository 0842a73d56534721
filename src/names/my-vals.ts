// The service's own list of the vals of the user in force, which some services have.
import type { Api } from '../api/api.ts';
import type { Paging } from '../api/lists/cursor.ts';
import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Rows } from '../lib/rows.ts';
import type { SeenVals } from './seen-vals.ts';

/** Undefined where the service has no such list. Its first page is read when this resolves. */
export async function openMyVals(
  api: Api,
  seen: SeenVals,
  paging: Paging,
): Promise<AsyncGenerator<Rows> | undefined> {
  try {
    const id = (await seen.recall()).me ?? textAt(await api.record(routes.me()), 'id');
    if (id === undefined) return undefined;
    const pages = api.pages(routes.userVals(id), paging);
    const first = await pages.next();
    return (async function* () {
      if (first.done) return;
      yield first.value;
      yield* pages;
    })();
  } catch (error) {
    if (error instanceof ValsError && [404, 405].includes(error.facts.status ?? 0)) return undefined;
    throw error;
  }
}

/** All of them; undefined where the service has no such list. */
export async function readMyVals(api: Api, seen: SeenVals): Promise<JsonObject[] | undefined> {
  const pages = await openMyVals(api, seen, { all: true });
  if (pages === undefined) return undefined;
  const records: JsonObject[] = [];
  for await (const rows of pages) for (const record of rows.records) records.push(record);
  return records;
}
