// A request as data, before it is sent.
import type { JsonValue } from '../lib/json.ts';

type Carried =
  | { kind: 'caller' }
  /** `isMine`: the answer to a write by name, which reaches the caller's own vals alone. */
  | { kind: 'val'; isMine: boolean }
  /** `owner`: whose list it is. */
  | { kind: 'vals'; owner?: string }
  | { kind: 'deletion' };

export interface Call {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  /** The id of the val that it is about, if a 404 means that this val is gone. */
  val?: string;
  /** What a good answer tells about vals, which this machine remembers. */
  carries?: Carried;
  /** The text of the body, if it is sent byte for byte. */
  text?: string;
  /** Some services take this only with `limit` and `offset`, though it is no list. */
  maybePaged?: boolean;
  /** The answer may be any JSON, or nothing. */
  open?: boolean;
  /** The service may answer this without a token. */
  withoutToken?: boolean;
  /** How to find out whether a write whose answer was lost was applied. */
  ifUnknown?: string;
  /** Messages for statuses that mean something particular for this call. */
  meanings?: Record<number, string>;
  /** Hints for statuses that mean something particular for this call. */
  hints?: Record<number, string>;
}
