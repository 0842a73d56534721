import type { JsonValue } from '../lib/json.ts';

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
  | 'searchVals'
  | 'userVals'
  | 'valRuns';

/** A request as data. What its failure means to the user is in cli/explain, by its route. */
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
  /** With `*`, the service makes the change only if there is no val of that name yet. */
  ifNoneMatch?: '*' | undefined;
  /** The id of the val in the path. */
  val?: string;
  version?: number;
  user?: string;
  mayRequirePaging?: boolean;
  isRaw?: boolean;
  tokenIsOptional?: boolean;
  /** The retrying stage fills this in. */
  attempt?: Attempt;
}

interface Attempt {
  number: number;
  limitMs: number;
  /** The same for all attempts of a POST. */
  idempotencyKey: string | undefined;
}

export interface Reply {
  status: number;
  body: JsonValue | undefined;
  /** The body as it came, of a raw call. */
  text?: string;
  etag?: string;
}

/** Sends a call and returns the reply. Throws an error if the service did not do what the call asks for. */
export type Request = (call: Call) => Promise<Reply>;

/** One concern of the way of a request. cli/connection.ts lists the stages in order. */
export type RequestStage = (next: Request) => Request;
