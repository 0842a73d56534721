import { hasStatus, NotFoundError, RefusedError, undefinedIf } from '../errors.ts';
import type { Api } from '../http/api.ts';
import type { Paging } from '../http/lists/pages.ts';
import { textAt } from '../http/record-fields.ts';
import type { Clock } from '../lib/clock.ts';
import type { Page } from '../lib/json.ts';
import { once } from '../lib/once.ts';
import * as routes from '../routes.ts';
import type { Settings } from '../settings/settings.ts';
import type { SeenVals } from './seen-vals.ts';

export async function openMyVals(
  api: Api,
  seen: SeenVals,
  paging: Paging,
): Promise<AsyncGenerator<Page> | undefined> {
  const { me: remembered } = await seen.recall();
  const pages = remembered && (await openValsOf(remembered, api, paging));
  if (pages) return pages;
  // The store of the service may be a new one, where the caller has another id. A 404 of this request means that there
  // is no service at the address, so it is an error.
  const id = textAt(await api.record(routes.me()), 'id');
  return id === undefined || id === remembered ? undefined : openValsOf(id, api, paging);
}

async function openValsOf(user: string, api: Api, paging: Paging): Promise<AsyncGenerator<Page> | undefined> {
  try {
    const pages = api.pages(routes.userVals(user), paging);
    const first = await pages.next();
    return (async function* () {
      if (first.done) return;
      yield first.value;
      yield* pages;
    })();
  } catch (error) {
    // Other than for other routes, a 501 is an error: if the list only seemed to be missing, a push could take the name of a
    // val for a free one.
    if (hasStatus(error, 404, 405)) return undefined;
    throw error;
  }
}

export interface Lookup {
  api: Api;
  seen: SeenVals;
  clock: Clock;
  settings: Settings;
}

/** Says whether an owner is the person or space of the token. Asks the service only if this machine does not know. */
export function createIsMe({ api, seen }: Pick<Lookup, 'api' | 'seen'>) {
  const recall = once(async () => (await seen.recall()).me);
  const ask = once(async () => {
    const me = await api.record(routes.me()).catch(undefinedIf(NotFoundError, RefusedError));
    return textAt(me ?? null, 'id');
  });

  return async (owner: string | undefined): Promise<boolean> => {
    if (owner === undefined || (await recall()) === owner) return true;
    const me = await ask();
    return me === undefined || me === owner;
  };
}
