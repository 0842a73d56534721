import { BadResponseError, isInvalidRequest, LocalError } from '../errors.ts';
import { isObject, type JsonObject, type Page } from '../lib/json.ts';
import { holdsSecret } from '../lib/visible.ts';
import type { Call, Reply, Request } from './call.ts';
import { type FollowNotes, type FollowOptions, follow } from './lists/follow.ts';
import { type FetchedPage, largestPage, listPages, type Paging } from './lists/pages.ts';
import { listOf, nextQueryOf, recordOf } from './records.ts';

export interface Api {
  send(call: Call): Promise<Reply>;
  holdsToken(text: string): boolean;
  refuseToken(call: Call): void;
  record(call: Call): Promise<JsonObject>;
  /** Send the ETag as `ifMatch` with the next write, so that a change in between is a conflict. */
  recordWithEtag(call: Call): Promise<{ record: JsonObject; etag: string | undefined }>;
  pages(call: Call, paging?: Paging): AsyncGenerator<Page>;
  follow(call: Call, last: number): AsyncGenerator<Page>;
}

export interface ApiOptions extends Pick<FollowOptions, 'clock' | 'signal'> {
  notes: FollowNotes;
  token: string | undefined;
}

const sentToken = ({ method, path }: Call): BadResponseError =>
  new BadResponseError('The service sent your token in the link to the next page of a list.', {
    hint: 'Do not trust this service. Revoke the token, and log in to a service that you know.',
    method,
    path,
  });

const tokenIn = (field: string): LocalError =>
  new LocalError(`The ${field} contains your token, so it was not sent.`, {
    hint: `Remove your token from the ${field}. Otherwise anybody who can read the ${field} could act as you.`,
  });

export function createApi(send: Request, { notes, token, clock, signal }: ApiOptions): Api {
  const holdsToken = (text: string): boolean => token !== undefined && holdsSecret(text, token);
  const refuseToken = ({ body }: Call): void => {
    if (!isObject(body)) return;
    for (const field of ['code', 'readme', 'name', 'privacy', 'error']) {
      const text = body[field];
      if (typeof text === 'string' && holdsToken(text)) throw tokenIn(field);
    }
  };
  const request = async (call: Call): Promise<Reply> => {
    refuseToken(call);
    return send(call);
  };
  const fetchPage = async (call: Call, query: URLSearchParams): Promise<FetchedPage> => {
    const { body = null } = await request({ ...call, query });
    const next = nextQueryOf(body, call);
    // A link with the token must not be followed, because servers write the addresses of requests to their logs.
    if (next && [...next].flat().some(holdsToken)) throw sentToken(call);
    return { records: listOf(body, call), next };
  };
  const pages = (call: Call, paging: Paging | undefined, recordsHaveIds: boolean) =>
    listPages({
      fetchPage: (query) => fetchPage(call, query),
      filters: new URLSearchParams(call.query),
      paging,
      recordsHaveIds,
    });
  async function* wholeListOrPages(call: Call): AsyncGenerator<Page> {
    let hasBegun = false;
    try {
      for await (const page of pages(call, undefined, false)) {
        hasBegun = true;
        yield page;
      }
    } catch (error) {
      if (hasBegun || !isInvalidRequest(error)) throw error;
      // The service may require paging.
      yield* pages(call, { all: true }, false);
    }
  }
  async function recordWithEtag(call: Call) {
    const { body, etag } = await request(call).catch((error) => {
      if (!call.mayRequirePaging || !isInvalidRequest(error)) throw error;
      return request({ ...call, query: new URLSearchParams({ limit: `${largestPage}`, offset: '0' }) });
    });
    return { record: body === undefined ? {} : recordOf(body, call), etag };
  }
  return {
    holdsToken,
    refuseToken,
    send: request,
    recordWithEtag,
    record: async (call) => (await recordWithEtag(call)).record,
    pages: (call, paging) => (paging === undefined ? wholeListOrPages(call) : pages(call, paging, true)),
    follow: (call, last) =>
      follow({
        fetchPage: (query) => fetchPage(call, query),
        filters: new URLSearchParams(call.query),
        last,
        clock,
        signal,
        notes,
      }),
  };
}
