import {
  AuthError,
  BadResponseError,
  ConflictError,
  type ErrorFacts,
  LocalError,
  NotFoundError,
  RefusedError,
  type Scope,
  UnavailableError,
  type ValsError,
} from '../../errors.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { Call } from '../call.ts';
import { concernsCaller, saysNotApplied } from '../error-body.ts';

export const connectTimeoutMs = 5_000;

/** Why an attempt did not bring a usable reply. */
export type Fault =
  | { kind: 'no token' }
  /** This part of the call contains the token. */
  | { kind: 'secret'; part: string }
  | { kind: 'interrupted' }
  | { kind: 'not connected'; trouble: Trouble }
  /** TLS rejected the connection. */
  | { kind: 'rejected'; trouble: Trouble }
  | { kind: 'lost'; trouble: Trouble }
  | { kind: 'timed out'; trouble: Trouble }
  | { kind: 'status'; status: number; body: unknown; retryAfterMs?: number | undefined }
  /** The status is a success, but the body is not JSON. */
  | { kind: 'unreadable'; status: number; problem: 'not UTF-8' | 'empty' | 'not JSON'; body?: string }
  | { kind: 'unusable'; status: number; problem: UnusableReply };

export type UnusableReply =
  | { kind: 'redirect'; location: string | undefined }
  | { kind: 'compressed'; encoding: string }
  | { kind: 'too large' }
  | { kind: 'wrong shape'; wanted: Shape; found: JsonValue };

type Shape = 'a list' | 'a record' | 'a record in a list' | 'a link to the next page';

/** What went wrong with a connection. */
export type Trouble =
  /** `code` is a code of the system, of TLS or of undici. */
  { kind: 'error'; code: string; message: string } | { kind: 'no reply'; afterMs: number };

interface Meaning {
  /** Which requests may be sent again after it. */
  again: 'all' | 'repeatable' | 'reads' | 'none';
  /** A write may have been applied, and no answer says whether it was. */
  maybeApplied: boolean;
  /** It may still be applied after a look that did not find it: the service was only too slow. */
  mayApplyLater?: true;
  wantsFewerRequests: boolean;
  /** The exit code, if no attempt of a write may have been applied. Otherwise the outcome is unknown. */
  FailsAs: new (
    message: string,
    facts: ErrorFacts,
  ) => ValsError;
  /** Whether the other requests of the command would fail in the same way. */
  concerns: Scope;
}

const refused: Meaning = {
  again: 'none',
  maybeApplied: false,
  wantsFewerRequests: false,
  FailsAs: RefusedError,
  concerns: 'item',
};
/** The service does not have the thing (404, 410), or the route (404, 405, 501). */
const absent: Meaning = { ...refused, FailsAs: NotFoundError };
const conflict: Meaning = { ...refused, FailsAs: ConflictError };
const unusable: Meaning = { ...refused, FailsAs: BadResponseError };
const failed: Meaning = { ...refused, maybeApplied: true, FailsAs: UnavailableError };
const failedForNow: Meaning = { ...failed, again: 'repeatable' };
const busy: Meaning = { ...failed, again: 'all', maybeApplied: false, wantsFewerRequests: true };

const byKind: Record<Exclude<Fault['kind'], 'status'>, Meaning> = {
  'no token': { ...refused, FailsAs: AuthError, concerns: 'all' },
  secret: { ...refused, FailsAs: LocalError },
  interrupted: refused,
  'not connected': { ...failed, again: 'all', maybeApplied: false, concerns: 'all' },
  rejected: { ...failed, maybeApplied: false, concerns: 'all' },
  lost: { ...failedForNow, wantsFewerRequests: true },
  'timed out': { ...failedForNow, mayApplyLater: true },
  unreadable: { ...unusable, again: 'reads' },
  unusable,
};

const byStatus: Record<number, Meaning> = {
  401: { ...refused, FailsAs: AuthError, concerns: 'all' },
  403: { ...refused, FailsAs: AuthError },
  404: absent,
  405: absent,
  408: { ...failedForNow, mayApplyLater: true },
  409: conflict,
  410: absent,
  412: conflict,
  429: busy,
  500: failedForNow,
  501: absent,
  502: failedForNow,
  503: { ...failedForNow, wantsFewerRequests: true },
  504: { ...failedForNow, mayApplyLater: true },
};

/** What a fault means: the one table that the attempts, the limiter and the sentences for the user read. */
export function meaningOf(fault: Fault): Meaning {
  // Nobody finds a host that does not exist half a second later.
  if (isOfSystem(fault, 'ENOTFOUND')) return { ...byKind[fault.kind], again: 'none' };
  if (fault.kind !== 'status') return byKind[fault.kind];
  // A gateway also answers 503 if it lost the service's answer. A service that is busy says when to come back.
  const isBusy = fault.status === 503 && fault.retryAfterMs !== undefined;
  const meaning = isBusy ? busy : (byStatus[fault.status] ?? (fault.status >= 500 ? failed : refused));
  return {
    ...meaning,
    ...(saysNotApplied(fault.body) && { maybeApplied: false }),
    ...(concernsCaller(fault.body) && { concerns: 'all' }),
  };
}

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const repeatable: ReadonlySet<string> = new Set([...reads, 'PUT', 'DELETE']);

export const isRead = (method: string): boolean => reads.has(method);
export const isRepeatable = ({ method, mayRepeat = false }: Call): boolean =>
  mayRepeat || repeatable.has(method);

export function maySendAgain(call: Call, fault: Fault): boolean {
  switch (meaningOf(fault).again) {
    case 'all':
      return true;
    case 'repeatable':
      return isRepeatable(call);
    case 'reads':
      return isRead(call.method);
    case 'none':
      return false;
  }
}

export const isFault = (result: object): result is Fault => 'kind' in result;

export const isStatus = (fault: Fault, ...statuses: number[]): boolean =>
  fault.kind === 'status' && statuses.includes(fault.status);

type NoReply = Extract<Fault, { trouble: Trouble }>;

/** A connection that failed with a code of the system. */
export const isOfSystem = (fault: Fault, code: string): fault is NoReply =>
  'trouble' in fault && fault.trouble.kind === 'error' && fault.trouble.code === code;

/** A time limit of vals ended the attempt. */
export const wasCutOff = (fault: Fault): fault is NoReply =>
  'trouble' in fault && fault.trouble.kind === 'no reply';

/** Why a call failed, as data. failures/explain.ts makes the error that the user reads. */
export class CallFailed extends Error {
  constructor(
    readonly call: Call,
    /** Of the last attempt that was not cut off. */
    readonly fault: Fault,
    readonly about: {
      /** Any attempt may have changed something, whatever a later one was answered. */
      maybeApplied?: boolean;
      /** How long all attempts took, if the deadline ended them. */
      triedForMs?: number;
      /** The val can be read, and belongs to somebody else. */
      isOthers?: boolean;
    } = {},
  ) {
    super(fault.kind);
  }

  ofOthers(): CallFailed {
    return new CallFailed(this.call, this.fault, { ...this.about, isOthers: true });
  }
}
