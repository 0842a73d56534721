// Lists of IP addresses. They are not in host-names.ts, which every command loads: making the lists takes a millisecond.
import { BlockList, isIP } from 'node:net';

/** Every address by which a machine talks to itself. */
export const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/**
 * Whether the list contains the address. `list.check` also finds an IPv4 address in its IPv6 form. `isIPv6` would take 5 ms at
 * its first call: Node has a large pattern for it.
 */
export function isAmong(list: BlockList, address = ''): boolean {
  const withoutZone = address.replace(/%.*$/, '');
  const family = isIP(withoutZone);
  return family !== 0 && list.check(withoutZone, family === 6 ? 'ipv6' : 'ipv4');
}
