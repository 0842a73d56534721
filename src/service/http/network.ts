import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { isAmong, loopbackAddresses } from '../../lib/addresses.ts';
import type { CertificateFiles } from './certificate.ts';

export interface Network {
  host: string;
  /** The URL that callers use. The service accepts only the host of this URL or, without a URL, the loopback names. */
  publicUrl?: URL;
  /**
   * Addresses of proxies that terminate TLS. If the service has a public URL, only these proxies may use plain HTTP.
   */
  proxies: BlockList;
  endsWithCaller?: boolean;
  /** Only for a service that terminates TLS itself. */
  certificate?: CertificateFiles;
}

const loopbackAddress = '127.0.0.1';

export const loopbackOnly: Network = { host: loopbackAddress, proxies: loopbackAddresses };

/** Puts an IPv6 address into brackets. */
export const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/** The accepted values of the Host header. The default port of the scheme is optional. */
export function hostNames({ host, publicUrl }: Network, port: number | undefined): string[] {
  if (publicUrl === undefined) {
    const names = [loopbackAddress, 'localhost', '[::1]', inUrl(host)];
    return names.map((name) => `${name}:${port}`).concat(port === 80 ? names : []);
  }
  const { host: name, protocol } = publicUrl;
  return publicUrl.port === '' ? [name, `${name}:${protocol === 'https:' ? 443 : 80}`] : [name];
}

/**
 * The address that limits apply to: the peer or, if the peer is a proxy, the last address in X-Forwarded-For. Earlier
 * addresses in X-Forwarded-For are not trusted, because the caller could have written them.
 */
export function callerOf({ socket, headers }: IncomingMessage, proxies: BlockList): string {
  const forwarded = `${headers['x-forwarded-for'] ?? ''}`.split(',').map((part) => part.trim());
  let caller = socket.remoteAddress ?? '';
  while (isAmong(proxies, caller)) {
    const before = forwarded.pop();
    if (before === undefined || isIP(before) === 0) break;
    caller = before;
  }
  return limitKey(caller);
}

/** Limits apply to a whole IPv6 network, or to a single IPv4 address. */
export const limitKey = (address: string): string => (isIP(address) === 6 ? networkOf(address) : address);

/**
 * Returns the first 64 bits, because one customer has all IPv6 addresses that begin with them. Returns a mapped IPv4
 * address whole.
 */
function networkOf(address: string): string {
  const { hostname } = new URL(`http://[${address.split('%')[0]}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail?.split(':') ?? [])].map(
    (group) => group || '0',
  );
  const isMapped = all.slice(0, 5).every((group) => group === '0') && all[5] === 'ffff';
  return (isMapped ? all : all.slice(0, 4)).join(':');
}
