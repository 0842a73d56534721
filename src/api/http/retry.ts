// Decides whether and when to retry a request, from the method and the fault.
import type { Fault } from './attempt.ts';

export const maxAttempts = 4;

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);
const temporaryStatuses = new Set([408, 429, 500, 502, 503, 504]);
/** These statuses mean that the service did not start to handle the request. */
const untouchedStatuses = new Set([429, 503]);

/** Whether the fault shows that the service has too many requests at a time. */
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
      return (isRepeatable(method) ? temporaryStatuses : untouchedStatuses).has(fault.status);
    case 'unreadable':
      return isRead(method);
    case 'rejected':
    case 'tls_broken':
    case 'unusable':
      return false;
  }
}

/** Whether a write may have been applied despite this fault. */
export function mayHaveBeenApplied(method: string, fault: Fault): boolean {
  if (isRead(method)) return false;
  switch (fault.kind) {
    case 'lost':
    case 'tls_broken':
    case 'timed_out':
    case 'unreadable':
    case 'unusable':
      return true;
    case 'status':
      return fault.status === 408 || (fault.status >= 500 && !untouchedStatuses.has(fault.status));
    case 'not_connected':
    case 'rejected':
      return false;
  }
}

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;

/** The delay is random (full jitter), so that many clients do not retry at once. It is at least the service's Retry-After. */
export function backoffMs(attempt: number, fault: Fault, random: number): number {
  const jittered = random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
  const floor = fault.kind === 'status' ? (fault.retryAfterMs ?? 0) : 0;
  return Math.max(floor, jittered);
}

/** Retry-After is a number of seconds or a date; anything else is ignored. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  // Date.parse also accepts many texts that are not dates, so the header must contain a year and a time.
  const date = /\d{4}.*:/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
