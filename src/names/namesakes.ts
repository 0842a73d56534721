// Whether a name is taken on the service: asked of what was seen, and of the service's own list.
import type { Api } from '../api/api.ts';
import { textAt } from '../api/records.ts';
import { BadResponseError, RefusedError } from '../errors.ts';
import { readMyVals } from './my-vals.ts';
import type { SeenVals } from './seen-vals.ts';

/**
 * The ids of vals that may have a name; undefined where there are none known, and the service cannot tell. It is asked
 * for its list once, however many names there are.
 */
export function createNamesakes(api: Api, seen: SeenVals): (name: string) => Promise<string[] | undefined> {
  let asked: Promise<{ ids: Map<string, string[]>; isListed: boolean }> | undefined;

  async function ask() {
    const listed = await readMyVals(api, seen).catch(asUnknown);
    const vals =
      listed?.map((record) => ({ id: textAt(record, 'id'), name: textAt(record, 'name') })) ??
      (await seen.recall()).mine;
    const ids = new Map<string, string[]>();
    for (const { id, name } of vals) {
      if (id !== undefined && name !== undefined) ids.set(name, [...(ids.get(name) ?? []), id]);
    }
    return { ids, isListed: listed !== undefined };
  }

  /** A list that makes no sense, or that the service refuses, tells as little as none. */
  function asUnknown(error: unknown): undefined {
    if (!(error instanceof BadResponseError || error instanceof RefusedError)) throw error;
  }

  return async (name) => {
    asked ??= ask();
    const { ids, isListed } = await asked;
    return ids.get(name) ?? (isListed ? [] : undefined);
  };
}
