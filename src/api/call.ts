// A request to the service, as a command describes it.
import type { JsonValue } from '../lib/json.ts';

/** The part of a successful answer that is remembered for later commands. */
type Remembered =
  | { kind: 'caller' }
  /** `isMine` is false if the owner is not certain. */
  | { kind: 'val'; isMine: boolean }
  | { kind: 'vals'; owner?: string }
  | { kind: 'deletion' };

export interface Call {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  /** The id of the val, if a 404 means that the val does not exist. */
  val?: string;
  remember?: Remembered;
  /** JSON that is sent byte for byte instead of `body`. */
  text?: string;
  /** Some services require `limit` and `offset`, although the answer is not a list. */
  mayRequirePaging?: boolean;
  acceptsAnyAnswer?: boolean;
  withoutToken?: boolean;
  /** The hint if it is not known whether the service made the change. */
  ifUnknown?: string;
  /** Error messages by HTTP status. */
  meanings?: Record<number, string>;
  hints?: Record<number, string>;
}
