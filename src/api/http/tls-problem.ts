// Explains to the user why there is no secure connection, and what to do about it.

interface Explanation {
  reason: string;
  hint: string;
}

export interface Peer {
  /** The name of the service or proxy at the start of a sentence, such as "the proxy localhost:8080". */
  name: string;
  /** The service or proxy in "the certificate of ...", such as `https://vals.example.com`. */
  place: string;
  /** The port of the service or proxy at the start of a sentence, such as "this port" in "this port expects http". */
  port: string;
  /** A hint that tells where the user has set the address of the service or proxy. */
  check: string;
}

type Explain = (peer: Peer, error: TlsError) => Explanation;
type TlsError = NodeJS.ErrnoException & { host?: string; cert?: { subjectaltname?: string } };

/** `problem` ends the sentence, such as "has expired" in "the certificate of https://vals.example.com has expired". */
const aboutCertificate =
  (problem: string, hint: string): Explain =>
  ({ place }) => ({ reason: `the certificate of ${place} ${problem}`, hint });

const askToReplace = 'Ask the operator to replace the certificate.';

const expired = aboutCertificate(
  'has expired',
  "Ask the operator to renew the certificate. If this machine's clock is wrong, correct it.",
);
const notYetValid = aboutCertificate('is not valid yet', "Check this machine's clock.");
const selfSigned = aboutCertificate(
  'is self-signed, so no authority vouches for it',
  'If you trust it, save it to a file and set NODE_EXTRA_CA_CERTS to that file.',
);
const unknownIssuer = aboutCertificate(
  'comes from an authority that this machine does not know',
  "If it is your company's own authority, set NODE_EXTRA_CA_CERTS to a file with its certificate.",
);
const revoked = aboutCertificate('was revoked', askToReplace);
const tooWeak = aboutCertificate('has a key or a signature that is too weak', askToReplace);
const notForServers = aboutCertificate('is not meant for a server', askToReplace);
const invalid = aboutCertificate('is not valid', askToReplace);

const otherHost: Explain = ({ place, check }, { cert }) => {
  const names = (cert?.subjectaltname ?? '').split(', ').map((entry) => entry.replace(/^[^:]*:/, ''));
  const [first = '', ...others] = names.map((host) => host.slice(0, 80));
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return {
    reason: `the certificate of ${place} is for another host${first && `, ${first}${more}`}`,
    hint: check,
  };
};

const speaksHttp: Explain = ({ port, check }) => ({ reason: `${port} expects http, not https`, hint: check });
const tooOld: Explain = ({ name }) => ({
  reason: `${name} speaks only versions of TLS that are no longer safe`,
  hint: 'Ask the operator to turn on TLS 1.2 or 1.3.',
});
const wantsCertificate: Explain = ({ name }) => ({
  reason: `${name} requires a client certificate, which this program does not have`,
  hint: 'Ask the operator for an address that needs only a token.',
});
const refused: Explain = ({ name }) => ({
  reason: `${name} refused the secure connection`,
  hint: 'The service may require a client certificate, which this program does not have, or support only unsafe encryption.',
});
const notHttp1: Explain = ({ name, check }) => ({ reason: `${name} does not speak HTTP/1.1`, hint: check });
const unknownName: Explain = ({ name, check }) => ({
  reason: `${name} does not know that host name`,
  hint: check,
});

const notTls = /WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|ERR_SSL_HTTP_REQUEST$|UNKNOWN_PROTOCOL$/;

const certificateWanted = /ALERT_CERTIFICATE_REQUIRED$/;

/** The first pattern that matches the error code counts. OpenSSL's versions use different prefixes for the same code. */
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
    ({ place, check }, { code }) => ({
      reason: `a secure connection to ${place} could not be made`,
      hint: `${check} (${code})`,
    }),
  ],
];

/** Undefined if the error has nothing to do with TLS. */
export function explainTlsError(error: Error, peer: Peer): Explanation | undefined {
  const code = tlsCodeOf(error);
  for (const [pattern, explain] of explanations) {
    if (pattern.test(code)) return explain(peer, error);
  }
  return undefined;
}

export const isCertificateWanted = (error: Error): boolean => certificateWanted.test(tlsCodeOf(error));

/** Node has no error code for a weak certificate, so this function recognizes it by the error message. */
function tlsCodeOf(error: TlsError): string {
  const { code = '', message } = error;
  return code === 'UNSPECIFIED' && message.endsWith('too weak') ? 'TOO_WEAK' : code;
}
