// The only model of the retry rules and the exit codes. It imports nothing from src, so that a mistake in src is not
// repeated in the expectations of the tests.

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Reads = 'record' | 'list' | 'what there is' | 'nothing';

export type Meeting =
  | { kind: 'hung up'; taken: 'yes' | 'no' | 'maybe' }
  | { kind: 'cut' }
  | { kind: 'silence'; begun: boolean; unread?: boolean }
  | { kind: 'status'; status: number; retryAfter?: 'soon' | 'past the deadline' }
  | { kind: 'redirect' | 'no status' }
  | { kind: 'compressed' | 'too large' | 'not JSON' | 'empty' | 'not HTTP' }
  | { kind: 'value'; value: unknown };

export interface Expected {
  exits: readonly number[];
  requests: readonly [number, number];
}

export interface Asking {
  method: Method;
  reads: Reads;
}

const mostAttempts = 4;

export function expected(asking: Asking, meeting: Meeting, forever: boolean): Expected {
  const { method } = asking;
  const exits = exitsOf(asking, meeting);
  if (exits.length === 1 && exits[0] === 0) return { exits, requests: [1, 1] };
  const counted: [number, number] = countedOf(meeting);
  switch (sentAgain(method, meeting)) {
    case 'no':
      return { exits, requests: counted };
    case 'yes':
      if (!forever) return { exits: [0], requests: [counted[0] + 1, counted[1] + 1] };
      if (isNoAttempt(meeting)) return { exits, requests: [mostAttempts + 1, Number.POSITIVE_INFINITY] };
      return { exits, requests: [counted[0] * attempts(meeting), counted[1] * attempts(meeting)] };
    case 'maybe': {
      const most = forever ? attempts(meeting) : 2;
      return { exits: forever ? exits : [0, ...exits], requests: [counted[0], method === 'POST' ? 1 : most] };
    }
  }
}

function attempts(meeting: Meeting): number {
  return meeting.kind === 'silence' ? 2 : mostAttempts;
}

/** A request that is refused so is sent until the deadline. */
const isNoAttempt = (meeting: Meeting): boolean => meeting.kind === 'status' && meeting.status === 429;

/** The service says when to come back, so it took nothing. */
const isBusy = ({ status, retryAfter }: Extract<Meeting, { kind: 'status' }>): boolean =>
  status === 429 || (status === 503 && retryAfter !== undefined);

function countedOf(meeting: Meeting): [number, number] {
  if (meeting.kind === 'silence' && meeting.unread) return [0, 0];
  if (meeting.kind !== 'hung up') return [1, 1];
  return { yes: [1, 1], no: [0, 0], maybe: [0, 1] }[meeting.taken] as [number, number];
}

function sentAgain(method: Method, meeting: Meeting): 'yes' | 'no' | 'maybe' {
  const yesNo = (yes: boolean) => (yes ? 'yes' : 'no');
  switch (meeting.kind) {
    case 'hung up':
      if (method === 'POST') return meeting.taken === 'yes' ? 'no' : 'maybe';
      return 'yes';
    case 'cut':
    case 'silence':
    case 'not HTTP':
      return yesNo(method !== 'POST');
    case 'status': {
      if (meeting.retryAfter === 'past the deadline') return 'no';
      if (isBusy(meeting)) return 'yes';
      return yesNo(method !== 'POST' && [408, 500, 502, 503, 504].includes(meeting.status));
    }
    case 'not JSON':
    case 'empty':
      return yesNo(method === 'GET');
    case 'redirect':
    case 'no status':
    case 'compressed':
    case 'too large':
    case 'value':
      return 'no';
  }
}

function exitsOf({ method, reads }: Asking, meeting: Meeting): readonly number[] {
  const isRead = method === 'GET';
  const unknownOrUnavailable = isRead ? 7 : 8;
  switch (meeting.kind) {
    case 'hung up':
      return isRead ? [7] : meeting.taken === 'yes' ? [8] : [7, 8];
    case 'cut':
      return [method === 'DELETE' ? 0 : unknownOrUnavailable];
    case 'silence':
      return [method === 'DELETE' && meeting.begun ? 0 : unknownOrUnavailable];
    case 'status':
      return [isBusy(meeting) ? 7 : exitOfStatus(meeting.status, isRead)];
    case 'redirect':
    case 'no status':
      return [11];
    case 'too large':
    case 'compressed':
    case 'not JSON':
      return [method === 'DELETE' ? 0 : 11];
    case 'empty':
      return [isRead ? 11 : 0];
    case 'not HTTP':
      return [unknownOrUnavailable];
    case 'value':
      return [isRightShape(reads, meeting.value) ? 0 : 11];
  }
}

function exitOfStatus(status: number, isRead: boolean): number {
  if ([404, 405, 410, 501].includes(status)) return 3;
  if (status === 401 || status === 403) return 4;
  if (status === 409 || status === 412) return 5;
  if (status === 408 || status >= 500) return isRead ? 7 : 8;
  return 6;
}

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isRightShape(reads: Reads, value: unknown): boolean {
  if (reads === 'record') return isRecord(value);
  if (reads !== 'list') return true;
  const rows = rowsOf(value);
  return rows?.every(isRecord) ?? false;
}

export function rowsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  const arrays = Object.values(value as object).filter(Array.isArray);
  return arrays.length === 1 ? arrays[0] : undefined;
}
