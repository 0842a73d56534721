// Making these lists takes a millisecond, so they are not in host-names.ts, which every command loads.
import { BlockList, isIP } from 'node:net';

export const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/** Does not use `isIPv6`, whose first call takes 5 ms. */
export function isAmong(list: BlockList, address = ''): boolean {
  const withoutZone = address.replace(/%.*$/, '');
  const family = isIP(withoutZone);
  return family !== 0 && list.check(withoutZone, family === 6 ? 'ipv6' : 'ipv4');
}
