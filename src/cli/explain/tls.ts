import type { Trouble } from '../../api/http/retry.ts';
import type { TlsProblem } from '../../api/http/tls-problem.ts';
import type { Hints } from '../../lib/hint.ts';
import { checkProxy, type Explanation, type Service } from './service.ts';

interface ServiceOrProxy {
  /** For example "the proxy localhost:8080". */
  name: string;
  /** For example "localhost:8080". */
  host: string;
  addressHint: Hints;
  code: string;
}

const aboutCertificate =
  (problem: string, hint: string) =>
  ({ name }: ServiceOrProxy): Explanation => ({ reason: `the certificate of ${name} ${problem}`, hint });

const explanations: Record<TlsProblem, (peer: ServiceOrProxy) => Explanation> = {
  expired: aboutCertificate(
    'has expired',
    "Ask the operator of the server to renew the certificate. If this machine's clock is wrong, correct it.",
  ),
  'not yet valid': aboutCertificate('is not valid yet', "Check this machine's clock."),
  'self-signed': aboutCertificate(
    'is self-signed, so this machine does not trust it',
    'If you trust the certificate, save it to a file and set NODE_EXTRA_CA_CERTS to the path of that file.',
  ),
  'unknown issuer': aboutCertificate(
    'comes from an authority that this machine does not know',
    "If the certificate comes from your company, set NODE_EXTRA_CA_CERTS to the path of a file with your company's root certificate.",
  ),
  'other host': ({ name, addressHint }) => ({
    reason: `the certificate of ${name} is for another host`,
    hint: addressHint,
  }),
  'speaks http': ({ name, addressHint }) => ({
    reason: `${name} expects http, not https`,
    hint: addressHint,
  }),
  'speaks https': ({ name, host }) => ({
    reason: `${name} expects https, not http, so it did not read the request`,
    hint: [`Use https://${host}.`, { text: 'To see where the address comes from', command: 'config' }],
  }),
  'too old': ({ name }) => ({
    reason: `${name} speaks only versions of TLS that are no longer safe`,
    hint: 'Ask the operator of the server to turn on TLS 1.2 or 1.3.',
  }),
  failed: ({ name, addressHint, code }) => ({
    reason: `the secure connection to ${name} failed (${code})`,
    hint: addressHint,
  }),
};

export function tlsExplanation(
  { at, problem, code }: Extract<Trouble, { kind: 'tls' }>,
  { base: { origin }, proxy }: Service,
): Explanation {
  const isProxy = at === 'proxy' && proxy !== undefined;
  const host = isProxy ? proxy.url.host : new URL(origin).host;
  return explanations[problem]({
    name: isProxy ? `the proxy ${host}` : `the service at ${origin}`,
    host,
    addressHint: isProxy
      ? checkProxy(proxy)
      : [`Check the address ${origin}.`, { text: 'To see where the address comes from', command: 'config' }],
    code,
  });
}
