import { errnoOf } from '../../lib/system.ts';
import type { Fault, Peer, TlsProblem, Trouble } from './faults.ts';

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

/** The fault of a request that brought no reply. */
export function faultOf({ error, mayHaveReachedService }: NoReply): Fault {
  if (error instanceof ProxyError) return proxyFault(error);
  if (error instanceof TimeoutError) {
    const trouble: Trouble = { kind: 'no reply', afterMs: error.afterMs };
    return { kind: mayHaveReachedService ? 'timed out' : 'not connected', trouble };
  }
  // The service expects TLS, so it read nothing of the request.
  if (error.name === 'HTTPParserError' && 'data' in error && isTlsAlert(`${error.data}`)) {
    const trouble: Trouble = {
      kind: 'tls',
      at: 'service',
      problem: 'expects https',
      reason: errorCode(error),
    };
    return { kind: 'rejected', trouble };
  }
  if (mayHaveReachedService) return { kind: 'lost', trouble: errorAt('service', error) };
  return noConnection('service', error);
}

function proxyFault({ problem }: ProxyError): Fault {
  if ('cause' in problem) return noConnection('proxy', problem.cause);
  const { status } = problem;
  const isTemporary = status === 408 || status === 429 || status >= 500;
  return { kind: isTemporary ? 'not connected' : 'rejected', trouble: { kind: 'proxy refused', status } };
}

function noConnection(at: Peer, error: Error): Fault {
  const code = errorCode(error);
  const problem = tlsProblems.find(([pattern]) => pattern.test(code))?.[1];
  if (problem === undefined) return { kind: 'not connected', trouble: errorAt(at, error) };
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
  code: errorCode(error),
  message: error.message,
});

const errorCode = (error: Error): string =>
  error.name === 'HTTPParserError' ? error.name : (errnoOf(error) ?? '');
