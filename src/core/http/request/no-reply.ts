import { errnoOf } from '../../lib/system.ts';
import type { Fault, Trouble } from './faults.ts';

export class TimeoutError extends Error {
  constructor(readonly afterMs: number) {
    super('no reply in time');
  }
}

export interface NoReply {
  error: Error;
  mayHaveReachedService: boolean;
}

/** The fault of a request that brought no reply. */
export function faultOf({ error, mayHaveReachedService }: NoReply): Fault {
  if (error instanceof TimeoutError) {
    const trouble: Trouble = { kind: 'no reply', afterMs: error.afterMs };
    return { kind: mayHaveReachedService ? 'timed out' : 'not connected', trouble };
  }
  const code = error.name === 'HTTPParserError' ? error.name : (errnoOf(error) ?? '');
  const trouble: Trouble = { kind: 'error', code, message: error.message };
  if (mayHaveReachedService && !isTlsAlert(error)) return { kind: 'lost', trouble };
  return { kind: mayHaveReachedService || tlsCodes.test(code) ? 'rejected' : 'not connected', trouble };
}

/** A service that expects TLS answers a request without it by an alert, and has read nothing of it. */
const isTlsAlert = (error: object): boolean =>
  'data' in error && typeof error.data === 'string' && error.data.startsWith('\x15\x03');

/** Of Node and of OpenSSL, for a certificate or a handshake. */
const tlsCodes =
  /^(?:ERR_SSL_|ERR_TLS_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|INVALID_|PATH_LENGTH_|UNSPECIFIED$|HOSTNAME_MISMATCH$)|SELF_SIGNED_CERT/;
