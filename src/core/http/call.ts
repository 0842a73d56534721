import type { JsonValue } from '../lib/json.ts';

/** The name of a function of routes.ts, or `any` for a request that the user wrote. */
export type RouteName =
  | 'any'
  | 'changeVal'
  | 'createToken'
  | 'createVal'
  | 'createVersion'
  | 'deleteToken'
  | 'deleteVal'
  | 'deleteVersion'
  | 'getRun'
  | 'getVal'
  | 'getVersion'
  | 'listVersions'
  | 'me'
  | 'myComments'
  | 'myLikes'
  | 'myReferences'
  | 'myRuns'
  | 'mySpaces'
  | 'myTokens'
  | 'pageLink'
  | 'putVal'
  | 'reportRun'
  | 'userVals'
  | 'valOfOwner'
  | 'valRuns';

/** A request as data. What its failure means to the user is in failures/statuses.ts. */
export interface Call {
  route: RouteName;
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  /** The body as it was given, if it must be sent byte for byte. */
  text?: string;
  /** The ETag of the val as it was read. The service makes the change only if the val still has this ETag. */
  ifMatch?: string | undefined;
  /** The val in the path, and what the user calls it. */
  val?: { id: string; word: string };
  version?: number;
  user?: string;
  /**
   * Whether `limit` and `offset` are sent: with every request of a list, or only to a service that refuses requests
   * without them. Otherwise they are never sent.
   */
  paging?: 'always' | 'on demand';
  /** Any other body is a fault. */
  expects?: 'record' | 'list';
  /** For `vals api`: the reply may be empty, and the body of the reply to a DELETE is shown. */
  isRaw?: boolean;
  tokenIsOptional?: boolean;
  /** A second one does no harm, although it is a POST: the service refuses it if the first one was made. */
  mayRepeat?: boolean;
  /** Asks the service what became of a write whose outcome is open. Then even a POST may be sent again. */
  findOutcome?(): Promise<Found>;
}

/** The reply that the write would have had, or that it was not made. Undefined if that cannot be told. */
export type Found = Reply | 'not made' | undefined;

export interface Reply {
  status: number;
  body: JsonValue | undefined;
  etag?: string;
}

/** Sends a call and returns the reply. Throws an error if the service did not do what the call asks for. */
export type Request = (call: Call) => Promise<Reply>;
