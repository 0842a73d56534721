import { BadResponseError, hasStatus, isInvalidRequest } from '../errors.ts';
import { isObject, type JsonObject, type Page, textAt } from '../lib/json.ts';
import { looksLikeId } from '../routes.ts';
import type { Call, Reply, Request } from './call.ts';
import { type FollowOptions, follow, largestPage, listPages, type Paging } from './lists/pages.ts';
import { nextLinkIn, recordsIn } from './record-fields.ts';

/** A val as the service sent it. */
export interface ReadVal {
  record: JsonObject;
  etag: string | undefined;
}

export interface Api {
  send(call: Call): Promise<Reply>;
  record(call: Call): Promise<JsonObject>;
  /** Send the ETag as `ifMatch` with the next write, so that a change in between is a conflict. */
  recordWithEtag(call: Call): Promise<ReadVal>;
  /** The whole list, if no paging is given. */
  pages(call: Call, paging?: Paging): AsyncGenerator<Page>;
  follow(call: Call, last: number): AsyncGenerator<Page>;
  /** Throws the error that sending the call would bring, if the call contains the token. */
  refuseToken(call: Call): void;
}

export interface ApiOptions extends Omit<FollowOptions, 'readNewest' | 'last'> {
  /** Called if the service sends the same records again and again, so that a list may not be whole. */
  onStuck(): void;
  refuseToken: Api['refuseToken'];
}

export function createApi(request: Request, options: ApiOptions): Api {
  const { onStuck, refuseToken } = options;
  let demandsPaging = false;
  const isPaged = ({ paging }: Call) => paging === 'always' || (paging === 'on demand' && demandsPaging);

  /** Some services refuse to read a version or a list of versions without limit and offset. */
  async function requestPagedOnDemand(call: Call): Promise<Reply> {
    if (call.paging !== 'on demand' || call.query !== undefined) return request(call);
    const paged = { ...call, query: new URLSearchParams({ limit: `${largestPage}`, offset: '0' }) };
    if (demandsPaging) return request(paged);
    try {
      return await request(call);
    } catch (error) {
      if (!isInvalidRequest(error)) throw error;
      const reply = await request(paged);
      demandsPaging = true;
      return reply;
    }
  }

  async function recordWithEtag(call: Call) {
    const { body, etag } = await requestPagedOnDemand({ ...call, expects: 'record' });
    if (call.route === 'getVal') refuseOther(call, textAt(body, 'id'));
    return { record: isObject(body) ? body : {}, etag };
  }

  const pages: Api['pages'] = (call, paging = { all: true }) =>
    listPages({
      async fetchPage(query) {
        const asked = { ...call, ...(query.size > 0 && { query }), expects: 'list' as const };
        const { body } = await requestPagedOnDemand(asked);
        return { records: recordsIn(body), next: nextQueryOf(nextLinkIn(body)), isWholeList: !isPaged(call) };
      },
      filters: new URLSearchParams(call.query),
      paging,
      isPaged: isPaged(call),
      onStuck,
    });

  async function readNewest(call: Call, limit: number): Promise<JsonObject[]> {
    const all: JsonObject[] = [];
    for await (const { records } of pages(call, { limit })) all.push(...records);
    return all;
  }

  return {
    send: request,
    record: async (call) => (await recordWithEtag(call)).record,
    recordWithEtag,
    pages,
    follow: (call, last) => follow({ ...options, last, readNewest: (count) => readNewest(call, count) }),
    refuseToken,
  };
}

/** What is no id at all is no other val. */
function refuseOther({ val }: Call, sent = ''): void {
  if (val === undefined || !looksLikeId(sent) || sent.toLowerCase() === val.id.toLowerCase()) return;
  throw new BadResponseError(`The service sent the val ${sent} instead of ${val.id}.`);
}

/** Of a link, only the query is used, so that the token goes nowhere else. */
function nextQueryOf(link: ReturnType<typeof nextLinkIn>): URLSearchParams | null | undefined {
  if (typeof link !== 'string') return link === undefined ? undefined : null;
  const [withoutHash = ''] = link.split('#', 1);
  const queryStart = withoutHash.indexOf('?');
  return new URLSearchParams(queryStart === -1 ? '' : withoutHash.slice(queryStart + 1));
}

const statusesWithoutRoute = [404, 405, 501];

/** Returns undefined if the service has no such route: not every service has every route. */
export const ifRouteExists = <Result>(ask: () => Promise<Result>): Promise<Result | undefined> =>
  undefinedOn(statusesWithoutRoute, ask);

/** Returns undefined if the service has no such thing (any more), or no such route. */
export const ifPresent = <Result>(ask: () => Promise<Result>): Promise<Result | undefined> =>
  undefinedOn([...statusesWithoutRoute, 410], ask);

async function undefinedOn<Result>(
  statuses: readonly number[],
  ask: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (hasStatus(error, ...statuses)) return undefined;
    throw error;
  }
}
