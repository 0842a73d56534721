// A request as data, before it is sent.
import type { JsonValue } from '../lib/json.ts';

/** Tells which vals or user a successful answer contains, or that a val was deleted. The cache of seen vals is updated from it. */
type Carried =
  | { kind: 'caller' }
  /** `isMine`: the val surely belongs to the caller, because a write by name reaches only the caller's vals. */
  | { kind: 'val'; isMine: boolean }
  /** `owner`: the user who owns all vals of the list. */
  | { kind: 'vals'; owner?: string }
  | { kind: 'deletion' };

export interface Call {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  /** The id of the val. It is set only if a 404 means that the val is gone. */
  val?: string;
  carries?: Carried;
  /** The body as JSON text, for a body that has to be sent byte for byte. */
  text?: string;
  /** Whether some services require `limit` and `offset`, although the answer is not a list. */
  maybePaged?: boolean;
  /** The answer may be any JSON, or nothing. */
  acceptsAnyAnswer?: boolean;
  /** The service may answer this call without a token. */
  withoutToken?: boolean;
  /** The hint if the answer to a write was lost. The hint tells how to find out whether the service applied the write. */
  ifUnknown?: string;
  /** Error messages by HTTP status, for statuses that have a special meaning for this call. */
  meanings?: Record<number, string>;
  /** Hints by HTTP status, for statuses that have a special meaning for this call. */
  hints?: Record<number, string>;
}
