import type { Fault } from './faults.ts';

export const isStatus = (fault: Fault, status: number): boolean =>
  fault.kind === 'status' && fault.status === status;

/** The first attempt and three retries, within the deadline of the call. */
export const maxAttempts = 4;
export const connectTimeoutMs = 5_000;
const minAttemptLimitMs = 10_000;

/** One attempt of a repeatable request gets half of the time limit, so that time is left for a retry. */
export const attemptLimitMs = (method: string, deadlineMs: number): number =>
  isRepeatable(method) ? Math.max(minAttemptLimitMs, deadlineMs / 2) : deadlineMs;

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
const repeatableMethods = new Set([...readMethods, 'PUT', 'DELETE']);
const temporaryStatuses = new Set([408, 429, 500, 502, 503, 504]);
const notHandledStatuses = new Set([429, 503]);

export const isRead = (method: string): boolean => readMethods.has(method);
const isRepeatable = (method: string): boolean => repeatableMethods.has(method);

export const asksForFewer = (fault: Fault): boolean =>
  fault.kind === 'lost' || (fault.kind === 'status' && notHandledStatuses.has(fault.status));

export function maySendAgain(method: string, fault: Fault): boolean {
  switch (fault.kind) {
    case 'not_connected':
      return true;
    case 'lost':
    case 'timed_out':
      return isRepeatable(method);
    case 'status':
      return (isRepeatable(method) ? temporaryStatuses : notHandledStatuses).has(fault.status);
    case 'unreadable':
      return isRead(method);
    case 'rejected':
    case 'unusable':
    case 'interrupted':
    case 'no_token':
    case 'secret':
      return false;
  }
}

export function mayHaveBeenApplied(method: string, fault: Fault): boolean {
  if (isRead(method)) return false;
  switch (fault.kind) {
    case 'lost':
    case 'timed_out':
    case 'unreadable':
    case 'unusable':
      return true;
    case 'status':
      return fault.status === 408 || (fault.status >= 500 && !notHandledStatuses.has(fault.status));
    case 'not_connected':
    case 'rejected':
    case 'interrupted':
    case 'no_token':
    case 'secret':
      return false;
  }
}

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;

/** A repeated DELETE finds nothing if an earlier attempt deleted it. Otherwise there never was such a thing. */
export const isDone = (method: string, fault: Fault, maybeApplied: boolean): boolean =>
  method === 'DELETE' && maybeApplied && isStatus(fault, 404);

/** The delay is random (full jitter), so that many clients do not retry at the same moment. */
export function backoffMs(attempt: number, fault: Fault, random: number): number {
  const jittered = random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
  const retryAfterMs = fault.kind === 'status' ? (fault.retryAfterMs ?? 0) : 0;
  return Math.max(retryAfterMs, jittered);
}

export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  // Date.parse also accepts texts that are not dates, so the header must contain a year and a time.
  const date = /\d{4}.*:/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
