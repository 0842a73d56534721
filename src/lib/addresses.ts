// Addresses: which are this machine's own, and whether one is in a list.
import { BlockList, isIP } from 'node:net';

/** Every address by which a machine talks to itself. */
export const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/** An IPv4 address counts in its IPv6 form too. `isIPv6` would cost a start 5 ms: Node has a large pattern for it. */
export function isAmong(list: BlockList, address: string | undefined): boolean {
  const [plain = ''] = (address ?? '').split('%');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a URL leads to this machine, as far as its host name tells. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);

/** The `type` of the service's error for a request whose host name is not the service's own. */
export const wrongHost = 'urn:vals:wrong-host';
