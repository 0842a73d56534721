import type { Hints } from '../../lib/hint.ts';
import type { JsonValue } from '../../lib/json.ts';

export interface Answer {
  status: number;
  body: JsonValue | undefined;
  bodyBytes?: number;
  etag?: string;
}

export type Fault = { reason: string } & (
  | { kind: 'not_connected'; hint?: Hints }
  /** TLS or a proxy rejected the connection. A retry would fail too. */
  | { kind: 'rejected'; hint: Hints }
  | { kind: 'lost'; hint?: Hints }
  /** TLS failed after the request was sent, so the service may have received the request. */
  | { kind: 'tls_broken' }
  | { kind: 'timed_out' }
  | { kind: 'status'; status: number; message?: string; body?: unknown; retryAfterMs?: number }
  /** The status is a success, but the body is not JSON. */
  | { kind: 'unreadable'; status: number; body?: string }
  /**
   * The answer is a redirect, compressed, too large, nested too deeply, or an error with the status of a success. A
   * retry would bring the same answer.
   */
  | { kind: 'unusable'; status: number }
);

export const isFault = (result: Answer | Fault): result is Fault => 'kind' in result;

export const hasStatus = (fault: Fault, status: number): boolean =>
  fault.kind === 'status' && fault.status === status;
