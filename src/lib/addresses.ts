// `loopbackAddresses` is not in host-names.ts, because every command loads that file, and making the list takes a
// millisecond.
import { BlockList, isIP } from 'node:net';

export const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

export function isAmong(list: BlockList, address = ''): boolean {
  const withoutZone = address.replace(/%.*$/, '');
  const family = isIP(withoutZone);
  return family !== 0 && list.check(withoutZone, family === 6 ? 'ipv6' : 'ipv4');
}
