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
  if (mayHaveReachedService) return { kind: 'lost', trouble };
  return { kind: tlsCodes.test(code) ? 'rejected' : 'not connected', trouble };
}

/** Of Node and of OpenSSL, for a certificate or a handshake. */
const tlsCodes =
  /^(?:ERR_SSL_|ERR_TLS_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|INVALID_|PATH_LENGTH_|UNSPECIFIED$|HOSTNAME_MISMATCH$)|SELF_SIGNED_CERT/;
