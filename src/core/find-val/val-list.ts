import { type Api, ifRouteExists } from '../http/api.ts';
import type { Paging } from '../http/lists/pages.ts';
import { changedAtOf, ownerOf, personAt, versionOf } from '../http/record-fields.ts';
import { type JsonObject, type Page, textAt } from '../lib/json.ts';
import { once } from '../lib/waiting.ts';
import * as routes from '../routes.ts';
import type { SeenVals } from './seen-vals.ts';

export interface ValInList {
  id: string;
  name: string | undefined;
  version: number | undefined;
  changedAt: string | undefined;
  /** The id that git gives the code as a blob. Not every service sends it. */
  codeHash: string | undefined;
  privacy: string | undefined;
  owner: string | undefined;
  madeAt: string | undefined;
  madeBy: string | undefined;
}

/**
 * The caller's vals on a service, for one command. Without the list, `pages` and `all` are undefined: the service answers
 * its route with 404, 405 or 501, or /v1/me tells no id. Any other answer is an error.
 */
export interface ValList {
  pages(paging: Paging): Promise<AsyncGenerator<Page> | undefined>;
  /** Reads no more of the list than its first page. */
  canList(): Promise<boolean>;
  /** The whole list, which is read once. */
  all(): Promise<readonly ValInList[] | undefined>;
  /** The caller's vals of this name, in the list. */
  named(name: string): Promise<readonly ValInList[]>;
  /** Says whether an owner is the person or space of the token. A val without an owner counts as the caller's. */
  isMe(owner: string | undefined): Promise<boolean>;
}

export function createValList(connect: () => Promise<Api>, seen: SeenVals): ValList {
  const rememberedMe = once(async () => seen.recall().me);
  const askMe = once(async () => {
    const api = await connect();
    return textAt(await ifRouteExists(() => api.record(routes.me())), 'id');
  });

  async function pages(paging: Paging): Promise<AsyncGenerator<Page> | undefined> {
    const remembered = await rememberedMe();
    const found = remembered && (await pagesOf(remembered, paging));
    if (found) return found;
    // The store of the service may be a new one, where the caller has another id.
    const me = await askMe();
    return me === undefined || me === remembered ? undefined : pagesOf(me, paging);
  }

  async function pagesOf(user: string, paging: Paging): Promise<AsyncGenerator<Page> | undefined> {
    const all = (await connect()).pages(routes.userVals(user), paging);
    const first = await ifRouteExists(() => all.next());
    if (first === undefined) return undefined;
    return (async function* () {
      if (first.done) return;
      yield first.value;
      yield* all;
    })();
  }

  async function isMe(owner: string | undefined): Promise<boolean> {
    if (owner === undefined || owner === (await rememberedMe())) return true;
    return owner === (await askMe());
  }

  const open = once(() => pages({ all: true }));
  const all = once(async () => {
    const found = await open();
    if (found === undefined) return undefined;
    const vals = new Map<string, ValInList>();
    for await (const { records } of found) {
      for (const record of records) {
        const val = valInList(record);
        if (val !== undefined) vals.set(val.id, val);
      }
    }
    return [...vals.values()];
  });

  const byName = once(async () => {
    const vals = new Map<string | undefined, ValInList[]>();
    for (const val of (await all()) ?? []) {
      const sameName = vals.get(val.name);
      if (sameName === undefined) vals.set(val.name, [val]);
      else sameName.push(val);
    }
    return vals;
  });

  return {
    pages,
    all,
    isMe,
    canList: async () => (await open()) !== undefined,
    async named(name) {
      const mine: ValInList[] = [];
      for (const val of (await byName()).get(name) ?? []) if (await isMe(val.owner)) mine.push(val);
      return mine;
    },
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
    privacy: textAt(record, 'privacy'),
    owner: ownerOf(record)?.id,
    ...newestVersionOf(record),
  };
}

/** When the current version was made, and by whom. The times and the author of the val may be others. */
export const newestVersionOf = (record: JsonObject): Pick<ValInList, 'madeAt' | 'madeBy'> => ({
  madeAt: textAt(record, 'versionCreatedAt'),
  madeBy: personAt(record, 'versionAuthor'),
});
