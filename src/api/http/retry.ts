// What may be sent again, and when: pure functions of the method, the fault and what is known to have been sent.

/** What one attempt met instead of an answer. */
export type Fault = { reason: string } & (
  | { kind: 'not_connected'; hint?: string }
  /** TLS or a proxy is in the way: the service had nothing of it, and asking again would bring the same. */
  | { kind: 'barred'; hint: string }
  /** The connection broke after the request may have gone out. */
  | { kind: 'lost'; hint?: string }
  /** The same, by an error of TLS, after which nothing is tried again. */
  | { kind: 'tls_broken' }
  | { kind: 'timed_out' }
  | { kind: 'status'; status: number; body?: unknown; retryAfterMs?: number }
  /** A success whose body is not JSON. */
  | { kind: 'unreadable'; status: number; body?: string }
  /** A redirect, a compressed or an oversized answer: asking again would bring the same. */
  | { kind: 'senseless'; status: number }
);

export const maxAttempts = 4;

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);
const passingStatuses = new Set([408, 429, 500, 502, 503, 504]);
/** Statuses with which a service says that it did not even begin. */
const untouchedStatuses = new Set([429, 503]);

/** What a service that has too much to do at a time answers, or does. */
export const asksForFewer = (fault: Fault): boolean =>
  fault.kind === 'lost' || (fault.kind === 'status' && untouchedStatuses.has(fault.status));

export const isRepeatable = (method: string): boolean => repeatable.has(method);
export const isRead = (method: string): boolean => reading.has(method);

export function maySendAgain(method: string, fault: Fault): boolean {
  switch (fault.kind) {
    case 'not_connected':
      return true;
    case 'lost':
    case 'timed_out':
      return isRepeatable(method);
    case 'status':
      return (isRepeatable(method) ? passingStatuses : untouchedStatuses).has(fault.status);
    case 'unreadable':
      return isRead(method);
    case 'barred':
    case 'tls_broken':
    case 'senseless':
      return false;
  }
}

/** Whether a write that met this fault may have been applied all the same. */
export function mayHaveBeenApplied(method: string, fault: Fault): boolean {
  if (isRead(method)) return false;
  switch (fault.kind) {
    case 'lost':
    case 'tls_broken':
    case 'timed_out':
    case 'unreadable':
    case 'senseless':
      return true;
    case 'status':
      return fault.status === 408 || (fault.status >= 500 && !untouchedStatuses.has(fault.status));
    case 'not_connected':
    case 'barred':
      return false;
  }
}

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;

/** Full jitter, so that many clients do not come back at once; the service's Retry-After is a floor. */
export function backoffMs(attempt: number, fault: Fault, random: number): number {
  const jittered = random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
  const floor = fault.kind === 'status' ? (fault.retryAfterMs ?? 0) : 0;
  return Math.max(floor, jittered);
}

/** Retry-After as seconds or as a date; anything else is as good as none. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  const date = /\d{4}.*:/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
