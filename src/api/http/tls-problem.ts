import type { Hints } from '../../lib/hint.ts';

interface Explanation {
  reason: string;
  hint: Hints;
}

interface ServiceOrProxy {
  /** For example "the proxy localhost:8080". */
  name: string;
  addressHint: Hints;
}

type Explain = (peer: ServiceOrProxy, error: TlsError) => Explanation;
type TlsError = NodeJS.ErrnoException & { host?: string; cert?: { subjectaltname?: string } };

const aboutCertificate =
  (problem: string, hint: string): Explain =>
  ({ name }) => ({ reason: `the certificate of ${name} ${problem}`, hint });

const askToReplace = 'Ask the operator of the server to replace the certificate.';

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
const revoked = aboutCertificate('was revoked', askToReplace);
const tooWeak = aboutCertificate('has a key or a signature that is too weak', askToReplace);
const notForServers = aboutCertificate('is not meant for a server', askToReplace);
const invalid = aboutCertificate('is not valid', askToReplace);

const longestHostName = 253;

const otherHost: Explain = ({ name, addressHint }, { cert }) => {
  const names = (cert?.subjectaltname ?? '').split(', ').map((entry) => entry.replace(/^[^:]*:/, ''));
  const [first = '', ...others] = names;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const isHostName = first !== '' && first.length <= longestHostName;
  const hosts = isHostName ? `, ${first}${more}` : '';
  return { reason: `the certificate of ${name} is for another host${hosts}`, hint: addressHint };
};

const speaksHttp: Explain = ({ name, addressHint }) => ({
  reason: `${name} expects http, not https`,
  hint: addressHint,
});
const tooOld: Explain = ({ name }) => ({
  reason: `${name} speaks only versions of TLS that are no longer safe`,
  hint: 'Ask the operator of the server to turn on TLS 1.2 or 1.3.',
});
const wantsCertificate: Explain = ({ name }) => ({
  reason: `${name} requires a client certificate, which this program does not have`,
  hint: 'Ask the operator of the server for an address that needs no client certificate.',
});
const refused: Explain = ({ name }) => ({
  reason: `${name} refused the secure connection`,
  hint: 'Ask the operator of the server for the reason. The server may require a client certificate or unsafe encryption, and this program supports neither.',
});
const notHttp1: Explain = ({ name, addressHint }) => ({
  reason: `${name} does not speak HTTP/1.1`,
  hint: addressHint,
});
const unknownName: Explain = ({ name, addressHint }) => ({
  reason: `${name} does not serve the host name in the address`,
  hint: addressHint,
});

const notTls = /WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|ERR_SSL_HTTP_REQUEST$|UNKNOWN_PROTOCOL$/;

const certificateWanted = /ALERT_CERTIFICATE_REQUIRED$/;

/** The first match counts. Many patterns match only the end of a code, as the start depends on the OpenSSL version. */
const explanations: [code: RegExp, explain: Explain][] = [
  [/^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/, otherHost],
  [/^CERT_HAS_EXPIRED$|ALERT_CERTIFICATE_EXPIRED$/, expired],
  [/^CERT_NOT_YET_VALID$/, notYetValid],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, selfSigned],
  [/^SELF_SIGNED_CERT_IN_CHAIN$|^UNABLE_TO_|^CERT_UNTRUSTED$/, unknownIssuer],
  [/^CERT_REVOKED$/, revoked],
  [/TOO_WEAK$|KEY_TOO_SMALL$/, tooWeak],
  [/^INVALID_PURPOSE$|^CERT_REJECTED$|^INVALID_CA$/, notForServers],
  [/^CERT_|^CRL_|^PATH_LENGTH_EXCEEDED$|^UNSPECIFIED$|^ERR_OSSL_X509/, invalid],
  [notTls, speaksHttp],
  [/ALERT_PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/, tooOld],
  [certificateWanted, wantsCertificate],
  [/ALERT_NO_APPLICATION_PROTOCOL$/, notHttp1],
  [/ALERT_UNRECOGNIZED_NAME$/, unknownName],
  [/ALERT_(?:HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|ACCESS_DENIED|BAD_CERTIFICATE)$/, refused],
  [
    /^ERR_SSL_|^ERR_TLS_|^ERR_OSSL_|^EPROTO$/,
    ({ name, addressHint }, { code }) => ({
      reason: `the secure connection to ${name} failed (${code})`,
      hint: addressHint,
    }),
  ],
];

export function explainTlsError(error: Error, peer: ServiceOrProxy): Explanation | undefined {
  const code = tlsCodeOf(error);
  for (const [pattern, explain] of explanations) {
    if (pattern.test(code)) return explain(peer, error);
  }
  return undefined;
}

export const isCertificateWanted = (error: Error): boolean => certificateWanted.test(tlsCodeOf(error));

/** Node has no error code for a weak certificate, only an error message. */
function tlsCodeOf(error: TlsError): string {
  const { code = '', message } = error;
  return code === 'UNSPECIFIED' && message.endsWith('too weak') ? 'TOO_WEAK' : code;
}
