// A request as data, before it is sent.
import type { JsonValue } from '../lib/json.ts';

/** The vals or the caller in a successful answer. This machine remembers them. */
type Carried =
  | { kind: 'caller' }
  /** `isMine`: the val surely belongs to the caller, because a write by name reaches only the caller's vals. */
  | { kind: 'val'; isMine: boolean }
  /** `owner`: the user whose vals the list has. */
  | { kind: 'vals'; owner?: string }
  | { kind: 'deletion' };

export interface Call {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  /** The id of the val, if a 404 means that the val is gone. */
  val?: string;
  carries?: Carried;
  /** The text of `body`, if it has to be sent byte for byte. */
  text?: string;
  /** Whether some services require `limit` and `offset`, although the answer is not a list. */
  maybePaged?: boolean;
  /** The answer may be any JSON, or nothing. */
  acceptsAnyAnswer?: boolean;
  /** The service may answer this without a token. */
  withoutToken?: boolean;
  /** The hint if the answer to a write was lost: how to find out whether the write was applied. */
  ifUnknown?: string;
  /** Messages for statuses that mean something particular for this call. */
  meanings?: Record<number, string>;
  /** Hints for statuses that mean something particular for this call. */
  hints?: Record<number, string>;
}
