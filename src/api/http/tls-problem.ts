import type { Hints } from '../../lib/hint.ts';
import { errnoOf } from '../../lib/system.ts';

interface Explanation {
  reason: string;
  hint: Hints;
}

interface ServiceOrProxy {
  /** For example "the proxy localhost:8080". */
  name: string;
  addressHint: Hints;
}

type Explain = (peer: ServiceOrProxy, code: string) => Explanation;

const aboutCertificate =
  (problem: string, hint: string): Explain =>
  ({ name }) => ({ reason: `the certificate of ${name} ${problem}`, hint });

const expired = aboutCertificate(
  'has expired',
  "Ask the operator of the server to renew the certificate. If this machine's clock is wrong, correct it.",
);
const notYetValid = aboutCertificate('is not valid yet', "Check this machine's clock.");
const selfSigned = aboutCertificate(
  'is self-signed, so this machine does not trust it',
  'If you trust the certificate, save it to a file and set NODE_EXTRA_CA_CERTS to the path of that file.',
);
const unknownIssuer = aboutCertificate(
  'comes from an authority that this machine does not know',
  "If the certificate comes from your company, set NODE_EXTRA_CA_CERTS to the path of a file with your company's root certificate.",
);
const otherHost: Explain = ({ name, addressHint }) => ({
  reason: `the certificate of ${name} is for another host`,
  hint: addressHint,
});
const speaksHttp: Explain = ({ name, addressHint }) => ({
  reason: `${name} expects http, not https`,
  hint: addressHint,
});
const tooOld: Explain = ({ name }) => ({
  reason: `${name} speaks only versions of TLS that are no longer safe`,
  hint: 'Ask the operator of the server to turn on TLS 1.2 or 1.3.',
});
const notTls = /WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|ERR_SSL_HTTP_REQUEST$|UNKNOWN_PROTOCOL$/;

const failed: Explain = ({ name, addressHint }, code) => ({
  reason: `the secure connection to ${name} failed (${code})`,
  hint: addressHint,
});

/** The first match counts. Many patterns match only the end of a code, as the start depends on the OpenSSL version. */
const explanations: [code: RegExp, explain: Explain][] = [
  [/^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/, otherHost],
  [/^CERT_HAS_EXPIRED$/, expired],
  [/^CERT_NOT_YET_VALID$/, notYetValid],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, selfSigned],
  [/^SELF_SIGNED_CERT_IN_CHAIN$|^UNABLE_TO_|^CERT_UNTRUSTED$/, unknownIssuer],
  [notTls, speaksHttp],
  [/ALERT_PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/, tooOld],
  [/^ERR_SSL_|^ERR_TLS_|^ERR_OSSL_|^EPROTO$|^CERT_|^CRL_|^INVALID_|^PATH_LENGTH_|^UNSPECIFIED$/, failed],
];

export function explainTlsError(error: Error, peer: ServiceOrProxy): Explanation | undefined {
  const code = errnoOf(error) ?? '';
  return explanations.find(([pattern]) => pattern.test(code))?.[1](peer, code);
}
