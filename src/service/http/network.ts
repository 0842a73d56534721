import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { isAmong, loopbackAddresses } from '../../lib/addresses.ts';
import type { CertificateFiles } from './certificate.ts';

export interface Network {
  host: string;
  /**
   * The URL that callers use. The service accepts only the host of this URL. If there is no public URL, the service
   * accepts `localhost`, the loopback addresses and `host`.
   */
  publicUrl?: URL;
  /**
   * Addresses of proxies that terminate TLS. If the service has a public URL, only these proxies may use plain HTTP.
   */
  proxies: BlockList;
  endsWithCaller?: boolean;
  /** Undefined if a proxy terminates TLS, or if the service uses plain HTTP. */
  certificate?: CertificateFiles;
}

const loopbackAddress = '127.0.0.1';

export const loopbackOnly: Network = { host: loopbackAddress, proxies: loopbackAddresses };

/** Puts an IPv6 address into brackets. */
export const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/** Returns the accepted values of the Host header. The default port (80 or 443) may be missing in the header. */
export function hostNames({ host, publicUrl }: Network, port: number | undefined): string[] {
  if (publicUrl === undefined) {
    const names = [loopbackAddress, 'localhost', '[::1]', inUrl(host)];
    return names.map((name) => `${name}:${port}`).concat(port === 80 ? names : []);
  }
  const { host: name, protocol } = publicUrl;
  return publicUrl.port === '' ? [name, `${name}:${protocol === 'https:' ? 443 : 80}`] : [name];
}

/**
 * Returns the address that limits apply to. If the peer is no proxy, this is the address of the peer. Otherwise it is
 * the last address in X-Forwarded-For that is no proxy. Earlier addresses in X-Forwarded-For are not trusted, because
 * the caller could have written them.
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

/** Limits apply to a single IPv4 address, but to a whole IPv6 network, because one customer has many IPv6 addresses. */
export const limitKey = (address: string): string => (isIP(address) === 6 ? networkOf(address) : address);

/**
 * Returns the first 64 bits of an IPv6 address: the network of one customer. If the address contains an IPv4 address
 * (`::ffff:1.2.3.4`), returns all bits, because customers differ in the last bits.
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
