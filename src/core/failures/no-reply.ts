// Connections that failed, by the fault.

import { connectTimeoutMs, type Fault, type TlsProblem, type Trouble } from '../http/request/faults.ts';
import { type Hints, sh } from '../lib/hint.ts';
import { isLoopback, type ProxyAddress } from '../settings/addresses.ts';
import type { Message, Service } from './service.ts';

type NoReply = Extract<Fault, { trouble: Trouble }>;

export function messageOfTrouble({ kind, trouble }: NoReply, service: Service): Message {
  const { origin } = service.base;
  const proxy = service.proxy();
  const reason = troubleSentence(trouble, proxy);
  switch (kind) {
    case 'not connected':
    case 'rejected':
      return {
        sentence: `Could not connect to ${origin}: ${reason}.`,
        hint: remedyFor(trouble, service, proxy),
      };
    case 'lost':
      return { sentence: `The connection to ${origin} was lost: ${reason}.`, hint: runAgain };
    case 'timed out':
      return { sentence: `${origin} took too long: ${reason}.`, hint: runAgain };
  }
}

const runAgain = 'Run the command again.';

/** Why there was no reply, for a server of any kind. */
export function troubleSentence(trouble: Trouble, proxy: ProxyAddress | undefined): string {
  switch (trouble.kind) {
    case 'no reply':
      return `there was no reply within ${Math.round(trouble.afterMs / 100) / 10} s`;
    case 'proxy refused':
      return `the proxy ${proxy?.url.host} refused the connection (status ${trouble.status})`;
    case 'tls':
      return at(trouble, proxy) + tlsReasons[trouble.problem](trouble.reason);
    case 'error':
      return at(trouble, proxy) + (reasons[trouble.code] ?? (trouble.message || trouble.code));
  }
}

const at = ({ at }: { at: 'service' | 'proxy' }, proxy: ProxyAddress | undefined): string =>
  proxy === undefined ? '' : `${at === 'proxy' ? 'at' : 'through'} the proxy ${proxy.url.host}, `;

const noConnection = `there was no connection within ${connectTimeoutMs / 1_000} s`;
const closed = 'the connection was closed before the whole reply arrived';
const notHttp = 'the reply is not HTTP';

/** Of other codes, the message of the system is shown. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no host with that name',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  UND_ERR_HEADERS_TIMEOUT: noConnection,
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: notHttp,
  // undici checks the status code with `assert`.
  ERR_ASSERTION: notHttp,
  HTTPParserError: notHttp,
};

/** `reason` is what Node says. */
const tlsReasons: Record<TlsProblem, (reason: string) => string> = {
  'not trusted': (reason) => `this machine does not trust the certificate (${reason})`,
  'not valid': (reason) => `the certificate is not valid (${reason})`,
  'expects http': () => 'the server expects http, not https',
  'expects https': () => 'the server expects https, not http, so it did not read the request',
  failed: (reason) => `the secure connection failed (${reason})`,
};

const configHint = sh`To see where the address comes from, run ${['config']}.`;

function remedyFor(trouble: Trouble, { base }: Service, proxy: ProxyAddress | undefined): Hints {
  const { origin } = base;
  const { host, hostname } = new URL(origin);
  if (trouble.kind === 'tls' && trouble.problem === 'expects https')
    return [`Use https://${host}.`, configHint];
  if (trouble.kind === 'tls' && trouble.problem === 'expects http' && trouble.at === 'service')
    return [isLoopback(hostname) ? `Use http://${host}.` : 'Check the port of the address.', configHint];
  return remedyOf(trouble, proxy) ?? checkAddress(origin);
}

/** Undefined if only the address can be checked. */
export function remedyOf(trouble: Trouble, proxy: ProxyAddress | undefined): Hints | undefined {
  const problem = trouble.kind === 'tls' ? trouble.problem : undefined;
  if (problem === 'not trusted')
    return 'If you trust it, set NODE_EXTRA_CA_CERTS to the path of a file with that certificate, or with the root certificate of your company.';
  if (problem === 'not valid')
    return "Check the address and this machine's clock. If both are right, ask the operator of the server to renew the certificate.";
  const isAtProxy = trouble.kind === 'proxy refused' || ('at' in trouble && trouble.at === 'proxy');
  if (!isAtProxy) return undefined;
  return [
    `Check the proxy address in ${proxy?.variable}. A user name and a password stand before the host, percent-encoded.`,
    'To go without the proxy, add the host to NO_PROXY.',
  ];
}

function checkAddress(origin: string): Hints {
  const { hostname, port, protocol } = new URL(origin);
  if (!isLoopback(hostname)) return ['Check the address and the network.', configHint];
  const start = sh`To start the embedded service there, run ${['serve', '--port', port]}.`;
  return ['Check that the service is running.', protocol === 'http:' && port !== '' ? start : configHint];
}
