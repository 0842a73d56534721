// What is to be sent, before anybody sends it.
import type { JsonValue } from '../lib/json.ts';

export interface Call {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  /** The body's own text, where it goes out byte for byte. */
  text?: string;
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
