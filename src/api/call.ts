// What is to be sent, before anybody sends it.
import type { JsonObject } from '../json.ts';

export type Query = Record<string, string>;

export interface Call {
  method: string;
  path: string;
  query?: Query | URLSearchParams;
  body?: JsonObject;
  /** It is answered with a list. */
  list?: boolean;
  /** The service may answer this without a token. */
  withoutToken?: boolean;
  /** How to find out whether a write whose answer was lost was applied. */
  ifUnknown?: string;
  /** What to do when the service answers with a status, where that is better known than in general. */
  hints?: Record<number, string>;
}
