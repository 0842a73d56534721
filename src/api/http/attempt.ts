// The result of one attempt to send a request: an answer or a fault.
import type { JsonValue } from '../../lib/json.ts';

export interface Answer {
  status: number;
  /** Undefined if the service sent no body. */
  body: JsonValue | undefined;
  isLarge?: boolean;
}

/** Why one attempt did not succeed. */
export type Fault = { reason: string } & (
  | { kind: 'not_connected'; hint?: string }
  /** TLS or a proxy rejected the connection. Nothing reached the service, and a retry would fail too. */
  | { kind: 'rejected'; hint: string }
  /** The connection broke after the request may have gone out. */
  | { kind: 'lost'; hint?: string }
  /** The connection broke with a TLS error after the request may have gone out. The request is never retried. */
  | { kind: 'tls_broken' }
  /** There was no answer in time, or the user interrupted, after the request may have gone out. */
  | { kind: 'timed_out' }
  /** The service answered with the status of an error, such as 404. */
  | { kind: 'status'; status: number; body?: unknown; retryAfterMs?: number }
  /** The service answered with a success, but the body is not JSON. */
  | { kind: 'unreadable'; status: number; body?: string }
  /** The answer is a redirect, or it is compressed or too large. A retry would bring the same answer. */
  | { kind: 'unusable'; status: number }
);

export const isFault = (result: Answer | Fault): result is Fault => 'kind' in result;

export const hasStatus = (fault: Fault, status: number): boolean =>
  fault.kind === 'status' && fault.status === status;
