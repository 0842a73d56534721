export type TlsProblem =
  | 'other host'
  | 'expired'
  | 'not yet valid'
  | 'self-signed'
  | 'unknown issuer'
  | 'speaks http'
  | 'speaks https'
  | 'too old'
  | 'failed';

/** The first match counts. Many patterns match only the end of a code, as the start depends on the OpenSSL version. */
const problems: [code: RegExp, problem: TlsProblem][] = [
  [/^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/, 'other host'],
  [/^CERT_HAS_EXPIRED$/, 'expired'],
  [/^CERT_NOT_YET_VALID$/, 'not yet valid'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'self-signed'],
  [/^SELF_SIGNED_CERT_IN_CHAIN$|^UNABLE_TO_|^CERT_UNTRUSTED$/, 'unknown issuer'],
  [/WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|ERR_SSL_HTTP_REQUEST$|UNKNOWN_PROTOCOL$/, 'speaks http'],
  [/ALERT_PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/, 'too old'],
  [/^ERR_SSL_|^ERR_TLS_|^ERR_OSSL_|^EPROTO$|^CERT_|^CRL_|^INVALID_|^PATH_LENGTH_|^UNSPECIFIED$/, 'failed'],
];

export const tlsProblemOf = (code: string): TlsProblem | undefined =>
  problems.find(([pattern]) => pattern.test(code))?.[1];

/** The first bytes of a TLS alert, which a server sends if it expects TLS and receives HTTP. */
export const isTlsAlert = (bytes: string): boolean => bytes.startsWith('\u0015\u0003');
