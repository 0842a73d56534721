import type { JsonValue } from '../../lib/json.ts';
import { errnoOf } from '../../lib/system.ts';
import type { Call } from '../call.ts';

/** Why an attempt did not bring a usable reply. */
export type Fault =
  | { kind: 'no_token' }
  /** This part of the call contains the token. */
  | { kind: 'secret'; part: string }
  | { kind: 'interrupted' }
  | { kind: 'not_connected'; trouble: Trouble }
  /** TLS or a proxy rejected the connection. A retry would fail too. */
  | { kind: 'rejected'; trouble: Trouble }
  | { kind: 'lost'; trouble: Trouble }
  | { kind: 'timed_out'; trouble: Trouble }
  | { kind: 'status'; status: number; body: unknown; retryAfterMs?: number | undefined }
  /** The status is a success, but the body is not JSON. */
  | { kind: 'unreadable'; status: number; problem: 'not UTF-8' | 'empty' | 'not JSON'; body?: string }
  /** A retry would bring the same. */
  | { kind: 'unusable'; status: number; problem: UnusableReply };

export type UnusableReply =
  | { kind: 'redirect'; location: string | undefined }
  | { kind: 'compressed'; encoding: string }
  | { kind: 'too large' }
  /** An error with the status of a success. */
  | { kind: 'error'; status: number; body: unknown }
  | { kind: 'wrong shape'; wanted: Shape; found: JsonValue };

type Shape = 'a list' | 'a record' | 'a record in a list' | 'a link to the next page';

/** What went wrong with a connection, and on whose side. */
export type Trouble =
  /** `reason` is what Node says, without the name of the host. */
  | { kind: 'tls'; at: Peer; problem: TlsProblem; reason: string }
  /** `code` is a code of the system or of undici. */
  | { kind: 'error'; at: Peer; code: string; message: string }
  | { kind: 'proxy refused'; status: number }
  | { kind: 'no reply'; afterMs: number };

type Peer = 'service' | 'proxy';

export type TlsProblem = 'not trusted' | 'not valid' | 'expects http' | 'expects https' | 'failed';

export const isFault = (result: object): result is Fault => 'kind' in result;

/** Why a call failed, as data. cli/explain makes the error that the user reads. */
export class CallFailed extends Error {
  constructor(
    readonly call: Call,
    readonly fault: Fault,
    /** True if any attempt may have changed something. */
    readonly maybeApplied = false,
  ) {
    super(fault.kind);
  }
}

export class TimeoutError extends Error {
  constructor(readonly afterMs: number) {
    super('no reply in time');
  }
}

/** The proxy made no tunnel to the service. */
export class ProxyError extends Error {
  constructor(readonly problem: { status: number } | { cause: Error }) {
    super('the proxy made no tunnel');
  }
}

export interface NoReply {
  error: Error;
  mayHaveReachedService: boolean;
}

export function connectionFault({ error, mayHaveReachedService }: NoReply): Fault {
  if (error instanceof ProxyError) return proxyFault(error);
  if (error instanceof TimeoutError) {
    const trouble: Trouble = { kind: 'no reply', afterMs: error.afterMs };
    return { kind: mayHaveReachedService ? 'timed_out' : 'not_connected', trouble };
  }
  // The service expects TLS, so it read nothing of the request.
  if (error.name === 'HTTPParserError' && 'data' in error && isTlsAlert(`${error.data}`)) {
    const trouble: Trouble = { kind: 'tls', at: 'service', problem: 'expects https', reason: codeOf(error) };
    return { kind: 'rejected', trouble };
  }
  if (mayHaveReachedService) return { kind: 'lost', trouble: errorAt('service', error) };
  return noConnection('service', error);
}

function proxyFault({ problem }: ProxyError): Fault {
  if ('cause' in problem) return noConnection('proxy', problem.cause);
  const { status } = problem;
  const isTemporary = status === 408 || status === 429 || status >= 500;
  return { kind: isTemporary ? 'not_connected' : 'rejected', trouble: { kind: 'proxy refused', status } };
}

function noConnection(at: Peer, error: Error): Fault {
  const code = codeOf(error);
  const problem = tlsProblems.find(([pattern]) => pattern.test(code))?.[1];
  if (problem === undefined) return { kind: 'not_connected', trouble: errorAt(at, error) };
  // The messages of OpenSSL are long, and about its source code.
  const reason = /^(ERR_(?!TLS_CERT)|EPROTO)/.test(code) ? code : error.message.replace(/:.*/s, '');
  return { kind: 'rejected', trouble: { kind: 'tls', at, problem, reason } };
}

/** The first match counts. Many patterns match only the end of a code, as the start depends on the OpenSSL version. */
const tlsProblems: [code: RegExp, problem: TlsProblem][] = [
  [/SELF_SIGNED_CERT|^UNABLE_TO_|^CERT_UNTRUSTED$/, 'not trusted'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$|^CERT_/, 'not valid'],
  [/WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|ERR_SSL_HTTP_REQUEST$|UNKNOWN_PROTOCOL$/, 'expects http'],
  [/^ERR_SSL_|^ERR_TLS_|^ERR_OSSL_|^EPROTO$|^CRL_|^INVALID_|^PATH_LENGTH_|^UNSPECIFIED$/, 'failed'],
];

/** The first bytes of a TLS alert, which a server sends if it expects TLS and receives HTTP. */
const isTlsAlert = (bytes: string): boolean => bytes.startsWith('\u0015\u0003');

const errorAt = (at: Peer, error: Error): Trouble => ({
  kind: 'error',
  at,
  code: codeOf(error),
  message: error.message,
});

const codeOf = (error: Error): string =>
  error.name === 'HTTPParserError' ? error.name : (errnoOf(error) ?? '');
