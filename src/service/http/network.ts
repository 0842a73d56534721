import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { isAmong, loopbackAddresses } from '../../lib/addresses.ts';
import type { CertificateFiles } from './certificate.ts';

export interface Network {
  host: string;
  publicUrl?: URL;
  proxies: BlockList;
  endsWithCaller?: boolean;
  certificate?: CertificateFiles;
}

const loopbackAddress = '127.0.0.1';

export const loopbackOnly: Network = { host: loopbackAddress, proxies: loopbackAddresses };

export const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

export function hostNames({ host, publicUrl }: Network, port: number | undefined): string[] {
  if (publicUrl === undefined) {
    const names = [loopbackAddress, 'localhost', '[::1]', inUrl(host)];
    return names.map((name) => `${name}:${port}`).concat(port === 80 ? names : []);
  }
  const { host: name, protocol } = publicUrl;
  return publicUrl.port === '' ? [name, `${name}:${protocol === 'https:' ? 443 : 80}`] : [name];
}

const mostForwardedCharacters = 1_000;

/**
 * Takes the last address in X-Forwarded-For that is not a proxy, because the caller could have invented the
 * earlier addresses.
 */
export function callerOf({ socket, headers }: IncomingMessage, proxies: BlockList): string {
  const forwarded = `${headers['x-forwarded-for'] ?? ''}`.slice(-mostForwardedCharacters).split(',');
  let caller = socket.remoteAddress ?? '';
  while (isAmong(proxies, caller)) {
    const before = withoutPort((forwarded.pop() ?? '').trim());
    if (isIP(before) === 0) break;
    caller = before;
  }
  return limitKey(caller);
}

/** Some proxies add the port of the caller: `1.2.3.4:5678` or `[2001:db8::1]:5678`. */
const withoutPort = (address: string): string =>
  address.replace(/^\[([\da-f:.]+)\](?::\d+)?$/i, '$1').replace(/^([\d.]+):\d+$/, '$1');

/** An IPv6 network (/64) counts as one caller, because one customer usually gets a whole network. */
export const limitKey = (address: string): string => (isIP(address) === 6 ? networkOf(address) : address);

function networkOf(address: string): string {
  const { hostname } = new URL(`http://[${address.split('%')[0]}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail?.split(':') ?? [])].map(
    (group) => group || '0',
  );
  // An IPv4 address in IPv6 form (`::ffff:1.2.3.4`) keeps all groups, because the first four groups are the
  // same for all IPv4 callers.
  const isMapped = all.slice(0, 5).every((group) => group === '0') && all[5] === 'ffff';
  return (isMapped ? all : all.slice(0, 4)).join(':');
}
