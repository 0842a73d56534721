export type TlsProblem = 'not trusted' | 'not valid' | 'expects http' | 'expects https' | 'failed';

/** The first match counts. Many patterns match only the end of a code, as the start depends on the OpenSSL version. */
const problems: [code: RegExp, problem: TlsProblem][] = [
  [/SELF_SIGNED_CERT|^UNABLE_TO_|^CERT_UNTRUSTED$/, 'not trusted'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$|^CERT_/, 'not valid'],
  [/WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|ERR_SSL_HTTP_REQUEST$|UNKNOWN_PROTOCOL$/, 'expects http'],
  [/^ERR_SSL_|^ERR_TLS_|^ERR_OSSL_|^EPROTO$|^CRL_|^INVALID_|^PATH_LENGTH_|^UNSPECIFIED$/, 'failed'],
];

export const tlsProblemOf = (code: string): TlsProblem | undefined =>
  problems.find(([pattern]) => pattern.test(code))?.[1];

/** The first bytes of a TLS alert, which a server sends if it expects TLS and receives HTTP. */
export const isTlsAlert = (bytes: string): boolean => bytes.startsWith('\u0015\u0003');
