import { isInvalidRequest } from '../errors.ts';
import type { JsonObject, Page } from '../lib/json.ts';
import type { Call, Reply, Request } from './call.ts';
import { type FollowNotes, type FollowOptions, follow } from './lists/follow.ts';
import { type FetchedPage, type ListOptions, largestPage, listPages, type Paging } from './lists/pages.ts';
import { listIn, nextQueryOf, recordIn } from './record-fields.ts';

export interface Api {
  send(call: Call): Promise<Reply>;
  holdsToken(text: string): boolean;
  /** Throws the error that sending the call would bring, if the call contains the token. */
  refuseToken(call: Call): void;
  record(call: Call): Promise<JsonObject>;
  /** Send the ETag as `ifMatch` with the next write, so that a change in between is a conflict. */
  recordWithEtag(call: Call): Promise<{ record: JsonObject; etag: string | undefined }>;
  pages(call: Call, paging?: Paging): AsyncGenerator<Page>;
  follow(call: Call, last: number): AsyncGenerator<Page>;
}

export interface ApiOptions extends Pick<FollowOptions, 'clock' | 'signal'> {
  notes: FollowNotes;
  holdsToken: Api['holdsToken'];
  refuseToken: Api['refuseToken'];
}

export function createApi(
  request: Request,
  { notes, holdsToken, refuseToken, clock, signal }: ApiOptions,
): Api {
  const fetchPage = async (call: Call, query: URLSearchParams): Promise<FetchedPage> => {
    const { body = null } = await request({ ...call, query });
    return { records: listIn(body, call), next: nextQueryOf(body, call) };
  };
  const pages = (call: Call, options: Pick<ListOptions, 'paging' | 'recordsHaveIds'>) =>
    listPages({
      fetchPage: (query) => fetchPage(call, query),
      filters: new URLSearchParams(call.query),
      ...options,
    });
  async function* wholeListOrPages(call: Call): AsyncGenerator<Page> {
    let hasBegun = false;
    try {
      for await (const page of pages(call, { paging: undefined, recordsHaveIds: false })) {
        hasBegun = true;
        yield page;
      }
    } catch (error) {
      if (hasBegun || !isInvalidRequest(error)) throw error;
      // The service may require paging.
      yield* pages(call, { paging: { all: true }, recordsHaveIds: false });
    }
  }
  async function recordWithEtag(call: Call) {
    const { body, etag } = await request(call).catch((error) => {
      if (!call.mayRequirePaging || !isInvalidRequest(error)) throw error;
      return request({ ...call, query: new URLSearchParams({ limit: `${largestPage}`, offset: '0' }) });
    });
    return { record: body === undefined ? {} : recordIn(body, call), etag };
  }
  return {
    holdsToken,
    refuseToken,
    send: request,
    recordWithEtag,
    record: async (call) => (await recordWithEtag(call)).record,
    pages: (call, paging) =>
      paging === undefined ? wholeListOrPages(call) : pages(call, { paging, recordsHaveIds: true }),
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
