import { type BlockList, isIP } from 'node:net';
import { loopbackAddresses } from '../../lib/addresses.ts';
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
