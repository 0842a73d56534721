import { type BlockList, isIP } from 'node:net';
import { wrongHost } from '../../errors.ts';
import { isAmong, loopbackAddresses } from '../../lib/addresses.ts';
import { Problem } from '../problem.ts';
import { headerOf, type ServiceRequest } from '../request.ts';
import type { CertificateFiles } from './certificate.ts';

export interface Network {
  host: string;
  publicUrl?: URL;
  proxies: BlockList;
  /** The service runs inside of one command, so links to it would soon lead nowhere. */
  endsWithCommand?: boolean;
  certificate?: CertificateFiles;
}

const loopbackAddress = '127.0.0.1';

export const loopbackOnly: Network = { host: loopbackAddress, proxies: loopbackAddresses };

export const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/**
 * Stops DNS rebinding: a hostile web site can point its host name to the service, but then the Host header
 * contains the name of the web site.
 */
export function checkHost(request: ServiceRequest, network: Network): string {
  const { publicUrl, proxies, certificate } = network;
  const { url, incoming } = request;
  // A request that bypasses the proxy is refused, because its token was sent over plain HTTP.
  if (publicUrl && !certificate && !isAmong(proxies, incoming.socket.remoteAddress)) {
    throw new Problem(403, `The service accepts requests only through its proxy. Use ${publicUrl.origin}.`);
  }
  const names = hostNames(network, incoming.socket.localPort);
  // `url.host` can differ from the Host header, because the first line of a request may contain a whole URL.
  for (const host of [headerOf(request, 'host'), url.host]) {
    if (!names.includes(`${host}`.toLowerCase())) throw otherHost(host, names, publicUrl);
  }
  return publicUrl?.origin ?? url.origin;
}

function otherHost(host: string | undefined, [name]: string[], publicUrl: URL | undefined): Problem {
  const expected = publicUrl?.origin ?? name;
  const given = host === undefined ? 'no Host' : `the Host ${host}`;
  const detail = `The service rejected the address: it expects ${expected}, but the request has ${given}.`;
  return new Problem(403, detail, publicUrl && { type: wrongHost });
}

function hostNames({ host, publicUrl }: Network, port: number | undefined): string[] {
  if (publicUrl === undefined) {
    const names = [loopbackAddress, 'localhost', '[::1]', inUrl(host)];
    return names.map((name) => `${name}:${port}`).concat(port === 80 ? names : []);
  }
  const { host: name, protocol } = publicUrl;
  return publicUrl.port === '' ? [name, `${name}:${protocol === 'https:' ? 443 : 80}`] : [name];
}
