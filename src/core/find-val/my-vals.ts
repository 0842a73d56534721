import type { Api } from '../http/api.ts';
import { ifRouteExists } from '../http/if-present.ts';
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
  // The store of the service may be a new one, where the caller has another id.
  const id = textAt((await ifRouteExists(() => api.record(routes.me()))) ?? null, 'id');
  return id === undefined || id === remembered ? undefined : openValsOf(id, api, paging);
}

async function openValsOf(user: string, api: Api, paging: Paging): Promise<AsyncGenerator<Page> | undefined> {
  const pages = api.pages(routes.userVals(user), paging);
  const first = await ifRouteExists(() => pages.next());
  if (first === undefined) return undefined;
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
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
    const me = await ifRouteExists(() => api.record(routes.me()));
    return textAt(me ?? null, 'id');
  });

  return async (owner: string | undefined): Promise<boolean> => {
    if (owner === undefined || (await recall()) === owner) return true;
    const me = await ask();
    return me === owner;
  };
}
