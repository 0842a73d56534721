// Lists of IP addresses. Making the lists takes a millisecond, so they are not in host-names.ts, which every command loads.
import { BlockList, isIP } from 'node:net';

/** All addresses with which a machine connects to itself, such as 127.0.0.1. */
export const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/**
 * Whether the list contains the address. `list.check` also finds an IPv4 address in its IPv6 form. The first call of `isIPv6`
 * would take 5 ms, because Node compiles a large pattern.
 */
export function isAmong(list: BlockList, address = ''): boolean {
  const withoutZone = address.replace(/%.*$/, '');
  const family = isIP(withoutZone);
  return family !== 0 && list.check(withoutZone, family === 6 ? 'ipv6' : 'ipv4');
}
