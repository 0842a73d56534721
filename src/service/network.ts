// How the service is reached: where it listens, what it is called, and from whom it takes plain HTTP.
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { isAmong, loopbackAddresses } from '../lib/addresses.ts';
import type { CertificateFiles } from './certificate.ts';

export interface Network {
  /** The address to listen on. */
  host: string;
  /** What it is called from outside, and the only name it answers to. Where absent: its loopback names. */
  publicUrl?: URL;
  /** Those who end TLS for it: with a public URL, plain HTTP is taken from them alone. */
  proxies: BlockList;
  /** Where it ends TLS itself. */
  certificate?: CertificateFiles;
}

const loopbackAddress = '127.0.0.1';

export const loopbackOnly: Network = { host: loopbackAddress, proxies: loopbackAddresses };

/** An address as it stands in a URL. */
export const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/** The names in Host that are its own. A port that the scheme implies may be there or not. */
export function hostNames({ host, publicUrl }: Network, port: number | undefined): string[] {
  if (publicUrl === undefined) {
    const names = [loopbackAddress, 'localhost', '[::1]', inUrl(host)];
    return names.map((name) => `${name}:${port}`).concat(port === 80 ? names : []);
  }
  const { host: name, protocol } = publicUrl;
  return publicUrl.port === '' ? [name, `${name}:${protocol === 'https:' ? 443 : 80}`] : [name];
}

/**
 * Who asks, for limits: the peer, or where that is a proxy, whom it names as the one it got the request from.
 * What stands before that in X-Forwarded-For anybody could have written.
 */
export function callerOf({ socket, headers }: IncomingMessage, proxies: BlockList): string {
  const named = `${headers['x-forwarded-for'] ?? ''}`.split(',').map((part) => part.trim());
  let caller = socket.remoteAddress ?? '';
  while (isAmong(proxies, caller)) {
    const before = named.pop();
    if (before === undefined || isIP(before) === 0) break;
    caller = before;
  }
  return limitedAs(caller);
}

/** What an address counts as for limits. */
export const limitedAs = (address: string): string => (isIP(address) === 6 ? networkOf(address) : address);

/** One customer of a provider has all 2^64 addresses of an IPv6 network; an IPv4 address in that form stays itself. */
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
