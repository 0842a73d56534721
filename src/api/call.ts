// What is to be sent, before anybody sends it.
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
  /** The body's own text, where it goes out byte for byte. */
  text?: string;
  /** Some services take this only with `limit` and `offset`, though it is no list. */
  maybePaged?: boolean;
  /** The answer may be any JSON, or nothing. */
  open?: boolean;
  /** The service may answer this without a token. */
  withoutToken?: boolean;
  /** How to find out whether a write whose answer was lost was applied. */
  ifUnknown?: string;
  /** What a status of the service means here, where that is better known than in general. */
  meanings?: Record<number, string>;
  /** What to do when the service answers with a status, where that is better known than in general. */
  hints?: Record<number, string>;
}
