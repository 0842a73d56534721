// Lists of IP addresses. Apart from host-names.ts, because Node takes a millisecond to load its lists.
import { BlockList, isIP } from 'node:net';

/** Every address by which a machine talks to itself. */
export const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/** An IPv4 address is also found in its IPv6 form. `isIPv6` would take 5 ms at its first call: Node has a large pattern for it. */
export function isAmong(list: BlockList, address: string | undefined): boolean {
  const [plain = ''] = (address ?? '').split('%');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
