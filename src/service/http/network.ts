import { isIP } from 'node:net';
import { isLoopback } from '../../core/settings/addresses.ts';
import { HttpProblem } from '../problem.ts';
import { headerOf, type ServiceRequest } from '../request.ts';
import type { CertificateFiles } from './certificate.ts';

export interface Network {
  host: string;
  publicUrl?: URL;
  certificate?: CertificateFiles;
}

export const loopbackOnly: Network = { host: '127.0.0.1' };

export const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/**
 * Stops DNS rebinding: a hostile web site can point its host name to the service, but then the Host header
 * contains the name of the web site.
 */
export function checkHost(request: ServiceRequest, network: Network): string {
  const { url, incoming } = request;
  // `url.host` can differ from the Host header, because the first line of a request may contain a whole URL.
  for (const host of [headerOf(request, 'host'), url.host]) {
    if (!isOwnName(`${host}`.toLowerCase(), network))
      throw otherHost(host, network, incoming.socket.localPort);
  }
  return network.publicUrl?.origin ?? url.origin;
}

function otherHost(host: string | undefined, network: Network, port: number | undefined): HttpProblem {
  const { publicUrl } = network;
  const expected = publicUrl?.origin ?? `${inUrl(network.host)}:${port}`;
  const given = host === undefined ? 'no Host' : `the Host ${host}`;
  return new HttpProblem(
    403,
    `The service rejected the address: it expects ${expected}, but the request has ${given}. Check the base URL. ` +
      'If it is right, start the service with --public-url and that URL, or let the proxy in front of it pass on the ' +
      'Host header. For nginx, the setting is `proxy_set_header Host $http_host;`.',
    { concerns: 'caller' },
  );
}

/** On loopback, any port is right, because the port may be forwarded (`ssh -L`, containers). */
function isOwnName(host: string, network: Network): boolean {
  const { publicUrl } = network;
  if (publicUrl === undefined) {
    const name = /^(.*?)(?::\d{1,5})?$/.exec(host)?.[1] ?? '';
    return isLoopback(name) || name === inUrl(network.host);
  }
  const defaultPort = publicUrl.protocol === 'https:' ? 443 : 80;
  return host === publicUrl.host || (publicUrl.port === '' && host === `${publicUrl.host}:${defaultPort}`);
}
